# awk -v task=errors|warnings|contract ... -f log.awk -f source.awk -f meaning.awk -f report.awk FILE; mk/explain/compile starts it.
#
# errors: the first error of the log FILE: what it usually means and its place, the source line, the compiler's words. `student`:
# the file that is compiled, for messages that name none.
# warnings: all warnings of the log FILE, once each: what `meanings` says in matters, place, message and meaning, separated
# by tabs.
# contract: FILE is the source, of which functions are `missing` (names), or which has functions that are `undefined`.

function print_error(    i, errors, sentence, shown, more) {
    for (i = 1; i <= count; i++)
        errors += kind_of[i] == "error"
    first = first_error()
    if (!first)
        return
    if (file_of[first] == "")
        place_in_kernel(first)
    read_source(file_of[first])
    place = line_of[first]
    here = place > 0 ? code[place] : ""
    split_quoted(text_of[first])
    sentence = explain()
    shown = file_of[first] (place > 0 ? ":" place : "")
    if (sentence == "")
        sentence = text_of[first]
    print (shown == "" ? "" : shown ": ") sentence
    if (place > 0 && source[place] != "")
        print "    " substr(source[place], indent(source[place]) + 1)
    if (sentence != text_of[first])
        printf "  The compiler: %s%s\n", text_of[first], place != line_of[first] && line_of[first] ? " (line " line_of[first] ")" : ""
    if (errors > 1)
        more = "(" errors - 1 " more error" (errors > 2 ? "s" : "") ", often because of this one.) "
    print "  " more "Everything that the compiler says: " log_name
}

# ptxas knows no lines, only the kernel's name: the line of its first shared array, if the message is about shared memory, or
# that of the kernel.
function place_in_kernel(message,    name, i, at) {
    if (!match(text_of[message], /[Ff]unction "_Z[0-9]+/))
        return
    name = substr(text_of[message], RSTART + RLENGTH)
    match(text_of[message], /_Z[0-9]+/)
    name = substr(name, 1, substr(text_of[message], RSTART + 2, RLENGTH - 2) + 0)
    read_source(student)
    for (i = 1; i <= lines && !at; i++)
        if (code[i] ~ ("(^|[^A-Za-z0-9_])" name " *\\(") && code[i] !~ /<<<|;/ && (code[i] ~ /__global__/ || code[i - 1] ~ /__global__/))
            at = i
    if (!at)
        return
    file_of[message] = student
    line_of[message] = at
    for (i = at; i <= lines && text_of[message] ~ /shared/ && code[i] !~ /^}/; i++)
        if (code[i] ~ /__shared__/) {
            line_of[message] = i
            return
        }
}

# The first error; but of those on its line one about a sign that is missing, if there is one.
function first_error(    i, found) {
    for (i = 1; i <= count; i++) {
        if (kind_of[i] != "error")
            continue
        if (!found)
            found = i
        else if (line_of[i] == line_of[found] && file_of[i] == file_of[found] && text_of[i] ~ /^expected (a )?"[\])>]/)
            return i
    }
    return found
}

function print_warnings(    i, rule, last) {
    for (i = 1; i <= count; i++) {
        if (kind_of[i] != "warning")
            continue
        if (file_of[i] != last)
            read_source(file_of[i])
        last = file_of[i]
        place = line_of[i]
        here = code[place]
        split_quoted(text_of[i])
        rule = find_meaning("warning", text_of[i], here)
        if (rule && told[place, rule]++)
            continue
        printf "%s\t%s:%d\t%s\t%s\n", rule ? meaning[rule, "matters"] : "no", file_of[i], place, text_of[i],
            rule ? insert(meaning[rule, "says"]) : ""
    }
}

# ---- what the contract asks for ------------------------------------------------------------------------------

# Of the functions that the file defines (`defined`: names), that which is most like `name` and not asked for itself.
function likely_function(name,    n, names, i, best, most, d) {
    n = split(defined, names, " ")
    most = length(name) / 2
    for (i = 1; i <= n; i++) {
        d = distance(name, names[i])
        if (names[i] != name && d < most && signature_of(names[i]) == "") {
            most = d
            best = names[i]
        }
    }
    return best
}

function print_missing(name,    at, wanted, other) {
    wanted = signature_of(name)
    at = line_of_function(name)
    other = likely_function(name)
    if (at && !includes_header()) {
        printf "%s:%d: %s is not found by the grader: the line  #include \"%s\"  is missing.\n", file, at, name, base(header)
    } else if (at && same_signature(at, wanted)) {
        printf "%s:%d: %s is inside a namespace, so its full name is a different one: close the namespace in front of it.\n", file, at, name
        printf "    %s\n", code[at]
    } else if (at) {
        printf "%s:%d: %s has other parameters than the contract asks for, so the function of the contract is missing.\n", file, at, name
        printf "    %s\n", code[at]
    } else {
        printf "%s: the function %s is missing: the file does not define it, and the contract asks for it.\n", file, name
        if (other != "")
            printf "  There is %s (line %d), which the contract does not ask for: is its name misspelled?\n", other, line_of_function(other)
    }
    printf "  %s has:\n    %s\n", header, wanted
}

# Does the function that begins on the line have the signature, but for blanks?
function same_signature(line, wanted,    head) {
    head = code[line]
    while (head !~ /\)/ && line < lines)
        head = head code[++line]
    sub(/\).*/, ")", head)
    sub(/;$/, "", wanted)
    gsub(/[ \t]/, "", head)
    gsub(/[ \t]/, "", wanted)
    return head == wanted
}

function includes_header(    i) {
    for (i = 1; i <= lines; i++)
        if (source[i] ~ ("^[ \t]*#[ \t]*include.*" base(header)))
            return 1
    return 0
}

# A function of the file's own that is declared and called, but has no body.
function print_undefined(name,    i, at) {
    for (i = 1; i <= lines; i++)
        if (code[i] ~ ("(^|[^A-Za-z0-9_])" name " *(<<<.*)?\\(") && (!at || code[i] !~ /^[A-Za-z_]/))
            at = i
    printf "%s%s: %s is called and declared, but defined nowhere: its body is missing, or has another name or other parameters.\n",
        file, at ? ":" at : "", name
    if (at)
        printf "    %s\n", substr(source[at], indent(source[at]) + 1)
}

# A name of the device that a function of the host uses, or a function of a library.
function print_foreign(name,    i, head) {
    for (i = 1; i <= lines; i++) {
        if (code[i] ~ /^[A-Za-z_].*\(/)
            head = code[i]
        if (code[i] ~ ("(^|[^A-Za-z0-9_])" name "($|[^A-Za-z0-9_])") && head !~ /__(global|device)__/)
            break
    }
    if (name ~ /^(thread|block|grid|warp)/)
        printf "%s%s: %s is known only in kernels: this function runs on the host, once, and has no thread or block number.\n",
            file, i <= lines ? ":" i : "", name
    else
        printf "%s%s: %s belongs to a library, and the grader links none: the lab asks for a kernel of your own.\n",
            file, i <= lines ? ":" i : "", name
    if (i <= lines)
        printf "    %s\n", substr(source[i], indent(source[i]) + 1)
}

function print_replaced(name,    i) {
    for (i = 1; i <= lines && code[i] !~ ("(^|[^A-Za-z0-9_])" name "($|[^A-Za-z0-9_])"); i++)
        ;
    printf "%s%s: The file defines %s, a function of the C library, which the grader's own code calls: give it another name.\n",
        file, i <= lines ? ":" i : "", name
}

function print_contract(    n, names, i) {
    file = ARGV[1]
    read_source(file)
    n = split(missing, names, " ")
    for (i = 1; i <= n; i++)
        print_missing(names[i])
    for (i = 1; i <= lines && has_main; i++)
        if (code[i] ~ /(^|[^A-Za-z0-9_])main *\(/) {
            printf "%s:%d: The file defines main. The grader has its own main, which calls the contract's functions: remove this one.\n", file, i
            has_main = 0
        }
    n = split(undefined, names, " ")
    for (i = 1; i <= n; i++)
        print_undefined(names[i])
    n = split(foreign, names, " ")
    for (i = 1; i <= n; i++)
        print_foreign(names[i])
    n = split(replaced, names, " ")
    for (i = 1; i <= n; i++)
        print_replaced(names[i])
}

BEGIN {
    read_meanings()
    if (task == "contract") {
        print_contract()
        exit
    }
    read_log(ARGV[1])
    if (task == "errors")
        print_error()
    else
        print_warnings()
    exit
}
