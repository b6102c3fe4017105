/* What the files that find changes have in common. */
#ifndef REPAIR_EDITS_H
#define REPAIR_EDITS_H

#include "harness/change/edit.h"
#include "harness/source/program.h"

struct edits {
    const struct program *program;
    const struct repair_wish *wish;
    struct repair_edit *edit;
    int count, room;
    bool failed; /* no memory */
};

/* The program that is to be changed. */
const struct program *repair_program(const struct repair *repair);

/* May the text at this token be changed? */
bool edits_wanted(const struct edits *edits, int token);

/* Bytes from the beginning of token `first` to the end of token `last`. */
struct repair_part edits_span(const struct edits *edits, int first, int last);

/* Tokens `first` to `last` become `with`, in printf's words. */
void edits_replace(struct edits *edits, enum repair_kind kind, int cost, int first, int last,
                   const char *with, ...) __attribute__((format(printf, 6, 7)));
/* Something is put before token `at`. */
void edits_insert(struct edits *edits, enum repair_kind kind, int cost, int at, const char *with, ...)
    __attribute__((format(printf, 5, 6)));
/* Two places at once; what people are told of it. */
void edits_both(struct edits *edits, enum repair_kind kind, int cost, const struct repair_part parts[2],
                int line, const char *from, const char *to);

/* Is token `i` an operator between two operands? Not the * of a declaration, as in real *x. */
bool edits_is_binary(const struct tokens *tokens, int i);
/* Does the text stand in the file: "Idx.y"? What the program does not have at all is not what it lacks. */
bool edits_has(const struct edits *edits, const char *text);
/* Does the token stand in the parentheses of this word, and in no inner ones: word(... i ...)? */
bool edits_stands_in(const struct tokens *t, int i, const char *word);
/* The operands of the operator at token `i`. */
void edits_operands(const struct tokens *tokens, int i, int *first, int *last);
/* … if it is one of the list, as in token_in, and has both of them; else false. */
bool edits_split(const struct tokens *tokens, int i, const char *list, int *first, int *last);
/* threadIdx.x and its kin begin at token `i`. */
bool edits_is_builtin(const struct tokens *tokens, int i);
/* The variable that the name at token `i` means; NULL: none that is known. */
const struct variable *edits_variable(const struct program *program, int i);

/* May the variable be named at token `i`? In its own first value it has none yet. */
bool edits_may_name(const struct tokens *t, const struct variable *v, int i);

/* Is it in a declaration's brackets, where only constants may stand? */
bool edits_is_array_size(const struct program *program, int i);
/* Do all names of tokens `first` to `last` mean the same thing at token `here`? */
bool edits_mean_the_same(const struct program *program, int first, int last, int here);

/* In edit_*.c: add the changes of their kinds. */
void edits_of_operators(struct edits *edits);
void edits_of_names(struct edits *edits);
void edits_of_terms(struct edits *edits);
void edits_of_statements(struct edits *edits);
void edits_of_calls(struct edits *edits);

#endif
