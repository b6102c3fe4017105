#!/bin/bash
# docs/evidence/coverage.md: 172 topics; each place that it names is there; its totals are right. book/: the table of bandwidths.
. "$(dirname "$0")/lib"

# there PLACE: does the repository have it?
there() {
    local place=$1 folder
    case $place in
    lab[0-9][0-9]*)
        folder=$(ls -d "${place%% *}"_*) || return 1
        case $place in
        *" appendix §"*) grep -q "^## ${place##*§}\. " "$folder/appendix.md" ;;
        *" §"*) grep -q "^## ${place##*§}\. " "$folder/README.md" ;;
        *" TODO "*) grep -q "^ *// TODO ${place##* }:" "$folder/skeleton.cu" ;;
        *" step "*) compgen -G "$folder/steps/step${place##* }_*.cu" >/dev/null ;;
        *" questions") grep -q '^## .*Questions' "$folder/README.md" ;;
        *) return 1 ;;
        esac
        ;;
    *" §"*) grep -q "^## ${place##*§}\. " "${place%% *}" ;;
    book/* | docs/*) [ -s "$place" ] ;;
    *) return 1 ;;
    esac
}

for place in "lab01 §3" "lab07 step 08" "book/timing.md §2" "lab02 TODO 4"; do
    there "$place" || fail "$place is not found"
done
for none in "lab01 §99" "lab07 step 99" "lab10 §1" "lab01 TODO 99" "lab01 appendix §99" "book/none.md" "book/timing.md §99" "somewhere"; do
    ! there "$none" 2>/dev/null || fail "$none is found"
done

rows=0 whole=0 partly=0 left_out=0
while IFS='|' read -r _ number _ _ topic where _; do
    rows=$((rows + 1))
    [ "$number" -eq $rows ] || fail "row $rows has the number $number"
    where=${where# } where=${where% }
    places=${where%%left out: *} places=${places%; }
    IFS=, read -ra list <<<"$places"
    for place in "${list[@]}"; do
        place=${place# }
        there "$place" || fail "row $rows:$topic: there is no $place"
    done
    case $where in
    "left out: "?*) left_out=$((left_out + 1)) ;;
    *"; left out: "?*) partly=$((partly + 1)) ;;
    ?*) whole=$((whole + 1)) ;;
    *) fail "row $rows says nothing" ;;
    esac
done < <(grep '^| [0-9]' docs/evidence/coverage.md)
line="$rows topics: $whole in the course, $partly in part, $left_out left out, each with its reason."
[ $rows = 172 ] || fail "expected 172 topics, found $rows"
grep -qx "$line" docs/evidence/coverage.md || fail "docs/evidence/coverage.md should say: $line"

# Bus width / 8 x rate is the bandwidth, to one per cent.
awk -F'|' '/^\| [^|]*\| (GDDR|HBM)/ { rows++; if ($4 / 8 * $5 < 0.99 * $6 || $4 / 8 * $5 > 1.01 * $6) { print; bad = 1 } }
    END { exit bad || rows < 10 }' book/memories.md || fail "book/memories.md: width / 8 x rate is another bandwidth"

# Every link and path that a chapter names leads somewhere, and every chapter is in the list.
for chapter in book/*.md; do
    # shellcheck disable=SC2013 # a path has no spaces
    for path in $(grep -o '](\([^)#:]*\))' "$chapter" | sed 's/^](//; s/)$//'); do
        [ -e "book/$path" ] || fail "$chapter: the link to $path leads nowhere"
    done
    [ "$chapter" = book/README.md ] || grep -q "(${chapter#book/})" book/README.md || fail "book/README.md does not list $chapter"
    case $chapter in book/README.md | book/cheatsheets.md | book/reading.md | book/glossary.md | book/index.md) continue ;; esac
    { grep -q '^## Exercises' "$chapter" && grep -q '<details><summary>Answers' "$chapter"; } || fail "$chapter has no exercises with answers"
    questions=$(sed -n '/^## Exercises/,/<details>/p' "$chapter" | grep -c '^[0-9]*\. ')
    answers=$(sed -n '/<details>/,/<\/details>/p' "$chapter" | grep -c '^[0-9]*\. ')
    [ "$questions" = "$answers" ] || fail "$chapter: $questions exercises, $answers answers"
done
