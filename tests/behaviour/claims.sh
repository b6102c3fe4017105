#!/bin/bash
# docs/evidence/claims.md: its head says how many claims its tables have, and of which verdict; the data and the files that it names exist.
. "$(dirname "$0")/lib"

count() {
    awk -F' [|] ' '
        /^## / { listed = 0 }
        /^[|] claim [|] where [|] source [|] verdict/ { listed = 1; getline; next }
        listed && /^[|] / {
            sub(/ [|]$/, "", $NF)
            all++
            if (NF != 4) print "a row without four cells: " $0
            else if ($NF ~ /^corrected/) wrong++
            else if ($NF ~ /^reworded/) unsupported++
            else if ($NF ~ /^right/) right++
            else print "a row without a verdict: " $0
        }
        END { print all " claims checked on: " wrong " were wrong and are corrected, " unsupported " had no source and are reworded, " right " are right." }
    ' "$1"
}

faults() {
    local told counted name path
    count "$1" | sed '$d'
    counted=$(count "$1" | tail -n 1)
    told=$(sed -n 's/^[*][*]\([0-9]* claims checked on\) [0-9-]*\(: .*\)[*][*]$/\1\2/p' "$1")
    [ "$told" = "$counted" ] || echo "the head says \"$told\", the tables have \"$counted\""
    grep -oE '\b(roof|lab0[1-9]|conv|cublas|cub|ladder)\.[a-z0-9_.]*[a-z0-9]' "$1" | grep -vE '\.(h|md|cu)$' | sort -u |
        while read -r name; do
            grep -q "\"$name" docs/evidence/data/h100.json || echo "docs/evidence/data/h100.json has no $name"
        done
    grep -oE '\b(tests|docs|book|bench|sim|harness)/[A-Za-z0-9_./-]*[A-Za-z0-9]' "$1" | sort -u |
        while read -r path; do
            [ -e "$path" ] || echo "there is no $path"
        done
}

bad=0
said=$(faults docs/evidence/claims.md)
[ -z "$said" ] || { printf '%s\n' "$said"; bad=1; }

# finds ROW WORDS: with this row added, the faults name these words.
finds() {
    awk -v row="$1" '{ print } /^[|] claim [|] where/ { getline; print; if (!done++) print row }' docs/evidence/claims.md >"$scratch/claims.md"
    faults "$scratch/claims.md" | grep -q "$2" || { echo "not found: $1"; bad=1; }
}
finds '| a | b | c | right |' "the head says"
finds '| a | b | c | fine |' "without a verdict: | a"
finds '| a | b | right |' "without four cells: | a"
finds '| a | b | data roof.no_such | right |' "has no roof.no_such"
finds '| a | b | tests/no_such | right |' "there is no tests/no_such"
exit $bad
