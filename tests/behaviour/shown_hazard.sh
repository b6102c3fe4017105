#!/bin/bash
# A task that is there to show a hazard: shown where it is found, and a failure of the task where it is not.
. "$(dirname "$0")/lib"
export BUILD=build/test NO_COLOR=1

grade_race() { # FILE STATUS TEXT
    make -s SRC="$1" lab04 || fail "$1 does not build"
    expect "$2" "$3" "$(make -s SRC="$1" where-lab04)/grader" --backend sim --only sum_race
}

grade_race lab04_atomics/solution.cu 0 "Shown on purpose: (a) sum_race"
case $output in *"race in global memory"*"as intended"* | *"as intended"*"race in global memory"*) ;; *) fail "$output" ;; esac

cat >"$scratch/no_race.diff" <<'END'
     if (threadIdx.x == 0) {
-        *d_y += sum;
+        atomicAdd(d_y, sum);
     }
END
tests/apply lab04_atomics/solution.cu "$scratch/no_race.diff" >"$scratch/no_race.cu" || fail "the change does not fit"
grade_race "$scratch/no_race.cu" 1 "the simulator found no race in global memory"
case $output in *"as intended"*) fail "no race, and yet as intended:" "$output" ;; esac

# Another hazard than the intended one is none that should be shown.
cat >"$scratch/out_of_bounds.diff" <<'END'
-    const real sum = block_sum(i < n ? d_x[i] : 0);
     if (threadIdx.x == 0) {
         *d_y += sum;
+    const real sum = block_sum(d_x[i]);
+    if (threadIdx.x == 0) {
+        *d_y += sum;
END
sed -i '2,3s/^ /-/' "$scratch/out_of_bounds.diff"
tests/apply lab04_atomics/solution.cu "$scratch/out_of_bounds.diff" >"$scratch/out_of_bounds.cu" || fail "does not fit"
grade_race "$scratch/out_of_bounds.cu" 1 "access out of bounds"
case $output in *"as intended"*) fail "out of bounds, and yet as intended:" "$output" ;; esac
