#!/bin/bash
# ./grader --compare: what differs between an older file and what is graded; mk/compare, what makes a table of it.
. "$(dirname "$0")/lib"
export BUILD=build/test

run() { # FILE CASES IDLE MS: what --json writes, as far as it matters
    cat >"$scratch/$1.json" <<JSON
{
  "backend": "sim",
  "source": "$1.cu",
  "verdict": "failed",
  "score": 0,
  "maximum": 40,
  "first": {
    "cause": "$1.cu:38: a \"barrier\" <is> missing, which is told at such length that a terminal would break it"
  },
  "tasks": [
    {
      "id": "reduce",
      "part": "a",
      "passed": $2,
      "failed": 2,
      "cases": [
        {
          "name": "milliseconds",
          "points": 7
        }
      ],
      "counters": {
        "idle_lanes_percent": {
          "value": $3
        },
        "load_sectors": 100
      },
      "speed": {
        "milliseconds": $4,
        "median_low_ms": $4,
        "median_high_ms": 0.6
      }
    },
    {
      "id": "sum",
      "part": "a",
      "points": 20
    }
  ]
}
JSON
}
run old 3 29.1 0.9
run new 10 14.2 0.45
expect 0 "(a) reduce" mk/compare "$scratch/old.json" "$scratch/new.json"
expect_line() {
    printf '%s\n' "$output" | tr -s ' ' | grep -qxF -- "$1" || fail "no line: $1" "$output"
}
expect_line " cases 3 of 5 10 of 12"
expect_line " idle lanes percent 29.1 14.2"
expect_line " ms 0.9 0.45"
expect_line " 2.00 times as fast"
expect_line 'before: old.cu:38: a "barrier" <is> missing, which is told at such length that '
expect_line "a terminal would break it"
expect_not "load sectors" # they are the same
expect_not "points "
expect_not "sum"
run same 10 14.2 0.5 # its median may be the other's
expect 0 "Nothing that is counted or timed differs" mk/compare "$scratch/new.json" "$scratch/same.json"
run untimed 3 29.1 0
expect 0 "(a) reduce" mk/compare "$scratch/untimed.json" "$scratch/new.json"
expect_line " ms - 0.45"
echo '<p title="a">&amp;</p>' >"$scratch/page.html"
expect 0 'srcdoc="&lt;p title=&quot;a&quot;&gt;&amp;amp;&lt;/p&gt;"' mk/compare "$scratch/old.json" "$scratch/new.json" "$scratch/page.html" "$scratch/page.html"
expect_not "<is>"
expect 2 "no such file" ./grader lab02 --compare "$scratch/none.cu"
expect 2 "of each by itself" ./grader lab02 --compare "$scratch/none.cu" --json "$scratch/json"
short_ends_here

# Two versions of a file: by every second thread, and by halves. What was built last is the student's file again: in a copy, where
# no other test builds.
in_copy
mkdir -p "$scratch"
tests/mistakes/entry tests/wrong/lab02.txt every_second_thread_adds change >"$scratch/change"
tests/apply lab02_shared_memory/solution.cu "$scratch/change" >"$scratch/every.cu"
expect 0 "" env SOLUTION=1 ./grader lab02 --compare "$scratch/every.cu" --backend sim --seed 1 --only reduce --html "$scratch/both.html"
expect_line " idle lanes percent 28.91 14.03"
grep -q 'title="before" srcdoc="&lt;!DOCTYPE html&gt;' "$scratch/both.html" || fail "the page has no page of the older file"
grep -q 'li class=&quot;slow&quot;.* of [0-9]* points' "$scratch/both.html" || fail "a right task without all points looks done"
! command -v tidy >/dev/null || tidy -q -e "$scratch/both.html" 2>&1 | sed 3q >"$scratch/tidy"
[ ! -s "$scratch/tidy" ] || fail "no valid page:" "$(cat "$scratch/tidy")"
grep -q '^source=.*solution.cu' "$BUILD/current/build.info" || fail "the older file was built last"
