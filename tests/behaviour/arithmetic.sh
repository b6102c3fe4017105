#!/bin/bash
# What texts calculate is right: their small programs print what the text shows, rows of additions add up, bandwidths are
# bus width times rate, limits of SMs are those of the profiles, and "lab NN §k" names a section that exists. Each kind is
# found where it is wrong.
. "$(dirname "$0")/lib"

# The programs between "cat > NAME <<'END'" and END, and what is shown behind the command that runs them.
programs() {
    awk -v folder="$scratch" '
        /^    cat > .*\.c <<.END.$/ { source = folder "/program.c"; printf "" > source; next }
        source && /^    END$/ { close(source); source = ""; waiting = 1; next }
        source { print substr($0, 5) > source; next }
        waiting && /^    cc / { waiting = 2; next }
        waiting == 2 && /^    [^ ]/ { print substr($0, 5); waiting = 0 }
    ' "$1" >"$scratch/shown"
    [ -s "$scratch/program.c" ] || return 0
    cc -O2 "$scratch/program.c" -o "$scratch/program" && "$scratch/program" >"$scratch/printed"
    cmp -s "$scratch/shown" "$scratch/printed" ||
        echo "$1: it shows \"$(cat "$scratch/shown")\", the program prints \"$(cat "$scratch/printed")\""
    rm -f "$scratch/program.c"
}

# Lab 01's table of additions: as many as there are parts, and their errors are the error that the program prints.
additions() {
    awk -F'[|]' '
        /^\| while the sum is between/ { inside = 1; next }
        inside && !/^\|/ { inside = 0 }
        inside { n = $5; e = $6; gsub(/[^0-9]/, "", n); gsub(/[^-0-9]/, "", e); number += n; error += e }
        /^    float [0-9]*, double/ { split($0, word, /[ ,]+/); wanted = word[3] - word[5] }
        END { if (number != 781250 || error != wanted) print FILENAME ": " number " additions with an error of " error ", not 781250 and " wanted }
    ' "$1"
}

bandwidths() {
    awk -F'[|]' '
        /bus, bits [|] Gbit\/s per pin [|] GB\/s/ { inside = 1; getline; next }
        inside && !/^\|/ { inside = 0 }
        inside { rows++; paper = $4 / 8 * $5; if (paper / $6 > 1.002 || paper / $6 < 0.998) print FILENAME ":" $2 "has " $6 "GB/s, " $4 "bits and " $5 "Gbit/s make " paper }
        END { if (rows < 5) print FILENAME ": its table of bandwidths was not found" }
    ' "$1"
}

sections() {
    grep -noE "\b[Ll]ab 0[1-9],? (§|section )[0-9]+" "$1" | while IFS=: read -r line words; do
        number=${words##*[!0-9]}
        lab=$(ls -d "lab$(printf %s "$words" | grep -oE '0[1-9]' | head -n 1)"_*)
        grep -q "^## $number\. " "$lab/README.md" || grep -q "^## $number\. " "$lab/appendix.md" 2>/dev/null ||
            echo "$1:$line: $words: $lab/README.md has no such section"
    done
}

# Tables with a column per compute capability, "H100 (9.0)": threads, blocks and shared memory per SM are those of the
# simulator's profiles, which a unit test compares with the toolkit's cuda_occupancy.h.
limits() {
    awk -F'[|]' '
        FNR == NR && /^#define SM_[0-9]+_[0-9]+ / {
            name = $0; sub(/^#define SM_/, "", name); sub(/ .*/, "", name); sub(/_/, ".", name)
            n = split($0, part, /[(), ]+/)
            threads[name] = part[9]; blocks[name] = part[10]; shared[name] = part[12]
        }
        FNR == NR { next }
        /^[|].*[(][0-9]+[.][0-9]+[)]/ { delete column; for (i = 2; i < NF; i++) if (match($i, /[(][0-9]+[.][0-9]+[)]/)) column[i] = substr($i, RSTART + 1, RLENGTH - 2); next }
        !/^[|]/ { delete column }
        $2 ~ /^ threads/ { compare(threads) }
        $2 ~ /^ blocks/ { compare(blocks) }
        $2 ~ /^ shared memory/ { compare(shared) }
        function compare(limit, i) {
            for (i in column) {
                rows++
                if ($i + 0 != limit[column[i]]) print FILENAME ":" $2 "is" $i "for " column[i] ", the profile has " limit[column[i]]
            }
        }
        END { if (rows < 12) print FILENAME ": its table of limits was not found" }
    ' sim/model/profile.c "$1"
}

all() {
    local file
    for file in lab[0-9][0-9]_*/*.md; do
        programs "$file"
        sections "$file"
    done
    for file in book/*.md; do
        sections "$file"
    done
    additions lab01_global_memory/appendix.md
    bandwidths book/memories.md
    limits lab03_dynamic_shared/README.md
    limits book/occupancy.md
}

bad=0
said=$(all)
[ -z "$said" ] || { printf '%s\n' "$said"; bad=1; }

# caught CHECK FILE SED: the check says something of the file after this change.
caught() {
    sed "$3" "$2" >"$scratch/changed.md"
    [ -n "$($1 "$scratch/changed.md")" ] || { echo "not found by $1: $3"; bad=1; }
}
caught programs lab01_global_memory/appendix.md 's/float 123633392, double/float 123633393, double/'
caught additions lab01_global_memory/appendix.md '/^| 0 and 2^23/d'
caught bandwidths book/memories.md 's/| 4917 |/| 4800 |/'
caught limits lab03_dynamic_shared/README.md '/^| blocks |/s/24/32/'
printf 'More in lab 01 §99.\n' >"$scratch/text.md"
caught sections "$scratch/text.md" ''
exit $bad
