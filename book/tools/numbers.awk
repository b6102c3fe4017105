# See book/tools/numbers. The data first, then the texts: every line is printed with its numbers as measured (what=put), or
# compared (what=check).

function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
    bad = 1
}

# Of "conv.memcpy.ms * 1000": names, numbers, and + - * / from left to right.
function value_of(gpu, text,    n, word, i, value, operand) {
    n = split(text, word, " ")
    if (n % 2 == 0)
        complain("\"" text "\": + - * / stand between names, with spaces around them")
    for (i = 1; i <= n; i += 2) {
        operand = word[i]
        if (operand !~ /^[0-9.]+$/) {
            if (!((gpu, operand) in data)) {
                complain("docs/evidence/data/" gpu ".json has no " operand)
                return ""
            }
            operand = data[gpu, operand]
        }
        if (i == 1)
            value = operand
        else if (word[i - 1] == "*")
            value *= operand
        else if (word[i - 1] == "/")
            value /= operand
        else if (word[i - 1] == "+")
            value += operand
        else if (word[i - 1] == "-")
            value -= operand
        else
            complain(word[i - 1] " is none of + - * /")
    }
    return value
}

# With as many decimals and commas as the number that stands there.
function like(value, old,    decimals, text, whole, rest, grouped) {
    decimals = old ~ /[.]/ ? length(old) - index(old, ".") : 0
    text = sprintf("%." decimals "f", value)
    if (old !~ /,/)
        return text
    whole = text
    sub(/[.].*/, "", whole)
    rest = substr(text, length(whole) + 1)
    while (length(whole) > 3) {
        grouped = "," substr(whole, length(whole) - 2) grouped
        whole = substr(whole, 1, length(whole) - 3)
    }
    return whole grouped rest
}

# TEXT with its last number (or its first, if `first`) replaced by the value.
function insert(text, value, first,    at, length_, from, old, new) {
    from = 1
    at = 0
    while (match(substr(text, from), /[0-9][0-9,]*([.][0-9]+)?/)) {
        at = from + RSTART - 1
        length_ = RLENGTH
        from = at + length_
        if (first)
            break
    }
    if (at == 0) {
        complain("no number stands before this mark: " text)
        return text
    }
    if (value == "")
        return text
    old = substr(text, at, length_)
    sub(/,$/, "", old)
    length_ = length(old)
    new = like(value, old)
    if (new != old && what == "check")
        complain("says " old ", measured is " new " (make numbers puts it in)")
    return substr(text, 1, at - 1) new substr(text, at + length_)
}

# The cells after the first of a table's row get the fields of "lab05.warp_scan.float: ms - percent"; "-" leaves one as it is.
function fill_row(line, gpu, prefix, fields,    cells, cell, n, name, i, result) {
    cells = split(line, cell, "|")
    n = split(fields, name, " ")
    for (i = 1; i <= n; i++) {
        if (name[i] == "-")
            continue
        if (i + 2 > cells) {
            complain("the row has fewer cells than its mark has fields")
            break
        }
        cell[i + 2] = insert(cell[i + 2], value_of(gpu, prefix "." name[i]), 1)
    }
    result = cell[1]
    for (i = 2; i <= cells; i++)
        result = result "|" cell[i]
    return result
}

# All marks of a line, from the left.
function fill(line,    done, rest, mark, gpu, text, row, colon, before) {
    rest = line
    while (match(rest, /<!--h[12]00 [^>]*-->/)) {
        before = substr(rest, 1, RSTART - 1)
        mark = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        gpu = substr(mark, 5, 4)
        text = substr(mark, 10, length(mark) - 12)
        colon = index(text, ": ")
        if (colon > 0) {
            row[++row[0]] = gpu " " text
            done = done before mark
        } else
            done = done insert(before, value_of(gpu, text)) mark
    }
    line = done rest
    for (colon = 1; colon <= row[0]; colon++) {
        text = row[colon]
        gpu = substr(text, 1, 4)
        text = substr(text, 6)
        line = fill_row(line, gpu, substr(text, 1, index(text, ": ") - 1), substr(text, index(text, ": ") + 2))
    }
    return line
}

FILENAME ~ /[.]json$/ {
    if (match($0, /^  "[^"]*": [0-9.]+/)) {
        split($0, quoted, "\"")
        gpu = FILENAME
        sub(/.*\//, "", gpu)
        sub(/[.]json$/, "", gpu)
        text = $0
        sub(/^[^:]*: /, "", text)
        data[gpu, quoted[2]] = text + 0
    }
    next
}

FNR == 1 {
    origin = fenced = 0
}
# "<!--origin: author-->" speaks for what follows, to the next empty line outside of a ``` block.
/^ *<!--origin: / {
    if ($0 !~ /<!--origin: (author|data sheet|simulator|computed|example|run )/)
        complain("an origin is: author, data sheet, simulator, computed, example, or run, with GPU, command and date")
    origin = 1
}
/^ *```/ {
    fenced = !fenced
}
/^ *$/ && !fenced {
    origin = 0
}
# A table is of measured numbers if its head names a unit.
!/^ *[|]/ {
    table = 0
}
/^ *[|]/ && !table {
    table = 1
    head = FNR
    measured = $0 ~ /[|, ](ms|us|ns|GB\/s|TB\/s|GFLOP\/s|TFLOP\/s)[ ,|]|of (the|its) (roof|copy|rate|peak)|of cudaMemcpy/
}
{
    line = $0
    if ($0 ~ /<!--h[12]00 /)
        line = fill($0)
    else if (what == "check" && !origin && $0 !~ /<!--origin: / &&
             ((table && measured && FNR > head && /[0-9][.][0-9]|[0-9][0-9][0-9]/) ||
             $0 ~ /[0-9] ?(GB\/s|TB\/s|GFLOP\/s|TFLOP\/s|ms|us|ns|% of (the|its) (roof|copy|rate|peak))([^a-z]|$)/))
        complain("a measured number without its origin: " $0)
    if (what == "put")
        print line
}

END {
    exit bad
}
