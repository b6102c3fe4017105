#!/bin/bash
# tests/check lists: in a copy of the documents and of the names of all files, it finds what is wrong in a list.
# shellcheck disable=SC2016 # the quotes of Markdown
. "$(dirname "$0")/lib"

find . \( -path ./build -o -path './toolkit*' -o -path ./.git \) -prune -o -type f -print >"$scratch/files"
mkdir "$scratch/tree"
(cd "$scratch/tree" && sed 's|/[^/]*$||' ../files | sort -u | xargs mkdir -p && xargs touch <../files)
grep -E '\.md$|^\./Makefile$|^\./tests/mistakes/.*\.txt$' "$scratch/files" | tar -c -T - | tar -x -C "$scratch/tree"
expect 0 "" tests/check lists "$scratch/tree"

# finds TEXT COMMAND...: after the command in the copy, TEXT is to be said. All of them are there at once: a run takes most of a second.
texts=()
finds() {
    texts+=("$1")
    (cd "$scratch/tree" && "${@:2}")
}
finds "sim/README.md: no table names origin" sed -i '/^| \[origin\]/d' sim/README.md
finds "harness/README.md: no table names cause" sed -i '/^| `cause` |/d' harness/README.md
finds "README.md: no table names calculators" sed -i '/^| \[calculators\]/d' README.md
finds "mk/README.md: no table names lint" sed -i '/^| `lint`/d' mk/README.md
finds "sim/hazard/README.md: no table names hazard_cell" sed -i '/^| hazard_cell.c/d' sim/hazard/README.md
finds "sim/core/README.md: a table names gone.h, which is not there" sed -i 's/^| types.h/&, gone.h/' sim/core/README.md
finds "tests/mistakes/README.md: no row | freshc | 34 |" sed -i 's/^| freshc | 34/| freshc | 46/' tests/mistakes/README.md
finds "docs/setup.md: make no-such: there is no such target" sed -i '$a Run `make lab03 SOLUTION=1 && make no-such`.' docs/setup.md
finds "README.md: make lab33: there is no such target" sed -i 's/^    .*make lab01 .*/&\n\n    make lab33   builds it/; $a \\n    make lab33   builds it' README.md
finds "CONTRIBUTING.md: there is no tests/no_such" sed -i '$a \\n    tests/no_such unit/   runs it' CONTRIBUTING.md
finds "CONTRIBUTING.md: tests/check no_such: there is no such check" sed -i '$a `tests/check no_such`' CONTRIBUTING.md
finds "Makefile: more than 150 lines" sed -i '1s/.*/&\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n/' Makefile
finds "sim/README.md: no table names new_layer" mkdir sim/new_layer
mkdir "$scratch/tree/tests/mistakes/freshz"
finds "no row | freshz | 0 |" touch tests/mistakes/freshz/lab01.txt
expect 1 "" tests/check lists "$scratch/tree"
for text in "${texts[@]}"; do
    contains "$text" || fail "the output does not contain: $text" "It is:" "$output"
done
