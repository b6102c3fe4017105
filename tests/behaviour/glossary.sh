#!/bin/bash
# book/tools/glossary: every term is defined or linked where a text first uses it, links lead somewhere, the glossary is in order,
# and book/index.md is what the texts have; and each of these is found where it is not so.
. "$(dirname "$0")/lib"
course=$scratch/course

# A course of two labs and two chapters, with all that book/tools/glossary puts into it.
new_course() {
    rm -rf "$course"
    mkdir -p "$course"/lab01_one "$course"/lab02_two "$course"/book
    cat >"$course/README.md" <<'TEXT'
# A course with warps

Its [warps] are in the [glossary](book/glossary.md).

| lab | teaches |
|---|---|
| 01 | warps, fences, bank conflicts |
TEXT
    cat >"$course/lab01_one/README.md" <<'TEXT'
# Lab 01: warps and fences

Threads come in **warps**; a warp's lanes are 32. Code is not read: `fence`.

    a drawing with a fence

## 1. Banks, by hand

A **bank** is a column.
TEXT
    cat >"$course/lab01_one/appendix.md" <<'TEXT'
# Appendix

## 1. More

Here is a **fence**<!--no term: bank conflict-->. A bank conflict is something else here.
TEXT
    cat >"$course/lab02_two/README.md" <<'TEXT'
# Lab 02

Call `cudaMalloc` for a warp; a [fence], and another fence.

## 1. Both
<!--index: an idea-->

There are two **bank
conflicts**, and each bank conflict costs.
TEXT
    cat >"$course/book/README.md" <<'TEXT'
| chapter | after lab | what |
|---|---|---|
| [early.md](early.md) | 01 | warps |
| [late.md](late.md) | 02 | bank conflicts |
TEXT
    printf '# Early\n\nWarps have [bank conflicts].\n' >"$course/book/early.md"
    printf '# Late\n\nWarps have bank conflicts.\n' >"$course/book/late.md"
    cat >"$course/book/glossary.md" <<'TEXT'
# Glossary

- <a id="bank"></a>**bank**: A column. <!--taught-->
- <a id="bank-conflict"></a>**bank conflict**<!--also: conflict-->: A wait. <!--taught-->
- <a id="fence"></a>**fence**: An order. <!--taught-->
- <a id="line"></a>**line**<!--unchecked; in: ../lab01_one/README.md#1-banks-by-hand-->: 128 bytes. <!--taught-->
- <a id="warp"></a>**warp**: 32 threads. <!--taught-->
TEXT
    book/tools/glossary put "$course" >/dev/null || fail "put: exit status $?"
}
# says WORDS: the course has this fault, and nothing else is said. WORDS empty: it has none.
says() {
    local said status
    said=$(book/tools/glossary check "$course" 2>&1)
    status=$?
    if [ -z "$1" ]; then
        [ $status = 0 ] || fail "nothing is wrong, but it says:" "$said"
    else
        [ $status = 1 ] || fail "exit status $status, expected 1 and: $1"
        case $said in *"$1"*) ;; *) fail "it does not say: $1" "but: $said" ;; esac
        [ "$(wc -l <<<"$said")" = "${2:-1}" ] || fail "it says more than: $1" "$said"
    fi
}
# edit FILE SED: one change in a new course, with what put then writes.
edit() {
    new_course
    sed -i "$2" "$course/$1"
    book/tools/glossary put "$course" >/dev/null
}

new_course
says ""
# shellcheck disable=SC2016 # the quotes of Markdown
for wanted in 'lab02_two/README.md|[fence]: ../book/glossary.md#fence' 'README.md|[warps]: book/glossary.md#warp' \
    'book/early.md|[bank conflicts]: glossary.md#bank-conflict' \
    'book/glossary.md|A wait. <!--taught-->[lab 02 §1](../lab02_two/README.md#1-both)' \
    'book/glossary.md|128 bytes. <!--taught-->[lab 01 §1](../lab01_one/README.md#1-banks-by-hand)' \
    'book/index.md|- an idea: [lab 02 §1](../lab02_two/README.md#1-both)' \
    'book/index.md|- `cudaMalloc`: [lab 02](../lab02_two/README.md)' \
    'book/index.md|- [fence](glossary.md#fence): [lab 01, appendix §1](../lab01_one/appendix.md#1-more)'; do
    grep -qF -- "${wanted#*|}" "$course/${wanted%%|*}" || fail "${wanted%%|*} lacks ${wanted#*|}" "$(cat "$course/${wanted%%|*}")"
done
[ -z "$(book/tools/glossary put "$course")" ] || fail "a second time it changes something"

# A term before its definition, in each kind of text; what only an appendix defines is not known to the next lab.
edit lab01_one/README.md 's/a warp.s lanes/a warp has banks; its lanes/'
says 'lab01_one/README.md:3: "banks" before it is defined'
edit lab01_one/README.md 's/^Threads come in/Conflicts of warps. Threads come in/'
says 'lab01_one/README.md:3: "Conflicts" before it is defined' 2
edit lab02_two/README.md 's/a \[fence\], and/a fence, and/'
says 'lab02_two/README.md:3: "fence" before it is defined'
edit lab02_two/README.md 's/for a warp;/for a conflict of warps;/'
says 'lab02_two/README.md:3: "conflict" before it is defined'
edit book/early.md 's/\[bank conflicts\]/bank conflicts/'
says 'book/early.md:3: "bank conflicts" before it is defined'
edit README.md 's/\[warps\]/warps/'
says 'README.md:3: "warps" before it is defined'
edit README.md 's/Its \[warps\] are in the.*/Its [warps] and more:/'
says 'README.md:7: "fences" before it is defined' 2
edit lab01_one/appendix.md 's/<!--no term[^>]*>//'
says 'lab01_one/appendix.md:5: "bank conflict" before it is defined'
[ "$(book/tools/glossary terms "$course" | grep appendix)" = "lab01_one/appendix.md 1bank conflict" ] ||
    fail "terms: $(book/tools/glossary terms "$course")"

# A definition is the term alone in bold.
edit lab01_one/README.md 's/\*\*warps\*\*/**many warps**/'
says 'lab01_one/README.md:3: "warps" before it is defined' 5

# Entries out of order, twice, malformed; a term that no text defines.
edit book/glossary.md '/id="fence"/{h;d};/id="line"/{G}'
says 'book/glossary.md:6: "fence" must come before "line"'
edit book/glossary.md '/id="fence"/p'
says 'two entries have the id fence'
edit book/glossary.md 's/^- <a id="fence"><.a>/- /'
says 'expected - <a id="term"></a>**term**: Sentence.' 2
edit lab01_one/appendix.md 's/\*\*fence\*\*/[fence]/'
says 'no text defines "fence"'

# Links that lead nowhere: of the glossary, of a text to the glossary, of a text to another; and one to the wrong term.
edit book/glossary.md 's/#1-banks-by-hand/#1-banks-by-foot/'
says 'book/glossary.md:6: the link to lab01_one/README.md#1-banks-by-foot leads nowhere'
edit lab02_two/README.md 's/^Call/See [this](..\/book\/glossary.md#warmth). Call/'
says 'the link to book/glossary.md#warmth leads nowhere'
edit book/late.md 's/^Warps/See [this](..\/lab02_two\/README.md#2-none). Warps/'
says 'book/late.md:3: the link to lab02_two/README.md#2-none leads nowhere'
edit lab02_two/README.md 's/a \[fence\]/a [fence](..\/book\/glossary.md#warp)/'
says 'its link leads elsewhere'

edit lab02_two/README.md 's/a \[fence\]/a [fense]; a [fence]/'
says 'lab02_two/README.md:3: [fense] is no term of the glossary'

# What put would change: a heading, the index.
new_course
sed -i 's/^## 1. Both/## 1. All/' "$course/lab02_two/README.md"
says 'book/glossary.md: book/tools/glossary put would change it' 3
new_course
sed -i 's/cudaMalloc/cudaFree/' "$course/lab02_two/README.md"
says 'book/index.md: book/tools/glossary put would change it'

# And the course itself.
book/tools/glossary check || fail "link or define these terms where they first occur; book/tools/glossary put does the rest"
for file in README.md book/README.md lab[0-9][0-9]_*/README.md; do
    grep -q '](.*glossary\.md)' "$file" || fail "$file does not link the glossary"
done
