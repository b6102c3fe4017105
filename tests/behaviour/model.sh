#!/bin/bash
# tests/gpu/kernels: the two halves, the tables of errors and of limiters, from made-up times; and the list of kernels.
. "$(dirname "$0")/lib"
folder=tests/gpu/kernels

# ---- halves: the last digit of the SHA-256 -------------------------------------------------------------------

expect 0 "copy_2_bytes fitted" $folder/halves copy_2_bytes copy_4_bytes lab01_copy
for name in copy_2_bytes copy_4_bytes; do
    digit=$(printf %s $name | sha256sum | cut -c 64)
    half=held-out
    [ $((0x$digit % 2)) = 1 ] || half=fitted
    expect 0 "$name $half" $folder/halves $name
done
expect 0 "lab01_copy lab" $folder/halves lab01_copy

# ---- times: errors of 0, +20, -20 and +100 % ------------------------------------------------------------------

printf '%s\n' 'a held-out' 'b held-out' 'c held-out' 'd held-out' 'e fitted' 'lab07_x lab' >"$scratch/halves"
cat >"$scratch/gpu.csv" <<'END'
# a device, a day
kernel,size,n,ms,single_ms
a,small,10,1,1
b,small,10,2,1
c,small,10,3,1
d,small,10,4,1
e,small,10,5,1
lab07_x,large,10,5,1
END
cat >"$scratch/model.csv" <<'END'
kernel,size,n,ms,limiter,launches
a,small,10,1,latency,1
b,small,10,2.4,latency,1
c,small,10,2.4,latency,1
d,small,10,8,DRAM bandwidth,1
e,small,99,5,latency,1
lab07_x,large,10,10,latency,1
END
compare() {
    awk -f $folder/compare.awk "$scratch/halves" "$scratch/gpu.csv" "$scratch/model.csv"
}
# The mean of 0, 20, 20 and 100 %; ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4 correlate by 0.9487. The size of e differs.
expect 1 "| held-out | 4 | 75.0 % | 35.0 % |" compare
expect 1 "| 0.9487 |" compare
expect 1 "| lab | 1 | 0.0 % | 100.0 % |" compare
expect 1 "| lab 07, large | 1 |" compare
expect 1 "| d | small | 4.0000 | 8.0000 | 2.00 | DRAM bandwidth |" compare
expect 1 "MISSED" compare
expect_not "fitted |"
sed -i 's/^c,small,10,2.4/c,small,10,3/; s/^d,small,10,8/d,small,10,4/' "$scratch/model.csv"
expect 0 "| held-out | 4 | 100.0 % | 5.0 % | 1.047 | 1.047 | 1.0000 |" compare
# Right on average, but in the wrong order.
sed -i 's/^\(.\),small,10,[0-9.]*/\1,small,10,2/' "$scratch/gpu.csv"
sed -i 's/^a,small,10,2/a,small,10,2.1/' "$scratch/gpu.csv"
sed -i 's/^\(.\),small,10,[0-9.]*/\1,small,10,2/; s/^b,small,10,2/b,small,10,2.1/' "$scratch/model.csv"
expect 1 "| held-out | 4 | 100.0 % | 2.4 % |" compare
echo "kernel,size,n,ms" >"$scratch/gpu.csv"
expect 2 "no kernel is in both files" compare

# ---- limiters: a kernel at the memory's limit, and a row of two launches of which the second takes longer ------

stalls='barrier long_scoreboard wait'
{
    printf '"ID","gpu__time_duration.sum"'
    for unit in dram__throughput.avg lts__throughput.avg smsp__issue_active.avg sm__pipe_fma_cycles_active.avg; do
        printf ',"%s.pct_of_peak_sustained_elapsed"' $unit
    done
    for stall in $stalls; do printf ',"smsp__average_warps_issue_stalled_%s_per_issue_active.ratio"' "$stall"; done
    echo
    echo '"0","9,000","90","85","10","5","0","50","2"'
    echo '"1","7,000","90","10","10","5","0","50","2"'
    echo '"2","7,500","10","10","35","28","20","5","2"'
} >"$scratch/ncu.csv"
printf '%s\n' 'kernel,size,n,ms,limiter,launches' a,medium,10,1,latency,1 'lab07_x,medium,10,1,barriers,2' >"$scratch/model.csv"
limiters() {
    awk -f $folder/limiters.awk "$scratch/model.csv" "$scratch/ncu.csv" | tee "$scratch/limiters.csv"
    return "${PIPESTATUS[0]}"
}
expect 0 "a,medium,10,DRAM,90.0,long_scoreboard,DRAM;L2" limiters
expect 0 "lab07_x,medium,10,issue,35.0,barrier,issue;barriers;latency" limiters
agree() {
    awk -f $folder/agree.awk "$scratch/halves" "$scratch/limiters.csv" "$scratch/model.csv"
}
expect 1 "| all | 2 | 50.0 % |" agree
expect 1 "| a | medium | latency | DRAM, 90 % | long_scoreboard | DRAM;L2 |" agree
sed -i 's/latency/DRAM bandwidth/' "$scratch/model.csv"
expect 0 "| all | 2 | 100.0 % |" agree
sed -i 's/,2$/,3/' "$scratch/model.csv"
expect 2 "ncu saw other launches" limiters

# ---- the list of kernels ------------------------------------------------------------------------------------------

make -s model GPU=0 BUILD=build/test || exit 1
expect 0 "copy_4_bytes,large" build/test/tests/gpu/model-sim --list
names=$(printf '%s\n' "$output" | cut -d, -f1)
[ -z "$(printf '%s\n' "$names" | uniq -c | awk '$1 != 3')" ] || fail "a name twice, or not three sizes:" "$names"
# shellcheck disable=SC2046 # several names
expect 0 "" $folder/halves $(printf '%s\n' "$names" | uniq)
counts=$(printf '%s\n' "$output" | cut -d' ' -f2 | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')
read -r fitted held_out lab <<<"$counts"
if [ $((fitted + held_out)) -lt 120 ] || [ "$held_out" -lt 60 ] || [ "$lab" -lt 55 ]; then
    fail "too few kernels (fitted, held out, of the labs): $counts"
fi
expect 0 "add_own_address,small" build/test/tests/gpu/model-sim --size small add_own_address
expect 2 "usage" build/test/tests/gpu/model-sim --size tiny
