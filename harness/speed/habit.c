#include "harness/speed/habit.h"

#include <string.h>

#define KEPT_LEAST 4 /* stores of a thread to an element, on average */

#define SAY(...) text_append(text, size, __VA_ARGS__)

static void put_place(const struct protocol_place *place, char *text, size_t size)
{
    text_set(text, size, "%s:%d: ", text_file_name(place->file), place->line);
}

static void put_call(const struct protocol_place *place, char *text, size_t size)
{
    if (place->call_line > 0)
        SAY(" (called at line %d", place->call_line);
    if (place->call_line > 0 && place->from_line > 0 && place->from_line != place->call_line)
        SAY(", from line %d", place->from_line);
    if (place->call_line > 0)
        SAY(")");
}

static void take_kept(struct grader_speed *speed, const struct protocol_habits *habits)
{
    char *text = speed->kept;
    const size_t size = sizeof speed->kept;
    if (habits->kept.line <= 0 || !(habits->kept_times >= KEPT_LEAST))
        return;
    put_place(&habits->kept, text, size);
    SAY("a thread stores to the same element of global memory again and again");
    put_call(&habits->kept, text, size);
    SAY(", with no barrier in between: of all stores of the kernel, about %.0f go to each element. Only the last value stays. Keep "
        "it in a variable of the thread's own, which lies in a register, and store it once, at the end.",
        habits->kept_times);
}

static void take_loads(struct grader_speed *speed, const struct lab_speed *ask,
                       const struct protocol_habits *habits)
{
    char *text = speed->loads;
    const size_t size = sizeof speed->loads;
    if (habits->loads.line <= 0 || the_lab.step) /* steps are other ways to do the last stage */
        return;
    if (ask->loads_in_flight > 0 && habits->in_flight < ask->loads_in_flight) {
        put_place(&habits->loads, text, size);
        SAY("when a thread needs the result of this load, it has %.2g load%s in flight on average",
            habits->in_flight, habits->in_flight > 1.05 ? "s" : "");
        put_call(&habits->loads, text, size);
        SAY(", and this stage is about several at a time, all of them begun before the first is used.");
    } else if (ask->arithmetic_behind > 0 && habits->behind < ask->arithmetic_behind) {
        put_place(&habits->loads, text, size);
        SAY("the result of this load is needed at once");
        put_call(&habits->loads, text, size);
        SAY(": from the load to the first instruction that waits for it, a thread executes %.0f instructions with "
            "floating-point numbers on average. Nothing overlaps with the load, and this stage is about that: issue the loads "
            "before the products, and use their results after them.",
            habits->behind);
    }
}

void habit_take(struct grader_speed *speed, const struct lab_task *task, const struct protocol_habits *habits)
{
    speed->kept[0] = speed->loads[0] = 0;
    take_kept(speed, habits);
    take_loads(speed, task->speed, habits);
}
