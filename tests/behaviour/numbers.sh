#!/bin/bash
# book/tools/numbers: measured numbers in texts are those of docs/evidence/data; a typed one, a changed one and an unknown name are found.
. "$(dirname "$0")/lib"
# says TEXT WORDS: checking a file with this text fails, and says so. WORDS empty: it passes.
says() {
    printf '%s\n' "$1" >"$scratch/text.md"
    local said
    if said=$(book/tools/numbers check "$scratch/text.md" 2>&1); then
        [ -z "$2" ] || fail "not found: $1"
    else
        [ -n "$2" ] || fail "$said"
        case $said in *"$2"*) ;; *) fail "it does not say: $2" "but: $said" ;; esac
    fi
}
copy=$(sed -n 's/.*"roof.copy_gbs": \([0-9.]*\).*/\1/p' docs/evidence/data/h100.json)
says "It copies 17 GB/s." "a measured number without its origin"
says "It copies 17 GB/s<!--h100 roof.copy_gbs-->." "says 17, measured is"
says "It copies 17 GB/s<!--h100 roof.no_such-->." "docs/evidence/data/h100.json has no roof.no_such"
says "It copies 17 GB/s<!--h100 roof.copy_gbs + -->" "stand between names"
says "It copies fast<!--h100 roof.copy_gbs-->." "no number stands before this mark"
says $'<!--origin: guess-->\nIt copies 17 GB/s.' "an origin is: author"
says $'<!--origin: author-->\nIt copies 17 GB/s.\n\nAnd 18 GB/s.' "And 18 GB/s"
says $'| step | ms |\n|---|---|\n| 05 | 0.714 |' "a measured number without its origin"
says $'| step | ms | GB/s |\n|---|---|---|\n| 05 | 0.001 <!--h100 roof: copy_gbs copy_gbs copy_gbs--> |' "fewer cells"
says $'<!--origin: author-->\nIt copies 17 GB/s,\nor 18 GB/s.' ""
says "128 threads, 64 KB, 2^20 elements, 5 steps." ""

cat >"$scratch/text.md" <<'TEXT'
A copy: 1 GB/s<!--h100 roof.copy_gbs-->, or 0.0 TB/s<!--h100 roof.copy_gbs / 1000-->.

| roof | GB/s | |
|---|---|---|
| copy | **1,000** | 7 <!--h100 roof: copy_gbs --> |
TEXT
book/tools/numbers put "$scratch/text.md" >"$scratch/out" || fail "put failed" "$(cat "$scratch/out")"
grep -q "A copy: $(printf %.0f "$copy")" "$scratch/text.md" || fail "the number was not put in" "$(cat "$scratch/text.md")"
book/tools/numbers check "$scratch/text.md" || fail "what was put in is not right"
[ -z "$(book/tools/numbers put "$scratch/text.md")" ] || fail "a second time it changes something"

# And the texts themselves.
book/tools/numbers check || fail "a text has other numbers than docs/evidence/data, or numbers from nowhere"
