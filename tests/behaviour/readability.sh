#!/bin/bash
# tests/readability counts what it says; no lab's main text is longer than 2,500 words, uses a term before it is defined, or has
# a habit of tests/english.txt.
. "$(dirname "$0")/lib"
# Six words in two sentences with eight syllables; a list item of two words; four words that are folded away.
cat >"$scratch/text.md" <<'TEXT'
# A heading does not count

A kernel runs. It is
made `here`<!--not here-->.

    a drawing

![A picture of it](pictures/it.svg)

| a | table |
|---|---|

- See [below](elsewhere.md)

<details><summary>Why two?</summary>

```c
code
```

Because so.

</details>

[kernel]: ../book/glossary.md#kernel
TEXT
row=$(awk -v lab=01 -v undefined=2 -v patterns=3 -f tests/readability.awk "$scratch/text.md")
# 9 words in 3 sentences, with 11 syllables: 206.835 - 3.045 - 103.4.
[ "$row" = "| 01 | 9 | 4 | 3.0 | 100 | 2 | 3 |" ] || fail "counted: $row"
for counted in strength=1 tiles=1 tile=1 memory=3 cache=1 caches=2 synchronize=3 started=2 reached=1 reduction=3 simple=2 128=1; do
    printf '%s\n' "${counted%=*}" >"$scratch/text.md"
    row=$(awk -v lab=01 -f tests/readability.awk "$scratch/text.md")
    expected=$(awk -v n="${counted#*=}" 'BEGIN { printf "| 01 | 1 | 0 | 1.0 | %.0f | 0 | 0 |", 206.835 - 1.015 - 84.6 * n }')
    [ "$row" = "$expected" ] || fail "$counted: $row, expected $expected"
done

tests/readability >"$scratch/table" || fail "exit status $?"
[ "$(wc -l <"$scratch/table")" = $(($(ls -d lab[0-9][0-9]_* | wc -l) + 2)) ] || fail "a lab is missing:" "$(cat "$scratch/table")"
awk -F'|' 'NR > 2 && ($3 > 2500 || $7 > 0 || $8 > 0) { print; bad = 1 } END { exit bad }' "$scratch/table" ||
    fail "| lab | words, at most 2500 | folded | per sentence | Flesch | undefined | patterns | of the labs above"
