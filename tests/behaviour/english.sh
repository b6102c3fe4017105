#!/bin/bash
# The texts that students read have none of the habits in tests/english.txt; each of these is found where it is put in.
cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
grep -v '^#' tests/english.txt | sed 's/ => .*//' >"$scratch/patterns"

# Prose only: no code blocks, no code in quotes, no paths, no addresses, no comments.
prose() {
    awk '/^ *```/ { fenced = !fenced; print ""; next }
        fenced || /^    / { print ""; next }
        { gsub(/`[^`]*`/, "X"); gsub(/<!--[^>]*-->/, ""); gsub(/\]\([^)]*\)/, "]"); gsub(/https?:[^ >)]*/, "X")
          gsub(/[A-Za-z0-9_.]*\/[A-Za-z0-9_.\/]*/, "X"); print }' "$1"
}
# The comments of C and CUDA; of a grader, what it says: its strings.
comments() {
    awk '{ text = ""; rest = $0
           while (rest != "") {
               if (inside) {
                   at = index(rest, "*/")
                   text = text " " (at ? substr(rest, 1, at - 1) : rest)
                   rest = at ? substr(rest, at + 2) : ""
                   inside = !at
               } else if (!match(rest, /\/[\/*]/)) rest = ""
               else if (substr(rest, RSTART, 2) == "/*") { inside = 1; rest = substr(rest, RSTART + 2) }
               else { text = text " " substr(rest, RSTART + 2); rest = "" }
           }
           print text }' "$1"
}
strings() {
    awk '{ text = ""; rest = $0
           while (match(rest, /"[^"]*"/)) { text = text " | " substr(rest, RSTART + 1, RLENGTH - 2); rest = substr(rest, RSTART + RLENGTH) }
           print text }' "$1"
}
bad=0
found() {
    case $1 in
    *.md) prose "$1" ;;
    */grader.c) strings "$1" ;;
    *.cu | *.h) comments "$1" ;;
    *) cat "$1" ;;
    esac | grep -nEi -f "$scratch/patterns" | sed "s|^|$1:|"
}
if [ $# -gt 0 ]; then # only these texts, for tests/readability
    for file; do
        found "$file"
    done
    exit 0
fi
for file in README.md lab[0-9][0-9]_*/*.md book/*.md calculators/README.md docs/grading.md docs/setup.md docs/instructors.md docs/evidence/data/README.md \
    lab[0-9][0-9]_*/*.{cu,h} lab[0-9][0-9]_*/steps/*.cu lab[0-9][0-9]_*/hints.txt lab[0-9][0-9]_*/grader.c book/*.cu common/*.h; do
    said=$(found "$file")
    [ -z "$said" ] || { printf '%s\n' "$said" "tests/english.txt says what to write instead."; bad=1; }
done

# What they must find, and what not.
while read -r line; do
    printf '%s\n' "$line" >"$scratch/text.md"
    [ -n "$(found "$scratch/text.md")" ] || { echo "not found: $line"; bad=1; }
done <<'TEXT'
It uses 32 registers a thread.
Four sectors a load, and one program; loads a request are few.
He writes Y in the place of X.
A value that nobody has written.
Both tasks of yours fail.
The test belongs into this folder.
There is a most for blocks.
The first argument that is none.
It holds 1 bytes.
These threads synchronise.
Its neighbour is idle.
The behaviour of a warp.
It waits for ever, or 5 per cent of the time.
Two blocks fit an SM.
All three steps are done in one piece.
The copies run one behind the other.
All threads call it, also those without an element.
The barrier must stand behind the braces.
Nothing may be read behind the end.
Lab 05 by the clock.
The sum stands in the first element.
This costs more than one would think.
TEXT
while read -r line; do
    printf '%s\n' "$line" >"$scratch/text.md"
    [ -z "$(found "$scratch/text.md")" ] || { echo "found, but right: $line"; bad=1; }
done <<'TEXT'
It uses 32 registers per thread; `registers a thread` is code, tests/behaviour/x.sh a path.
Two threads of a block wait; one of yours does not.
Two blocks fit on an SM; it stands for a sum.
How many instructions a tile takes, and how many threads an SM should hold.
Again each block loads a tile.
TEXT
printf '%s\n' 'int wait; /* a comment' ' * of two lines, for ever */ int i; // and per cent' >"$scratch/text.cu"
[ "$(found "$scratch/text.cu" | wc -l)" = 1 ] || { echo "comments are not read as they should"; bad=1; }
printf '%s\n' '/* for ever */ .advice = "It waits"' '"for ever.",' >"$scratch/grader.c"
[ "$(found "$scratch/grader.c" | grep -c ':2:')" = 1 ] || { echo "a grader's words are not read as they should"; bad=1; }
exit $bad
