#!/bin/bash
# make book: pages whose links are alive, which fetch nothing, with a search index and both recorded runs; valid HTML.
. "$(dirname "$0")/lib"
export BUILD=build/test
python3 -c 'import venv, ensurepip' 2>/dev/null || { echo "python3 has no venv" && exit 77; }
make -s "$BUILD/site/venv/installed" 2>"$scratch/install" || {
    ! grep -q 'Requires-Python' "$scratch/install" || fail "a pinned version wants another Python:" "$(cat "$scratch/install")"
    echo "Sphinx cannot be installed here" && exit 77
}
pages=$BUILD/book

expect 0 "" make book
for page in index.html lab01_global_memory/README.html lab09_matmul_tiled/skeleton.cu.html book/glossary.html answers.html \
    book/site/part3.html search.html; do
    [ -s "$pages/$page" ] || fail "there is no $page"
done
grep -q '"coalesc"' "$pages/searchindex.js" || fail "the search index lacks a word of lab 01"
grep -q '<span class="kr">__global__' "$pages/lab01_global_memory/README.html" || fail "CUDA is not highlighted"
! grep -rlE '&lt;!--|<!--(origin|index)' "$pages" --include=README.html || fail "comments are shown"

# What the grader said of both kernels, and the sums in many orders.
recorded=$(cat "$BUILD/site/recorded/recorded.js")
output=$recorded
for shown in 'race in shared memory; the result is right only by luck' 'passed: 40 of 40 points' '8256.0'; do
    contains "$shown" || fail "the recorded runs lack: $shown"
done
! grep -q 'The report follows' "$BUILD/site/recorded/recorded.html" || fail "what the terminal took away still stands there"
printf '%s\n' "$recorded" | sed '1s/.*= //; $s/;$//' | python3 -c '
import json, sys
runs = json.load(sys.stdin)
assert set(runs["right"]["sums"]) == {8256.0}, "the right kernel is wrong in an order"
assert len(set(runs["racy"]["sums"])) > 1, "the racy kernel is right in every order"
assert "\x1b" not in json.dumps(runs) and "u001b" not in json.dumps(runs), "an escape sequence is left"
' || fail "the recorded runs are not as they should be"

# links.py sees what it must catch.
mkdir -p "$scratch/pages"
plant() { # TEXT OF THE PAGE, WHAT IS SAID
    printf '<html><head></head><body id="here">%s</body></html>\n' "$1" >"$scratch/pages/a.html"
    expect "$2" "$3" python3 book/site/links.py "$scratch/pages"
}
plant '<a href="#here">x</a><a href="https://example.org">x</a>' 0 ""
plant '<a href="b.html">x</a>' 1 "b.html: no such file"
plant '<a href="a.html#there">x</a>' 1 "no such section"
plant '<script src="https://example.org/x.js"></script>' 1 "fetched from the network"

# tidy knows less of HTML 5 than there is: errors only.
! type -P tidy >/dev/null || for page in "$pages"/index.html "$pages"/lab0*/README.html "$pages"/book/*.html; do
    tidy -q -errors --show-warnings no "$page" >"$scratch/tidy" 2>&1
    [ $? -le 1 ] || fail "$page" "$(head -5 "$scratch/tidy")"
done

# In a browser: no error, nothing fetched, nothing too wide, the sliders slide, keys drive the replay, and the search finds.
opens() { # OPTION... PAGE...
    tests/browser "$@" >"$scratch/browser"
    case $? in
    0) ;;
    77) echo "no Chromium: the pages were not opened" ;;
    *) fail "in Chromium:" "$(cat "$scratch/browser")" ;;
    esac
}
labs=("$pages"/lab0{1_global_memory,2_shared_memory,6_coop_groups}/README.html)
opens --run tests/behaviour/sliders.js "${labs[@]}"
opens --run tests/behaviour/replay.js "$pages/index.html"
opens --width 400 --dark "$pages"/index.html "$pages"/lab0*/README.html "$pages/answers.html" "$pages/book/glossary.html"
opens --run tests/behaviour/search.js "$pages/search.html?q=coalesced" "$pages/search.html?q=warp&first=Lab 05: inside a warp" \
    "$pages/search.html?q=__syncwarp&first=Lab 05: inside a warp" "$pages/search.html?q=halo&first=Lab 07: convolution"
expect 1 "nothing was found" tests/browser --run tests/behaviour/search.js "$pages/search.html?q=cheesecake"
