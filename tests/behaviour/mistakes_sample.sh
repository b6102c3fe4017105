#!/bin/bash
# tests/mistakes/run --sample: the same seed draws the same mistakes, without one the commit draws, and the floor decides.
. "$(dirname "$0")/lib"

# A corpus of its own, of 20 mistakes in one lab, with reports as if they had been graded.
mkdir -p "$scratch/tests" "$scratch/lab01_twenty"
cp tests/apply "$scratch/tests"
mkdir -p "$scratch/tests/mistakes/set"
cp tests/mistakes/{run,entry,verdict,blame,words,kinds} "$scratch/tests/mistakes"
for i in {1..20}; do
    echo "a[$i] = right;" >>"$scratch/lab01_twenty/solution.cu"
    printf '%s\n' '' "=== number_$i" 'kind: index' "line: a[$i] = wrong" 'says: %outside' '' \
        "-a[$i] = right;" "+a[$i] = wrong;" >>"$scratch/tests/mistakes/set/lab01.txt"
done
# report NUMBER TEXT: what is said of this mistake.
report() {
    local folder
    folder=$scratch/build/mistakes/programs/lab01-$(printf 'set/lab01/number_%s' "$1" | cksum | cut -d' ' -f1)
    mkdir -p "$folder"
    echo '1 0.5' >"$folder/graded"
    printf '%s\n' 'First failure: (a) copy, one element' "$2 at student.cu:$1" >"$folder/report"
}
for i in {1..19}; do
    report "$i" 'access out of bounds'
done
report 20 'race'

run=$scratch/tests/mistakes/run
expect 0 'seed 7: 5 of 20 drawn' "$run" -n --sample 5 --seed 7
cp "$scratch/build/mistakes/drawn" "$scratch/first"
expect 0 '5 made' "$run" -n --sample 5 --seed 7
cmp "$scratch/first" "$scratch/build/mistakes/drawn" || fail "the same seed drew others"
expect 0 'seed 8: 5 of 20 drawn' "$run" -n --sample 5 --seed 8
! cmp -s "$scratch/first" "$scratch/build/mistakes/drawn" || fail "another seed drew the same"

if commit=$(git rev-parse --short=7 HEAD 2>/dev/null); then
    expect 0 "seed $((16#$commit)): 5 of 20 drawn" "$run" -n --sample 5
fi

expect 0 '19 of 20 mistakes named rightly, cause and line: 95 % (at least 93 %)' "$run" -r --sample 20
expect 1 '19 of 20 mistakes named rightly, cause and line: 95 %' "$run" -r
report 19 'race'
expect 1 '18 of 20 mistakes named rightly, cause and line: 90 % (at least 93 %)' "$run" -r --sample 20
expect 2 'expected --sample N' "$run" --sample many
