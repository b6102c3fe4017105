/* Between ptx_change.c, which goes through the instructions, ptx_change_offer.c, which knows what can be changed in one, and ptx_change_edit.c, which changes it. */
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

struct ptx_change_walk {
    const struct ptx_change_scope *scope;
    int number, wanted;
    struct ptx_change *out;
    bool made;
    struct ptx_change_set sets[2]; /* numbers that stand in the code do not matter; they do */
    const struct ptx_change_set *set;
    int **definitions; /* [scope->count] */
    /* the group that is looked at, by its first member */
    const struct ptx_change_group *group;
    const struct ptx_func *func;
    const int *defined;
    const struct ptx_instr *instr;
    enum ptx_change_kind kind; /* of changes that are looked for */
};

/* ---- ptx_change.c, ptx_change_offer.c ------------------------------------------------------------------ */

/* One more change of the group that is looked at: of all its instructions, and of each one where they are few. */
void ptx_change_offer(struct ptx_change_walk *w, const struct ptx_edit *edit);
/* Offers all changes of kind w->kind of that group. */
void ptx_change_offer_kind(struct ptx_change_walk *w);

/* ---- ptx_change_edit.c --------------------------------------------------------------------------------- */

/* Where the operand's value comes from, if one instruction alone sets its register: that one, else NULL. */
const struct ptx_instr *ptx_change_source(const struct ptx_func *func, const int *definitions,
                                          const struct ptx_operand *operand);
/* [reg_count], owned by the caller: the instruction that writes the register, -1: none or several. */
int *ptx_change_definitions(const struct ptx_func *func);
/* The number of the parameter that the instruction loads, -1: it does not load one. */
int ptx_change_parameter(const struct ptx_func *func, const struct ptx_instr *instr);

/* Changes instruction number `at` of the function. */
void ptx_edit_apply(struct ptx_func *func, int at, const struct ptx_edit *edit);

#endif
