# awk -f tests/lists.awk FILE.md...: what documents name, one line each: DOCUMENT KIND NAME. KIND:
#   name     a file or folder, in the first column of a table if that is headed file, folder, header or layer, or under files
#   target   what make is to make; command: a program of the repository; check: what tests/check is to check.
#            These in `code`, and in lines of code: indented, or between ``` and ```.

function put(kind, name) {
    print FILENAME, kind, name
}

# The cells of a row, without the marks of code and links.
function cells(line, cell) {
    gsub(/`/, "", line)
    while (match(line, /\[[^]]*\]\([^)]*\)/))
        line = substr(line, 1, RSTART - 1) substr(line, RSTART + 1, index(substr(line, RSTART), "]") - 2) substr(line, RSTART + RLENGTH)
    return split(line, cell, / *\| */)
}

function row(line,    n, i, j, cell, name, names) {
    n = cells(line, cell)
    if (!in_table) {
        for (i = 2; i < n; i++)
            lists[i] = cell[i] == "files" || (i == 2 && cell[i] ~ /^(file|folder|header|layer)$/)
        in_table = 1
        return
    }
    for (i = 2; i < n; i++) {
        names = lists[i] ? split(cell[i], name, /[, ]+/) : 0
        for (j = 1; j <= names; j++)
            if (name[j] ~ /^[A-Za-z0-9_.*\/-]*[A-Za-z0-9_*]$/)
                put("name", name[j])
    }
}

# One command, of a line that may have several, and a remark behind two spaces.
function command(text,    n, i, word) {
    n = split(text, word, " ")
    for (i = 1; i <= n && word[i] ~ /^[A-Z_]+=/; i++)
        ;
    if (word[i] ~ /^(tests\/|mk\/|bench\/|book\/)/ && word[i] !~ /[A-Z*]/)
        put("command", word[i])
    if (word[i] == "tests/check" && word[i + 1] ~ /^[a-z_]+$/)
        put("check", word[i + 1])
    if (word[i] == "make")
        for (i++; i <= n; i++)
            if (word[i] ~ /^[a-z][A-Za-z0-9_-]*$/)
                put("target", word[i])
}

function code(text,    n, i, part) {
    sub(/^ *(\$ )?/, "", text)
    sub(/(  | # ).*/, "", text)
    gsub(/"[^"]*"|'[^']*'/, "X", text)
    n = split(text, part, / *(&&|\|\||;|\|) */)
    for (i = 1; i <= n; i++)
        command(part[i])
}

FNR == 1 { in_table = fenced = 0 }
/^```/ { fenced = !fenced; next }
fenced || /^    / { code($0); next }
/^\|/ { row($0) }
!/^\|/ { in_table = 0 }
{
    n = split($0, span, "`")
    for (i = 2; i <= n; i += 2)
        code(span[i])
}
