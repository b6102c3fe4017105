#!/bin/bash
# tests/check lists: in a copy of the documents and of the names of all files, it finds what is wrong in a list.
# shellcheck disable=SC2016 # the quotes of Markdown
. "$(dirname "$0")/lib"

find . \( -path ./build -o -path './toolkit*' -o -path ./.git \) -prune -o -type f -print >"$scratch/files"
mkdir "$scratch/tree"
(cd "$scratch/tree" && sed 's|/[^/]*$||' ../files | sort -u | xargs mkdir -p && xargs touch <../files)
grep -E '\.md$|^\./Makefile$|^\./tests/mistakes/.*\.txt$' "$scratch/files" | tar -c -T - | tar -x -C "$scratch/tree"
expect 0 "" tests/check lists "$scratch/tree"

# finds TEXT FILE COMMAND...: after the command in the copy, TEXT is said; then FILE is as it was.
finds() {
    local text=$1 file=$2
    shift 2
    (cd "$scratch/tree" && "$@")
    expect 1 "$text" tests/check lists "$scratch/tree"
    cp "$file" "$scratch/tree/$file"
}
finds "sim/README.md: no table names origin" sim/README.md sed -i '/^| \[origin\]/d' sim/README.md
finds "harness/README.md: no table names cause" harness/README.md sed -i '/^| `cause` |/d' harness/README.md
finds "README.md: no table names calculators" README.md sed -i '/^| \[calculators\]/d' README.md
finds "mk/README.md: no table names lint" mk/README.md sed -i '/^| `lint`/d' mk/README.md
finds "sim/hazard/README.md: no table names hazard_cell" sim/hazard/README.md sed -i '/^| hazard_cell.c/d' sim/hazard/README.md
finds "sim/core/README.md: a table names gone.h, which is not there" sim/core/README.md sed -i 's/^| types.h/&, gone.h/' sim/core/README.md
finds "tests/mistakes/README.md: no row | freshc | 39 |" tests/mistakes/README.md sed -i 's/^| freshc | 39/| freshc | 46/' tests/mistakes/README.md
finds "docs/setup.md: make no-such: there is no such target" docs/setup.md sed -i '$a Run `make lab03 SOLUTION=1 && make no-such`.' docs/setup.md
finds "README.md: make lab33: there is no such target" README.md sed -i 's/^    .*make lab01 .*/&\n\n    make lab33   builds it/; $a \\n    make lab33   builds it' README.md
finds "CONTRIBUTING.md: there is no tests/no_such" CONTRIBUTING.md sed -i '$a \\n    tests/no_such unit/   runs it' CONTRIBUTING.md
finds "CONTRIBUTING.md: tests/check no_such: there is no such check" CONTRIBUTING.md sed -i '$a `tests/check no_such`' CONTRIBUTING.md
finds "Makefile: more than 150 lines" Makefile sed -i '1s/.*/&\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n/' Makefile
mkdir "$scratch/tree/sim/new_layer"
expect 1 "sim/README.md: no table names new_layer" tests/check lists "$scratch/tree"
rmdir "$scratch/tree/sim/new_layer"
mkdir "$scratch/tree/tests/mistakes/freshz"
touch "$scratch/tree/tests/mistakes/freshz/lab01.txt"
expect 1 "no row | freshz | 0 |" tests/check lists "$scratch/tree"
