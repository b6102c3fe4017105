#!/bin/bash
# make handout: the students' tree has no solutions, and what it tells them to do works. make gradescope: an autograder made of it.
. "$(dirname "$0")/lib"
git rev-parse --show-prefix >/dev/null 2>&1 || { echo "this is no clone of the repository" && exit 77; }
export BUILD=build/test
tree=$scratch/tree

expect 0 "$tree" make -s handout HANDOUT="$tree"
expect 2 "is there already" make -s handout HANDOUT="$tree"
found=$(cd "$tree" && find . -name 'solution*' -o -name steps -o -name bugs -o -name tests -o -name class)
[ -z "$found" ] || fail "the students' tree holds:" "$found"
# Nothing that a lab's solution says inside its TODO regions stands in a file of that lab.
for lab in lab[0-9][0-9]_*; do
    line=$(comm -23 <(sort -u "$lab/solution.cu") <(sort -u "$lab/skeleton.cu") | awk 'length > longest { longest = length; text = $0 } END { print text }')
    ! grep -rqF -- "$line" "$tree/$lab" || fail "$tree/$lab holds a line of the solution: $line"
done
output=$(cat "$tree/README.md" "$tree"/lab*/README.md "$tree"/book/*.md)
expect_not "SOLUTION=1"
expect_not "make test"
for text in "$tree"/README.md "$tree"/lab*/README.md "$tree"/docs/*.md; do
    grep -o '](\([^) #]*\)' "$text" | cut -c 3- | grep -v '^[a-z]*:' | sort -u | while read -r target; do
        [ -z "$target" ] || [ -e "$(dirname "$text")/$target" ] || echo "$text: $target"
    done
done >"$scratch/dead"
[ ! -s "$scratch/dead" ] || fail "links that lead nowhere:" "$(cat "$scratch/dead")"
expect 2 "There is no solution of lab03 here" env BUILD=build make -s -C "$tree" lab03 SOLUTION=1
expect 0 "labNN" env BUILD=build make -s -C "$tree" help
expect_not "make solutions"
expect 0 "" env BUILD=build make -s -C "$tree" -n lab01 lab09 play03 occupancy05

type -P zip >/dev/null && type -P unzip >/dev/null || exit 0
expect 2 "which lab?" make -s gradescope
expect 0 "gradescope-lab01.zip" make -s gradescope LAB=lab01
mkdir -p "$scratch/autograder/source" "$scratch/autograder/submission"
unzip -q build/test/gradescope-lab01.zip -d "$scratch/autograder/source"
[ -x "$scratch/autograder/source/setup.sh" ] || fail "no setup.sh"

short_ends_here

expect 1 "TODO 1" env BUILD=build "$tree/grader" lab01
expect 0 "" env BUILD=build "$tree/grader" lab01 --hint
cp lab01_*/solution.cu "$scratch/autograder/submission/mine.cu"
cp -a "$tree/build" "$scratch/autograder/source/labs/" # of the same files: once is enough
expect 0 "1 passed" env BUILD=build AUTOGRADER="$PWD/$scratch/autograder" "$scratch/autograder/source/run_autograder"
grep -q '"score": 100' "$scratch/autograder/results/results.json" || fail "results.json" "$(cat "$scratch/autograder/results/results.json")"
