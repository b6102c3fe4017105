/*
 * Between ptx_change.c, which goes through the instructions, ptx_change_offer.c and ptx_change_offer_memory.c, which
 * know what can be changed in one, and ptx_change_edit.c, which changes it.
 */
#ifndef SIM_PTX_CHANGE_INTERNAL_H
#define SIM_PTX_CHANGE_INTERNAL_H

#include "sim/ptx/ptx_change.h"

/* What is done to each instruction of a group. */
struct ptx_edit {
    struct ptx_change change;
    const char *op, *mod; /* the new name, and modifier number mod_index; NULL: as before */
    int mod_index;
    int operand; /* that becomes `value`; -1: none does */
    struct ptx_operand value;
    int swap; /* this operand and the next one change places; -1: none do */
    int move; /* bytes that are added to the address `operand`; 0: none */
};

/* An instruction that looks like others of its line. */
struct ptx_change_member {
    struct ptx_func *func;
    int instr, rank; /* its number among those of its group in the function */
    int next;        /* of the group, -1: none */
};

struct ptx_change_group {
    uint64_t key;
    int first, last, ranks;
};

/* All of them, in groups. */
struct ptx_change_set {
    struct ptx_change_member *members;
    int member_count;
    struct ptx_change_group *groups;
    int group_count;
};

/* What a register stands for in the source. */
struct ptx_change_variable {
    bool is;   /* a variable, a parameter or a built-in variable, and no intermediate result */
    int line;  /* where it gets its value, the first time; 0: not known */
    int first; /* instruction that sets it first; -1: none does */
};

struct ptx_change_walk {
    const struct ptx_change_scope *scope;
    int number, wanted;
    struct ptx_change *out;
    bool made;
    struct ptx_change_set sets[2]; /* numbers that stand in the code do not matter; they do */
    const struct ptx_change_set *set;
    int **definitions;                      /* [scope->count] */
    struct ptx_change_variable **variables; /* [scope->count], NULL: not asked for yet */
    /* the group that is looked at, by its first member */
    const struct ptx_change_group *group;
    const struct ptx_func *func;
    const int *defined;
    const struct ptx_instr *instr;
    enum ptx_change_kind kind; /* of changes that are looked for */
    bool is_near;              /* … in lines that are near those of the scope */
};

/* ---- ptx_change.c, ptx_change_offer.c ------------------------------------------------------------------ */

/* One more change of the group that is looked at: of all its instructions, and of each one where they are few. */
void ptx_change_offer(struct ptx_change_walk *w, const struct ptx_edit *edit);
/* Whether the place is in a file of this name, without folders. */
bool ptx_change_is_in_file(const struct ptx_func *func, struct ptx_loc site, const char *file);
/* Whether this is the change that is wanted: if so, it is noted in *w->out, and the caller makes it. */
bool ptx_change_is_wanted(struct ptx_change_walk *w, const struct ptx_change *change, struct ptx_loc site);
/* Offers all changes of kind w->kind of that group. */
void ptx_change_offer_kind(struct ptx_change_walk *w);
/* No change of the instruction that is looked at. */
struct ptx_edit ptx_change_no_edit(void);
bool ptx_change_has_mod(const struct ptx_instr *instr, const char *mod);

/* ---- ptx_change_offer_memory.c ------------------------------------------------------------------------- */

void ptx_change_offer_place(struct ptx_change_walk *w);
void ptx_change_offer_add(struct ptx_change_walk *w);
void ptx_change_offer_skip(struct ptx_change_walk *w);

/* ---- ptx_change_variable.c ----------------------------------------------------------------------------- */

void ptx_change_offer_variable(struct ptx_change_walk *w);

/* The variables of the function that is looked at; NULL: it is none of the scope's. */
const struct ptx_change_variable *ptx_change_variables(const struct ptx_change_walk *w);
/* Types that a variable of one may have where one of the other stands; 0: none. */
int ptx_change_class(const struct ptx_change_walk *w, int reg);
/* Where the variable gets its value, in the file of the instruction that is looked at; 0: elsewhere. */
int ptx_change_line(const struct ptx_change_walk *w, const struct ptx_change_variable *v);

/* ---- ptx_change_exchange.c ----------------------------------------------------------------------------- */

void ptx_change_offer_exchange(struct ptx_change_walk *w);
/* Of a whole function, w->func. */
void ptx_change_offer_axes(struct ptx_change_walk *w);
void ptx_change_offer_arguments(struct ptx_change_walk *w);

/* ---- ptx_change_offer_factor.c ------------------------------------------------------------------------- */

void ptx_change_offer_factor(struct ptx_change_walk *w);

/* ---- ptx_change_offer_convert.c ------------------------------------------------------------------------ */

void ptx_change_offer_conversions(struct ptx_change_walk *w);

/* ---- ptx_change_edit.c --------------------------------------------------------------------------------- */

/* Where the operand's value comes from, if one instruction alone sets its register: that one, else NULL. */
const struct ptx_instr *ptx_change_source(const struct ptx_func *func, const int *definitions,
                                          const struct ptx_operand *operand);
/* [reg_count], owned by the caller: the instruction that writes the register, -1: none or several. */
int *ptx_change_definitions(const struct ptx_func *func);
/* The number of the parameter that the instruction loads, -1: it does not load one. */
int ptx_change_parameter(const struct ptx_func *func, const struct ptx_instr *instr);

/* A copy of the instruction's operands, which takes their place. */
struct ptx_operand *ptx_edit_operands(const struct ptx_func *func, struct ptx_instr *instr);
/* Changes instruction number `at` of the function. */
void ptx_edit_apply(struct ptx_func *func, int at, const struct ptx_edit *edit);

#endif
