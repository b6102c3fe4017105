# awk -f mk/compare.awk BEFORE AFTER: what differs between two files of ./grader --json. They have a line for each value.

# Of a line such as "key": "value", — the value as it was before it was written.
function value_of(text) {
    sub(/,$/, "", text)
    if (text ~ /^"/) {
        text = substr(text, 2, length(text) - 2)
        gsub(/\\"/, "\"", text)
        gsub(/\\\\/, "\\", text)
    }
    return text
}

# What is known of a run, or of one task of it, under its path: got[run, task, "speed/milliseconds"].
function take(path, text) {
    if (path == "tasks//id") {
        task = text
        if (!(task in listed)) {
            listed[task] = 1
            tasks[++count] = task
        }
    } else if (sub(/^tasks\/\//, "", path))
        got[run, task, path] = text
    else
        got[run, "", path] = text
    if (path ~ /^counters\/[a-z_0-9]*\/value$/ && !(path in counted)) {
        counted[path] = 1
        counters[++counter_count] = path
    }
}

FNR == 1 { run++; depth = 0 }

{
    text = $0
    sub(/^ */, "", text)
    key = ""
    if (match(text, /^"[a-z_0-9]*": /)) {
        key = substr(text, 2, RLENGTH - 4)
        text = substr(text, RLENGTH + 1)
    }
    if (text ~ /^[\]}]/)
        depth--
    else if (text ~ /^[[{]$/)
        name[++depth] = key
    else if (text !~ /^[[{]/) {
        path = key
        for (i = depth; i > 1; i--)
            path = name[i] "/" path
        take(path, value_of(text))
    }
}

function row(what, before, after) {
    if (before == after)
        return
    if (!titled++)
        printf "%-28s %15s %18s\n", "", "before", "after"
    if (!named++)
        printf "%s\n", task == "" ? "in all" : "(" part(task) ") " task
    printf "  %-26s %15s %18s\n", what, before == "" ? "-" : before, after == "" ? "-" : after
}

function part(task) {
    return (1, task, "part") in got ? got[1, task, "part"] : got[2, task, "part"]
}

function number(run, path, form) {
    return (run, task, path) in got && got[run, task, path] != "null" ? sprintf(form, got[run, task, path]) : ""
}

# Nothing of what was not counted before, or is not counted now, is no difference.
function both(what, path, form,  before, after) {
    before = number(1, path, form)
    after = number(2, path, form)
    if ((before != "" && after != "") || before + after > 0)
        row(what, before, after)
}

function cases(run) {
    return (run, task, "passed") in got ? got[run, task, "passed"] " of " got[run, task, "passed"] + got[run, task, "failed"] : ""
}

# Measured times whose medians may be the same do not differ.
function times(  before, after, low, high) {
    for (run = 1; run <= 2; run++) # no time is no time of 0
        if (got[run, task, "speed/milliseconds"] + 0 == 0)
            got[run, task, "speed/milliseconds"] = "null"
    before = got[1, task, "speed/milliseconds"] + 0
    after = got[2, task, "speed/milliseconds"] + 0
    low = "speed/median_low_ms"
    high = "speed/median_high_ms"
    if (before > 0 && after > 0 &&
        (1, task, low) in got && (2, task, low) in got && got[1, task, low] <= got[2, task, high] + 0 &&
        got[2, task, low] <= got[1, task, high] + 0)
        return
    both("ms", "speed/milliseconds", "%.4g")
    if (before > 0 && after > 0 && number(1, "speed/milliseconds", "%.4g") != number(2, "speed/milliseconds", "%.4g"))
        row("", " ", before >= after ? sprintf("%.2f times as fast", before / after) : sprintf("%.2f times the time", after / before))
    both("% of the roof", "speed/percent_of_roof", "%.1f")
    row("held back by", got[1, task, "speed/limiter"], got[2, task, "speed/limiter"])
    both("blocks on an SM", "speed/sm/blocks_that_fit", "%d")
    both("registers per thread", "speed/sm/registers_per_thread", "%d")
    both("bytes in flight per SM", "speed/sm/bytes_in_flight", "%.0f")
}

function told(run) {
    return got[run, "", "source"] ": " got[run, "", "verdict"] ", " got[run, "", "score"] " of " got[run, "", "maximum"] " points"
}

END {
    print "before  " told(1) "\nafter   " told(2) "\n"
    for (i = 1; i <= count; i++) {
        task = tasks[i]
        named = 0
        both("points", "points", "%d")
        row("cases", cases(1), cases(2))
        times()
        for (k = 1; k <= counter_count; k++) {
            what = counters[k]
            gsub(/^counters\/|\/value$/, "", what)
            gsub(/_/, " ", what)
            both(what, counters[k], "%.4g")
        }
        both("load sectors", "counters/load_sectors", "%d")
        both("store sectors", "counters/store_sectors", "%d")
        both("shared wavefronts", "counters/shared_wavefronts", "%d")
        both("warp instructions", "counters/warp_instructions", "%d")
    }
    if (!titled)
        print "Nothing that is counted or timed differs."
    for (run = 1; run <= 2; run++)
        if ((run, "", "first/cause") in got)
            print "\n" (run == 1 ? "before: " : "after: ") got[run, "", "first/cause"]
    if (titled && got[2, "", "backend"] == "sim")
        print "\nTimes are by the model, not measured."
}
