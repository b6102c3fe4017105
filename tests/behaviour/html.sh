#!/bin/bash
# ./grader --html, --open: the report as a page, with pictures of what the kernels did.
. "$(dirname "$0")/lib"
export BUILD=build/test

# The text of the page's <pre>, as it was before it was escaped.
report_of() { # PAGE
    sed -n '/<pre class="report">/,/^<\/pre>/{/^<\/pre>/!p}' "$1" | sed 's/.*<pre class="report">//; s/<\/pre>.*//
        s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/'"&#39;/'"'/g; s/&amp;/\&/g'
}

# has PAGE TEXT, lacks PAGE TEXT
has() {
    grep -qF -- "$2" "$1" || fail "$1 does not contain: $2"
}
lacks() {
    ! grep -qiF -- "$2" "$1" || fail "$1 contains: $2"
}

# What holds of every page.
is_whole() { # PAGE
    local bytes
    bytes=$(wc -c <"$1")
    [ "$bytes" -le 1000000 ] || fail "$1 has $bytes bytes"
    [ "$(grep -o '<svg' "$1" | wc -l)" = "$(grep -o '<svg[^>]* role="img" aria-label="[^"]' "$1" | wc -l)" ] ||
        fail "$1: a picture says nothing to a screen reader"
    lacks "$1" 'href="http'
    lacks "$1" 'src='
    ! command -v tidy >/dev/null || tidy -q -e "$1" 2>&1 | sed 3q >"$scratch/tidy"
    [ ! -s "$scratch/tidy" ] || fail "$1 is no valid page:" "$(cat "$scratch/tidy")"
}

# A race, in a file whose text would be markup.
awk '/__syncthreads/ && ++barriers == 2 { next } { print }
     /TODO 2: Reduce/ { print "    // </pre></table><script>alert(1)</script><img onerror=\"alert(2)\">" }' \
    lab02_shared_memory/solution.cu >"$scratch/race.cu"
page=$scratch/race.html
compile lab02 race
expect 1 "race in shared memory" "$grader" --no-color --backend sim --seed 1 --only 'reduce: one element' --html "$page"
is_whole "$page"
diff <(printf '%s\n' "$output" | sed -n '/^lab02/,$p') <(report_of "$page") || fail "the page's report is another one"
[ "$(grep -n 'class="report"\|<figure class="race">' "$page" | sed -n '1s/.*class=.report.*/first/p')" = first ] ||
    fail "the cause does not stand before the pictures"
[ "$(grep -c '<figure class="race">' "$page")" = 2 ] || fail "not both orders of the race are drawn"
has "$page" "thread 0 reads what was there before"
has "$page" "reads what block 0, thread 32 stored"
has "$page" '<tr id="L39" class="hot">'
has "$page" '&lt;script&gt;alert(1)&lt;/script&gt;'
lacks "$page" '<script>alert'
lacks "$page" '<img'

# Figures are those of the report: a column of a tile takes 32 wavefronts, 1550 % more on average of loads and stores.
page=$scratch/conflicts.html
solution=$(make -s SOLUTION=1 where-lab02)/grader
expect 0 "" make lab02 SOLUTION=1
expect 0 "1550%" "$solution" --backend sim --only transpose_conflicts --html "$page" --json "$scratch/conflicts.json"
is_whole "$page"
has "$page" 'data-cost="32" data-least="1"'
has "$page" 'shared memory: 32 wavefronts; 1 without conflicts'
has "$page" 'data-cost="4" data-least="4"'
# One SM: what is drawn and told is what the JSON says.
sm() { # NAME [FORMAT DIVISOR]
    sed -n '/"sm": {/,$p' "$scratch/conflicts.json" | awk -F '[:,]' -v name="\"$1\"" -v format="${2:-%s}" -v by="${3:-1}" \
        'index($1, name) { printf format, by == 1 ? $2 + 0 : $2 / by; exit }'
}
has "$page" "transpose_conflicts: $(sm blocks_that_fit) blocks of $(sm threads_per_block) threads fit, with $(sm registers_per_thread) registers per thread and $(sm shared_bytes_per_block) bytes"
has "$page" 'Full: warps</figcaption>'
has "$page" '>64 of 64<'
[ "$(sed -n '/<figure class="shelves">/,/<figcaption>/p' "$page" | grep -c '>full<')" = 1 ] || fail "not one shelf is full"
has "$page" "$(sm warps_that_wait_for_memory %.1f) of 64 warps wait for memory, $(sm issue_percent %.0f)% of the issue slots are used, $(sm bytes_in_flight %.1f 1024) KB of loads"
has "$page" "memory&#39;s full rate takes $(sm bytes_in_flight_at_full_rate %.1f 1024) KB"

expect 2 "--html $scratch/none/page.html: No such file" "$solution" --html "$scratch/none/page.html"
expect 2 "no task and no case" "$solution" --only nothing_such --html "$scratch/nothing.html"
[ ! -e "$scratch/nothing.html" ] || fail "a page was begun and not written"
expect 2 "name one lab" ./grader lab01 lab02 --html "$page"
expect 0 "The page: ./$BUILD/report.html" env -u DISPLAY -u WAYLAND_DISPLAY SOLUTION=1 ./grader lab02 --backend sim --only 'transpose: a tile' --open
has "$BUILD/report.html" '<h2>(b) transpose: a tile</h2>'
short_ends_here

# Pictures of many warps, of the solution and of mistakes: picture PAGE CLASS TEXT, for a picture that says so.
picture() {
    sed -n "/<figure class=\"$2\"/,/<svg/p" "$1" | grep -qF -- "$3" || fail "$1 has no $2 that says: $3"
}
expect 0 "" make lab02 SOLUTION=1
expect 0 "passed" "$solution" --backend sim --only 'reduce: one more than a block' --html "$page"
picture "$page" block "4 warps of a block in time, with 8 barriers"
picture "$page" tree "128 places of shared memory, added up in 7 steps"
# mistake LAB ENTRY CASE: a page of this entry of tests/wrong.
mistake() {
    tests/mistakes/entry "tests/wrong/$1.txt" "$2" change >"$scratch/change"
    tests/apply "$(echo "$1"_*/solution.cu)" "$scratch/change" >"$scratch/$2.cu"
    compile "$1" "$2"
    expect 1 "" "$grader" --backend sim --only "$3" --html "$page"
}
mistake lab07 tile_halo_not_loaded 'tile: blocks of 96'
picture "$page" reach "the first two load 0 elements both"
mistake lab01 number_without_block 'number: two blocks'
picture "$page" owners "128 stored by no thread, 128 more than once"

for lab in lab01 lab03 lab04 lab05 lab06 lab07 lab08 lab09; do
    expect 0 "" make "$lab" SOLUTION=1
    expect 0 "points" "$(make -s SOLUTION=1 "where-$lab")/grader" --backend sim --html "$scratch/$lab.html"
    is_whole "$scratch/$lab.html"
done
has "$scratch/lab05.html" '…</text>' # a line of the source that has no room
# All stages of lab 08 with their pictures would be more than a page may have.
has "$scratch/lab08.html" 'A page of this task: <code>./grader --only '

# In a browser: no error, nothing fetched, nothing wider than a phone, no line of the source in pieces, no task's row that is too low.
echo "[...document.querySelectorAll('td.code')].some((line) => line.offsetHeight > 30) ? 'a line is broken' :
    [...document.querySelectorAll('.tasks li')].some((row) => row.scrollHeight > row.clientHeight) ? 'points outside of their row' : ''" >"$scratch/look.js"
for width in 400 700 1400; do
    tests/browser --width $width --run "$scratch/look.js" "$scratch"/lab*.html >"$scratch/browser"
    case $? in
    0) ;;
    77) echo "no Chromium: the pages were not opened" ;;
    *) fail "in Chromium:" "$(cat "$scratch/browser")" ;;
    esac
done
! type -P chromium >/dev/null && exit
echo '<p style="width:9000px">x</p><img src="http://127.0.0.1:9/x.png"><script>console.error("no")</script>' >"$scratch/bad.html"
expect 1 "wider than the window" tests/browser "$scratch/bad.html"
contains "fetched: http://127.0.0.1:9/x.png" || fail "a page that fetches passes"
contains "console: no" || fail "a page with an error passes"
