# A compiler's log, of any compiler that says "file(line): error: text" or "file:line:column: error: text".
#
# read_log(file): messages 1 .. count, each once: kind_of ("error" or "warning"), file_of, line_of (0: none), text_of,
# and where the compiler points into a line: caret_of (a column) and echo_of (the line as it showed it).

function add_message(kind, file, line, text) {
    sub(/^#[0-9]+(-D)?: */, "", text)
    if (seen[kind, file, line, text]++)
        return
    count++
    kind_of[count] = kind
    file_of[count] = file
    line_of[count] = line + 0
    text_of[count] = text
}

function read_log(log_file,    row, parts, head, rest, at, where) {
    while ((getline row < log_file) > 0) {
        gsub(/‘|’|“|”/, "\"", row)
        gsub(/'/, "\"", row)
        if (row ~ /defined but not used/) # says the host's compiler, which does not see what the device uses
            continue
        if (match(row, /\([0-9]+\): (catastrophic error|error|warning)( #[0-9]+(-D)?)?: /)) {
            where = RSTART
            rest = substr(row, RSTART + RLENGTH)
            split(substr(row, RSTART + 1), parts, /[^0-9]/)
            add_message(row ~ /\): warning/ ? "warning" : "error", substr(row, 1, where - 1), parts[1], rest)
        } else if (match(row, /:[0-9]+(:[0-9]+)?: (fatal error|error|warning): /)) {
            where = RSTART
            rest = substr(row, RSTART + RLENGTH)
            split(substr(row, RSTART + 1), parts, /[^0-9]/)
            add_message(row ~ /[0-9]: warning: / ? "warning" : "error", substr(row, 1, where - 1), parts[1], rest)
        } else if (match(row, /^At end of source: error( #[0-9]+(-D)?)?: /)) {
            add_message("error", count ? file_of[count] : "", 0, substr(row, RLENGTH + 1))
        } else if (match(row, /\([0-9]+\): note.* to match this/) && file_of[count] == "") {
            file_of[count] = substr(row, 1, RSTART - 1)
        } else if (match(row, /^(ptxas|nvlink)( .*)?(error|fatal) *: /)) {
            add_message("error", "", 0, substr(row, RLENGTH + 1))
        } else if (match(row, /:[0-9]+(:[0-9]+)?: note: "[^"]*" was declared here/) && count) {
            split(substr(row, RSTART + 1), parts, /[^0-9]/)
            text_of[count] = text_of[count] "; declared at line " parts[1]
        } else if (row ~ /^ +argument types are: / && count) {
            sub(/^ +/, "", row)
            text_of[count] = text_of[count] "; " row
        } else if (row ~ /^ *\^/ && count && !(count in caret_of)) {
            caret_of[count] = index(row, "^")
            echo_of[count] = before
        }
        before = row
    }
    close(log_file)
}
