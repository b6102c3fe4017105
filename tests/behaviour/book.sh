#!/bin/bash
# make book-NAME: the programs of book/ that no chapter's table shows are right on the simulator, and no order is missing;
# make profile-transpose: the simulator's counters, and those of ncu beside them.
. "$(dirname "$0")/lib"
export BUILD=build/test GPU=0 PLAY_RUNS=1

expect 0 "8 pieces in 3 streams" make -s book-streams ARGS="20000 5"
expect_not WRONG
[ "$(grep -c right <<<"$output")" = 6 ] || fail "six results should be right:" "$output"
expect 0 "  right" env LABS_SIM_HAZARDS=1 "$BUILD/book/streams/play" 1001 3
expect_not "simulator:"
expect 0 "two steps of 100 x 60 through surfaces: right" make -s book-surface
expect 0 ": right" env LABS_SIM_HAZARDS=1 "$BUILD/book/surface/play" 17 33
expect_not "simulator:"
expect 0 "as IEEE 754 and the PTX ISA say" make -s book-rounding
expect 2 "There is no book-none; there are: book-" make book-none
expect 2 "expected a whole number" "$BUILD/book/streams/play" many

# Without ncu: the simulator's counters. 257 x 257 as an H100 counted them (docs/evidence/measured-h100.md).
expect 0 "only the simulator's counters" make -s profile-transpose ARGS=257
for shown in "wavefronts_mem_shared_op_ld.sum * 66049 " "sectors_pipe_lsu_mem_global_op_ld.sum * 10273 " "wavefronts_mem_shared_op_st.sum * 2313 "; do
    grep -q "$shown" <<<"$output" || fail "it does not count $shown" "$output"
done
# Beside ncu's, from a file: equal, different, none.
report() {
    printf '%s\n' '==PROF== noise' '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"' \
        "\"0\",\"transpose_conflicts(const float *, float *, int, int)\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"sector\",\"$1\"" \
        '"0","transpose_conflicts(const float *, float *, int, int)","gpu__time_duration.sum","ns","4,100"' >"$scratch/ncu.csv"
}
report 10,273
expect 0 "all counters that both have are equal" env FROM="$scratch/ncu.csv" bench/profile_transpose $BUILD 257
grep -q "gpu__time_duration.sum, ns .* 4100" <<<"$output" || fail "ncu's time is missing" "$output"
report 10,274
expect 1 "DIFFERENT in 1 counters" env FROM="$scratch/ncu.csv" bench/profile_transpose $BUILD 257
expect 2 "cannot be read" env FROM="$scratch/none" bench/profile_transpose $BUILD 257
