#!/bin/bash
# ./grade: odd submissions each have a record; a run that was killed goes on where it stopped; results are valid and harmless to read.
. "$(dirname "$0")/lib"
alone grade
export BUILD=build/test
class=$scratch/class
results=$scratch/results
mkdir -p "$class"

count() { # FOLDER: how many files
    find "$1" -type f | wc -l
}
nothing_left() { # of runs that have ended; another test may have one that goes on
    left=$(find build/test/class build/test/src build/test/lab01 -name '*run[0-9]*' 2>/dev/null | while read -r path; do
        [[ $path =~ run([0-9]+) ]] && kill -0 "${BASH_REMATCH[1]}" 2>/dev/null || echo "$path"
    done)
    [ -z "$left" ] || fail "after the run these are left:" "$left"
}
valid_json() {
    type -P python3 >/dev/null || return 0
    python3 -c 'import json, sys; [json.load(open(name, encoding="utf-8")) for name in sys.argv[1:]]' "$@" || fail "no JSON: $*"
}
valid_xml() {
    if type -P xmllint >/dev/null; then
        xmllint --noout "$1" || fail "no XML: $1"
    elif type -P python3 >/dev/null; then
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1" || fail "no XML: $1"
    fi
}
# What no result may hold: C0 but for line breaks and tabs, DEL, C1, and what turns the direction of writing.
harmless() {
    ! LC_ALL=C grep -lrP '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]' "$1" ||
        fail "control characters in the results"
}

# ---- twelve odd submissions, and a right one that prints what it should not ----------------------------------------

escape=$(printf '\033[31m\302\233\342\200\256')
sed 's/^#include "lab01.h"/&\n#include <stdio.h>/' lab01_*/solution.cu >"$class/-dash first.cu"
printf 'static int shown = (printf("%s passed: 100 of 100 points\\n"), std::min(0, 1));\n' '\033[2J\302\233\342\200\256' >>"$class/-dash first.cu"
: >"$class/empty.cu"
mkfifo "$class/fifo.cu"
mkdir "$class/folder.cu" "$class/Doe Jane_12345_assignsubmission_file_" "$class/twice"
mkdir "$class/Doe Jane_12345_assignsubmission_onlinetext_" # a second one of the same person
cp lab01_*/skeleton.cu "$class/twice/a.cu"
cp lab01_*/skeleton.cu "$class/twice/b.cu"
printf 'int main( {\n' >"$class/Doe Jane_12345_assignsubmission_file_/lab01.cu"
printf '#error "%s=1+1"\n' "$escape" >"$class/=cmd|calc,\"A1\".cu"
printf 'int \0x;\n' >"$class/binary.cu"
printf '\377\376i\0n\0t\0' >"$class/utf16.cu"
ln -s /etc/passwd "$class/link.cu"
printf 'int x\n' >"$class/${escape}Zoë.cu"
printf 'int x\n' >"$class/text.txt"
printf 'name\n' >"$class/grades.csv"

expect 0 "13 of 13 graded; 1 passed; 3 do not compile; 9 not graded" ./grade lab01 "$class" -o "$results" --backend sim --seed 5
expect_not "$escape"
for folder in json reports students gradescope classroom; do
    [ "$(count "$results/$folder")" = 13 ] || fail "$folder has $(count "$results/$folder") files, not 13"
done
output=$(cat "$results/class.csv")
for text in "\"'-dash first\"" "\"'=cmd|calc,\"\"A1\"\"\"" '"Doe Jane","12345"' 'a second one of the same name' 'Zoë' 'no file but a FIFO' 'symbolic link' 'UTF-16' 'bytes of value 0' \
    'holds no file' 'holds 2 files' 'the file is empty' 'does not end in .cu'; do
    case $output in *"$text"*) ;; *) fail "class.csv lacks: $text" "$output" ;; esac
done
harmless "$results"
! grep -rq 'make: \|student\.log\|class-run' "$results/students" || fail "a student reads of what only we have"
valid_xml "$results/junit.xml"
valid_json "$results/class.json" "$results"/{json,gradescope,classroom}/*.json
! type -P python3 >/dev/null || python3 -c '
import csv, sys
rows = list(csv.reader(open(sys.argv[1], encoding="utf-8", newline="")))
assert len(rows) == 14 and all(len(row) == len(rows[0]) for row in rows), rows
assert not [field for row in rows for field in row if field[:1] in tuple("=+-@")], rows' "$results/class.csv" || fail "class.csv"
nothing_left
# A name like that of another's results.
odd=$(basename "$results"/json/*Zo*.json .json)
mkdir "$scratch/twins"
cp "$class/${escape}Zoë.cu" "$scratch/twins"
printf 'int y\n' >"$scratch/twins/$odd.cu"
expect 0 "2 of 2 graded" ./grade lab01 "$scratch/twins" -o "$scratch/twins-graded" --backend sim --seed 5
[ "$(count "$scratch/twins-graded/json")" = 2 ] || fail "one's results are the other's"
expect 2 "made with another lab" ./grade lab02 "$class" -o "$results" --backend sim

# ---- killed, and started again ------------------------------------------------------------------------------------------

many=$scratch/many
mkdir -p "$many"
for i in 1 2 3 4 5 6; do
    printf 'int x%s\n' $i >"$many/s$i.cu"
done
killed=$scratch/killed
./grade lab01 "$many" -o "$killed" --backend sim --seed 5 -j1 >/dev/null 2>&1 &
running=$!
while [ "$(find "$killed/json" -name '*.json' 2>/dev/null | wc -l)" -lt 2 ] && kill -0 $running; do
    sleep 0.02
done
kill -9 $running
wait $running 2>/dev/null
before=$(cd "$killed/json" && stat -c '%n %i %y' -- *.json)
[ "$(printf '%s\n' "$before" | wc -l)" -lt 6 ] || fail "it was done before it was killed"
expect 0 "6 of 6 graded; 6 do not compile" ./grade lab01 "$many" -o "$killed" --backend sim --seed 5
after=$(cd "$killed/json" && stat -c '%n %i %y' -- *.json)
! printf '%s\n' "$before" | grep -qvxF "$after" || fail "graded twice:" "$before" "$after"
nothing_left
# What has changed is graded again, and nothing else.
printf 'int y\n' >"$many/s3.cu"
expect 0 "1 of 1 graded" ./grade lab01 "$many" -o "$killed" --backend sim --seed 5

# ---- settings -----------------------------------------------------------------------------------------------------------------

printf 'late_percent = 10\nlate_file = %s\nstudent_sees = score\n' "$scratch/days.csv" >"$scratch/settings"
printf -- '-dash first,3\n' >"$scratch/days.csv"
expect 0 "13 of 13 graded" ./grade lab01 "$class" -o "$results" --backend sim --settings "$scratch/settings"
grep -q "^\"'-dash first\",\"\",\"'-dash first.cu\",\"passed\",70,100,0,100,3," "$results/class.csv" || fail "3 days late" "$(cat "$results/class.csv")"
! grep -rq 'sums\|copies' "$results/students" || fail "students see more than their score"
printf 'late_percnt = 10\n' >"$scratch/settings"
expect 2 'settings:1: there is no setting "late_percnt"' ./grade lab01 "$class" -o "$results" --backend sim --settings "$scratch/settings"
expect 2 "there is no lab77" ./grade lab77 "$class"
expect 2 "expected a lab and a folder" ./grade lab01

# ---- files that are alike: names, numbers and comments hide nothing, and the skeleton does not count --------------------------------

alike=$scratch/alike
mkdir -p "$alike"
sed '1i #error' lab01_*/solution.cu >"$alike/first.cu" # none compiles, which is quick
sed '1i #error\n// mine
s/stride/step/g; s/partial/parts/g; s/[^:]\/\/.*//' lab01_*/solution.cu >"$alike/renamed.cu"
sed '1i #error' lab01_*/skeleton.cu >"$alike/skeleton.cu"
sed '1i #error\n' lab01_*/skeleton.cu >"$alike/skeleton too.cu"
expect 0 "alike: 1 pair" ./grade lab01 "$alike" -o "$scratch/likeness" --backend sim
grep -q '^100 %  first:[0-9]*, renamed:' "$scratch/likeness/similar.txt" || fail "similar.txt" "$(cat "$scratch/likeness/similar.txt")"

short_ends_here

# ---- builds that fail, or need no second grading ----------------------------------------------------------------------------

# A build that fails for want of something: another thing than a file that does not compile.
mkdir "$scratch/one" "$scratch/path"
printf 'int x\n' >"$scratch/one/s.cu"
cp lab01_*/solution.cu "$scratch/one/right.cu"
(ulimit -v 80000 && expect 3 "2 of 2 graded; 2 not graded" ./grade lab01 "$scratch/one" -o "$scratch/unbuilt" --backend sim) || exit 1
grep -q '"right.cu","not graded".*not even the skeleton' "$scratch/unbuilt/class.csv" || fail "the reason" "$(cat "$scratch/unbuilt/class.csv")"
rm "$scratch/one/right.cu"
# Without ptxas no speed is judged, and a second grading would say the same: there is one build, and so one grading.
mkdir "$scratch/rough" "$scratch/counted"
cp lab01_*/solution.cu "$scratch/rough/right.cu"
printf '#!/bin/sh\ncase $SRC in *right.cu) echo >>"%s" ;; esac\nexec %s "$@"\n' "$PWD/$scratch/builds" "$(type -P make)" >"$scratch/counted/make"
chmod +x "$scratch/counted/make"
LABS_SIM_PTXAS='' PATH=$PWD/$scratch/counted:$PATH expect 3 "1 inconclusive" ./grade lab01 "$scratch/rough" -o "$scratch/roughly" --backend sim
[ "$(wc -l <"$scratch/builds")" = 1 ] || fail "without ptxas: builds of one file" "$(wc -l <"$scratch/builds")"
# One that fails once, beside others.
# shellcheck disable=SC2016 # of the program that is written
printf '#!/bin/sh\n[ -e "$0.failed" ] && exec %s "$@"\n: >"$0.failed"\nexit 1\n' "$(type -P mktemp)" >"$scratch/path/mktemp"
chmod +x "$scratch/path/mktemp"
PATH=$PWD/$scratch/path:$PATH expect 0 "1 of 1 graded; 1 does not compile" ./grade lab01 "$scratch/one" -o "$scratch/once" --backend sim
grep -q '"s.cu","does not compile".*semicolon' "$scratch/once/class.csv" || fail "the reason" "$(cat "$scratch/once/class.csv")"
BUILD=$PWD/$BUILD expect 0 "1 of 1 graded; 1 does not compile" ./grade lab01 "$scratch/one" -o "$scratch/built" --backend sim
grep -q '"s.cu","does not compile".*semicolon' "$scratch/built/class.csv" || fail "the reason" "$(cat "$scratch/built/class.csv")"
if unshare --user --map-root-user --mount true 2>/dev/null; then # a disk, of memory, with room for the file and for nothing that the compiler writes
    cp -a "$BUILD/class" "$scratch/program"
    # shellcheck disable=SC2016 # of the inner shell
    expect 3 "not even the skeleton" unshare --user --map-root-user --mount sh -c \
        'mount -t tmpfs -o size=8m disk "$BUILD/class" && cp -a "$1/program/." "$BUILD/class" && head -c $(($(stat -fc "%a * %S" "$BUILD/class") - 40000)) /dev/zero >"$BUILD/class/fill" && ./grade lab01 "$1/one" -o "$1/full" --backend sim' - "$scratch"
fi

# ---- exports, packed ---------------------------------------------------------------------------------------------------------

if type -P zip >/dev/null && type -P unzip >/dev/null; then
    packed=$scratch/packed
    mkdir -p "$packed/assignment_1_export/submission_5" "$packed/assignment_1_export/submission_6"
    printf 'int x\n' | tee "$packed"/assignment_1_export/submission_{5,6}/lab01.cu >/dev/null
    printf '%s\n' --- submission_5: '  :submitters:' '  - :name: Zoë Doe' "    :sid: '123'" submission_6: '  :submitters:' '  - :name: Ada' \
        >"$packed/assignment_1_export/submission_metadata.yml"
    (cd "$packed" && zip -qr ../gradescope.zip assignment_1_export)
    expect 0 "2 of 2 graded; 2 do not compile" ./grade lab01 "$scratch/gradescope.zip" -o "$scratch/gradescope" --backend sim
    grep -q '^"Zoë Doe","123","submission_5"' "$scratch/gradescope/class.csv" || fail "names of Gradescope" "$(cat "$scratch/gradescope/class.csv")"
    mkdir "$packed/canvas"
    printf 'int x\n' | tee "$packed/canvas/doejane_LATE_12_34_lab01-1.cu" "$packed/canvas/doejohn_13_35_lab01.cu" >/dev/null
    (cd "$packed/canvas" && zip -qr ../../canvas.zip .)
    expect 0 "2 of 2 graded; 2 do not compile" ./grade lab01 "$scratch/canvas.zip" -o "$scratch/canvas" --backend sim
    grep -q '^"doejane","12",' "$scratch/canvas/class.csv" || fail "names of Canvas" "$(cat "$scratch/canvas/class.csv")"
    head -c 100000000 /dev/zero >"$scratch/zeros.cu" && (cd "$scratch" && zip -q bomb.zip zeros.cu)
    expect 2 "holds more than 64 MiB + 100 times its own size" ./grade lab01 "$scratch/bomb.zip" -o "$scratch/bomb" --backend sim
    [ -z "$(find "$scratch/bomb" build/test/class -name zeros.cu)" ] || fail "a bomb is left unpacked"
    rm "$scratch/zeros.cu"
    expect 2 "install unzip" env PATH="$scratch" LABS_ROOT="$PWD" \
        build/test/class/grade lab01 "$scratch/canvas.zip" -o "$scratch/canvas" --backend sim
fi
