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
bad=0
found() {
    prose "$1" | grep -nEi -f "$scratch/patterns" | sed "s|^|$1:|"
}
for file in README.md lab[0-9][0-9]_*/*.md book/*.md calculators/README.md docs/grading.md docs/setup.md docs/instructors.md docs/data/README.md; do
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
TEXT
while read -r line; do
    printf '%s\n' "$line" >"$scratch/text.md"
    [ -z "$(found "$scratch/text.md")" ] || { echo "found, but right: $line"; bad=1; }
done <<'TEXT'
It uses 32 registers per thread; `registers a thread` is code, tests/behaviour/x.sh a path.
Two threads of a block wait; one of yours does not.
Again each block loads a tile.
TEXT
exit $bad
