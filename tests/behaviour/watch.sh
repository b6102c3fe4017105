#!/bin/bash
# ./grader --watch grades at each save; what a grading keeps, and what the next one says of it; make progress, make reset03;
# --format=gcc, --sarif.
. "$(dirname "$0")/lib"
export BUILD=build/test
make -s "$BUILD/saved" lab02 || fail "make does not build"

# ---- saved: prints a stamp, and waits while the file has it
echo one >"$scratch/file"
expect 0 "" "$BUILD/saved" "$scratch/file" ""
stamp=$output
expect 124 "" timeout 0.5 "$BUILD/saved" "$scratch/file" "$stamp"
(sleep 0.2 && echo two >"$scratch/other" && mv "$scratch/other" "$scratch/file") & # as many editors save
expect 0 "" timeout 20 "$BUILD/saved" "$scratch/file" "$stamp"
[ "$output" != "$stamp" ] || fail "the stamp is the same after a save"
expect 2 "" "$BUILD/saved" "$scratch/none/file" ""

# ---- what is kept, and what has changed
kept=$scratch/kept
is_narrow() {
    ! printf '%s\n' "$output" | grep '.\{81\}' >"$scratch/wide" || fail "wider than 80 columns:" "$(cat "$scratch/wide")"
}
skeleton() {
    GRADER_KEEPS=$kept "$BUILD/lab02/float/skeleton/grader" --backend sim --seed 1 --only reduce "$@"
}
expect 1 "FAILED" skeleton
expect_not "Since the last run"
grep -q '^lab02	float	reduce	1	10	0	40	0	0	-	' "$kept" || fail "what is kept:" "$(cat "$kept")"
sed -i 's/reduce	1	/reduce	3	/' "$kept"
expect 1 "Since the last run: reduce: 1 of 10 cases now, 3 before" skeleton
expect 1 "FAILED" skeleton
expect_not "Since the last run"
COLUMNS=80 expect 0 "1550%" "$BUILD/lab02/float/skeleton/grader" --backend sim --only transpose_conflicts
is_narrow
cp "$kept" "$scratch/before"
expect 1 "" skeleton --only 'reduce: one element' # some cases only
expect 1 "" skeleton --size 5
cmp "$kept" "$scratch/before" || fail "a grading of some cases is kept"
expect 1 "FAILED" env GRADER_KEEPS=/proc/none/kept "$BUILD/lab02/float/skeleton/grader" --backend sim --only reduce
printf 'no\tline\n\377\n' >"$kept"
expect 1 "FAILED" skeleton

# A speed: the solution, as if it were the skeleton.
make -s SOLUTION=1 lab02
cp -R "$BUILD/lab02/float/solution" "$scratch/graded"
sed -i 's,/solution\.cu,/skeleton.cu,' "$scratch/graded/build.info"
as_skeleton() {
    GRADER_KEEPS=$kept "$scratch/graded/grader" --backend sim --seed 1 --only reduce "$@"
}
expect 0 "passed" as_skeleton
ms=$(awk -F '\t' '$3 == "reduce" { print $8 }' "$kept")
awk -v OFS='\t' -F '\t' '{ $8 *= 2; $10 = "2001-01-01" } 1' "$kept" | cut -f 1-12 >"$scratch/slow" # as older files are
cp "$scratch/slow" "$kept"
expect 0 "Since the last run: reduce: 2 times as fast" as_skeleton
awk -F '\t' -v ms="$ms" '$8 == ms && $9 == ms && $10 == "2001-01-01" { found = 1 } END { exit !found }' "$kept" ||
    fail "the best is not as it was:" "$(cat "$kept")"
awk -v OFS='\t' -F '\t' '{ $8 /= 2; $14 = 0.9 } 1' "$kept" >"$scratch/fast" && cp "$scratch/fast" "$kept"
printf 'lab01\tfloat\tcopy <b>\t1\t1\t5\t5\t1\t1\t-\t-\t%s\t0.625\t0.625\t0.5\n' "$(cut -f 12 "$scratch/fast")" >>"$kept"
expect 0 "Since the last run: reduce: takes 2 times as long" as_skeleton --html "$scratch/page.html"
sed -i "/^lab01/d" "$kept"
# The page shows all labs so far: the speed of this report, the best one, and the lab before it above.
ladder=$(sed -n '/<figure class="ladder">/,/<\/figure>/p' "$scratch/page.html")
percent=$(printf '%s\n' "$output" | sed -n 's/.* \([0-9.]*%\) of the roof.*/\1/p' | head -1)
[ "$(printf '%s\n' "$ladder" | grep -o '>lab0[^<]*<\|>[0-9.]*\.[0-9]%<\|best so far' | tr '\n' ' ')" = ">lab01 copy &lt;b&gt;< >62.5%< >lab02 reduce< >$percent< best so far " ] ||
    fail "the page's ladder is another one:" "$ladder"

# ---- make progress
progress() {
    GRADER_KEEPS=$kept make -s progress
}
expect 0 "lab02 40 of 40 points" progress
expect 0 "best $(printf '%.4g' "$ms") ms on 2001-01-01, NVIDIA H100" progress
expect 0 "Next: read the README.md of lab01" progress
expect 0 "10 of 10 cases" env GRADER_KEEPS="$kept" ./grader --progress
expect_not $'\033'
sed -i 's/	40	40	/	20	40	/' "$kept"
expect 0 "Next: lab02, reduce: make lab02 && ./grader --hint" progress
kept=$scratch/none
expect 0 "Next: read the README.md of lab01; then: make lab01 && ./grader" progress
is_narrow

# ---- make reset03: from a students' tree, or from git
tree=$scratch/tree
mkdir -p "$tree/mk/skeletons" "$tree/lab03_x"
cp mk/reset "$tree/mk" && echo mine >"$tree/lab03_x/skeleton.cu" && echo given >"$tree/mk/skeletons/lab03.cu"
expect 0 "Yours is kept; to grade it: make lab03 SRC=lab03_x/skeleton-1.cu" "$tree/mk/reset" lab03_x
[ "$(cat "$tree"/lab03_x/skeleton{-1,}.cu)" = $'mine\ngiven' ] || fail "a students' tree's skeleton is not put back"
rm -r "$tree/mk/skeletons"
if command -v git >/dev/null; then
    (cd "$tree" && git init -q . && git add . && git -c user.name=x -c user.email=x@x commit -qm x)
    expect 0 "is as it came" "$tree/mk/reset" lab03_x
    echo another >"$tree/lab03_x/skeleton.cu"
    expect 0 "Yours is kept; to grade it: make lab03 SRC=lab03_x/skeleton-2.cu" "$tree/mk/reset" lab03_x
    [ "$(cat "$tree"/lab03_x/skeleton{-2,}.cu)" = $'another\ngiven' ] || fail "the files are not as they should be"
    # A tree that belongs to another user: git names the remedy.
    expect 2 "cannot be put back: mk/skeletons/lab03.cu is not there, and git says: fatal: detected dubious ownership" \
        env GIT_TEST_ASSUME_DIFFERENT_OWNER=1 "$tree/mk/reset" lab03_x
    contains "safe.directory" || fail "git's remedy is not told"
fi

short_ends_here

# ---- --format=gcc and --sarif
change lab02 student '/^__global__ void reduce_shared/,/^}/{/^        __syncthreads/d}'
number=$(line_of student 's_x[tid] += ')
expect 1 "$scratch/student.cu:$number:1: error: (a) reduce, one element: race in shared memory" \
    "$grader" --backend sim --seed 1 --only reduce --format=gcc --sarif "$scratch/sarif"
expect_lines 1
python3 - "$scratch/sarif" "$scratch/student.cu" "$number" <<'END' || fail "the SARIF file is not as it should be:" "$(cat "$scratch/sarif")"
import json, sys
log = json.load(open(sys.argv[1]))
result, = log["runs"][0]["results"]
place = result["locations"][0]["physicalLocation"]
assert log["version"] == "2.1.0" and result["level"] == "error" and result["message"]["text"].startswith("(a) reduce")
assert place["artifactLocation"]["uri"] == sys.argv[2] and place["region"]["startLine"] == int(sys.argv[3])
END
expect 2 "--sarif /proc/none/x" "$grader" --sarif /proc/none/x

# ---- --watch
watched=$scratch/student.cu
SRC=$watched setsid ./grader lab02 --watch --backend sim --seed 1 --only reduce >"$scratch/watched" 2>&1 &
watcher=$!
trap 'kill -TERM -- -$watcher 2>/dev/null' EXIT
seen() { # N TEXT: N times, within a minute
    local i
    for ((i = 0; i < 600; i++)); do
        [ "$(grep -c -- "$2" "$scratch/watched")" -lt "$1" ] || return 0
        sleep 0.1
    done
    fail "--watch does not say $1 times: $2" "$(cat "$scratch/watched")"
}
seen 1 "waiting for the next save of student.cu"
grep -q "FAILED: 0 of 40" "$scratch/watched" || fail "no verdict:" "$(cat "$scratch/watched")"
cp lab02_shared_memory/solution.cu "$watched"
seen 2 "waiting for the next save of student.cu"
grep -q "passed: 40 of 40" "$scratch/watched" || fail "no second verdict:" "$(cat "$scratch/watched")"
sed -i 's/__syncthreads();/__syncthreads()/' "$watched"
seen 1 "It does not compile"
expect 2 "Which lab?" env BUILD=build/test/none ./grader --watch
