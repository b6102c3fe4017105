/*
 * A student's file as far as changes of it look: its functions, which of them a task uses, the variables that may be named
 * at a place, the statements. By the text alone, without types of C++: a change that does not compile is dropped later.
 */
#pragma once

#include "harness/source/token.h"

enum item_kind { ITEM_DIRECTIVE, ITEM_FUNCTION, ITEM_OTHER };

/* What stands outside of functions: a function, a line of the preprocessor, a declaration. Numbers are tokens. */
struct item {
    enum item_kind kind;
    int first, last;
    int name;         /* a function's, or a variable's; -1: none */
    int parameters;   /* a function's ( */
    int body;         /* … and { */
    bool is_kernel;   /* __global__ */
    bool is_device;   /* … or __device__, and nothing of it runs on the host */
    bool is_extern_c; /* the lab's header declares it */
    bool is_used;     /* see program_use */
    bool by_variable; /* … because it names a variable that is used */
};

/* How variables can stand for one another. */
enum variable_class { CLASS_INTEGER, CLASS_REAL, CLASS_POINTER, CLASS_OTHER };

struct variable {
    int name;        /* token */
    int first, last; /* where it may be named; outside of functions: to the end of the file */
    enum variable_class class;
    int type;       /* token of the word that names its type, or that of its elements */
    int loop;       /* the statement whose loop it counts; -1: none */
    bool is_global; /* outside of functions, or a constant of a header */
};

enum statement_kind {
    STATEMENT_SIMPLE,
    STATEMENT_DECLARATION,
    STATEMENT_BLOCK,
    STATEMENT_IF,
    STATEMENT_LOOP
};

struct statement {
    enum statement_kind kind;
    int first, last;    /* tokens */
    int parent;         /* the block, `if` or loop that it is a part of; -1: it is a function's body */
    int before, behind; /* its neighbors in a block; -1: none */
    int condition;      /* of an `if`, a `while` or a `for`: the token ( */
    int function;       /* item */
};

struct program {
    struct tokens tokens, header;
    char *text, *header_text; /* owned */
    struct item *item;
    int item_count;
    struct variable *variable;
    int variable_count;
    struct statement *statement;
    int statement_count;
};

/* Both texts are copied. False: no memory, or a text that is not understood. Free with program_free in any case. */
bool program_read(struct program *program, const char *text, const char *header);
void program_free(struct program *program);
/* The same of a file, without a header. */
bool program_read_file(struct program *program, const char *path);

/*
 * Sets is_used: of the function `entry`, all that it mentions, what mentions the same variables of the file, and what
 * launches these. False: there is no such function.
 */
bool program_use(struct program *program, const char *entry);

/* device.c: sets is_device. */
void program_find_device(struct program *program);
/* Does a copy of the file, behind other copies of it, do what the file does? */
bool program_can_be_copied(const struct program *program);
/* Does the token stand in the body of a function that is used and that only the device runs, or in what a launch is given? */
bool program_may_change(const struct program *program, int token);
/* … all of these bytes, and does what comes instead of them leave the host's code as it is? Every change must pass here. */
bool program_allows(const struct program *program, int at, int length, const char *with);

/* The item that holds the token; NULL: none. */
const struct item *program_item_of(const struct program *program, int token);
/* The innermost statement that holds the token; NULL: none. */
const struct statement *program_statement_of(const struct program *program, int token);
/* The variable that a name, token `name`, would mean at token `at`; NULL: there is none of that name. */
const struct variable *program_meaning(const struct program *program, int name, int at);

/* Is something stored in the variable that token `i` names, in a part of it, or through it? */
bool program_is_set(const struct tokens *tokens, int i);

/* program_statements.c: fills `statement`; program_variables.c: `variable`. False: no memory. */
bool program_find_statements(struct program *program);
bool program_find_variables(struct program *program);
