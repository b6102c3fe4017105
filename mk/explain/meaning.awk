# What a message usually means: the paragraphs of mk/explain/meanings, and what takes more than a sentence.

function read_meanings(    row, value, rule) {
    rule = rules = 0
    while ((getline row < meanings) > 0) {
        if (row == "" || row ~ /^#/) {
            rule = 0
            continue
        }
        if (!rule)
            rule = ++rules
        value = row
        sub(/^[a-z]+: */, "", value)
        meaning[rule, substr(row, 1, index(row, ":") - 1)] = value
    }
    close(meanings)
}

function fits(rule, text, line) {
    gsub(/ \(aka "[^"]*"\)/, "", text)
    return text ~ meaning[rule, "error"] && (!((rule, "line") in meaning) || line ~ meaning[rule, "line"]) &&
        !((rule, "not") in meaning && line ~ meaning[rule, "not"])
}

function split_quoted(text,    n, parts, i) {
    gsub(/ \(aka "[^"]*"\)/, "", text)
    n = split(text, parts, "\"")
    for (i = 1; i <= 4; i++) {
        quoted[i] = 2 * i <= n ? parts[2 * i] : ""
        sub(/\(.*/, "", quoted[i]) # a function's parameters
    }
}

function insert(sentence,    i, name) {
    name = here
    if (match(name, /[A-Za-z_][A-Za-z0-9_]* *(<<|\()/)) {
        name = substr(name, RSTART, RLENGTH)
        sub(/ *(<<|\()/, "", name)
    } else {
        name = "the function"
    }
    for (i = 1; i <= 4; i++)
        gsub("\\$" i, quoted[i] == "" ? "the function" : quoted[i], sentence)
    gsub(/\$name/, name, sentence)
    return sentence
}

# Where the line that includes a file is, or belongs: "is missing behind the #include of line 12."
function where_include(file,    i, last, at) {
    for (i = 1; i <= lines; i++) {
        if (source[i] !~ /^[ \t]*#[ \t]*include/ || code[i] !~ /include/)
            continue
        if (index(source[i], "\"" file "\"") || index(source[i], "/" file "\""))
            at = i
        if (i < place)
            last = i
    }
    if (at > place)
        return "comes too late, at line " at "."
    if (at || !last)
        return "is missing or comes too late."
    return "is missing: it belongs with the others, behind line " last "."
}

# Outside of functions: the line below that defines the macro, or declares the variable; 0: none does.
function line_further_down(name,    i) {
    for (i = place + 1; i <= lines; i++)
        if (code[i] ~ ("^[ \\t]*#[ \\t]*define[ \\t]+" name "([ \\t(]|$)") ||
            code[i] ~ ("^[A-Za-z_][^(=;]*[^A-Za-z0-9_]" name "[ \\t]*(\\[|=|;)"))
            return i
    return 0
}

function say_name(    near, at, name) {
    name = quoted[1]
    near = nearest(name)
    if (name in in_header)
        return "The name " name " is not known: " base(header) " declares it, and the line  #include \"" base(header) "\"  " where_include(base(header))
    at = line_of_function(name)
    if (at > place)
        return "The name " name " is not known here yet: the function is defined further down, at line " at ". Move it up, or declare it above."
    at = line_further_down(name)
    if (at)
        return "The name " name " is not known here yet: line " at ", further down, " (code[at] ~ /#/ ? "defines" : "declares") " it. Move that line up."
    at = line_of_variable(name, place)
    if (near != "" && !at)
        return "The name " name " is not known. Is it misspelled? There is " near (first_use[near] > 0 ? " (line " first_use[near] ")" : "") "."
    if (at)
        return "The name " name " is not known here: the variable of this name (line " at ") belongs to another function or block, and ends with its }."
    if (here ~ ("^[A-Za-z_].*[(,] *" name " *[,)]") && here !~ /;$/)
        return "The type of the parameter " name " is missing, as in int " name "."
    if (here ~ ("^[ \t]*" name " *=[^=]"))
        return "The variable " name " is not declared: write its type in front, as in int " name " = ...;"
    return "The name " name " is not known: it is declared nowhere above, or misspelled."
}

function say_semicolon(    at) {
    at = code_before(place)
    if (here ~ /[\200-\377]/)
        return "There is a character here that the compiler does not know, perhaps from copied text: type the line again."
    if (caret_of[first] && caret_of[first] <= indent(echo_of[first]) + 1 && at && code[at] !~ /[;{},]$/) {
        place = at
        return "A semicolon is missing at the end of this line."
    }
    if (at && code[at] ~ /\}$/ && (code[at] ~ /\{/ ? code[at] : line_that_opens(at)) ~ /^[ \t]*(typedef +)?(struct|union|enum|class)([^A-Za-z0-9_]|$)/) {
        place = at
        return "A semicolon is missing after this }: the declaration of a struct ends with };"
    }
    return "A semicolon is missing here, or something before it is incomplete."
}

function say_closing(    sign, what, before, after) {
    before = substr(echo_of[first], 1, caret_of[first] - 1)
    after = substr(echo_of[first], caret_of[first])
    if (caret_of[first] && match(before, /[A-Za-z_0-9]+(\[[^][]*\])? +$/) && after ~ /^[A-Za-z_0-9]/) {
        before = substr(before, RSTART, RLENGTH)
        sub(/ +$/, "", before)
        match(after, /^[A-Za-z_0-9]+/)
        return "Something is missing between " before " and " substr(after, 1, RLENGTH) ": a comma, or an operator."
    }
    sign = text_of[first] ~ /\]/ ? "]" : ")"
    what = sign == ")" ? "closing parenthesis )" : "closing bracket ]"
    return "A " what " is missing: " (sign == ")" ? "every ( needs one." : "every [ needs one.")
}

function say_constant(    name, at) {
    name = here
    if (match(here, /^[ \t]*for *\( *const [^;=]*=/))
        return "The variable of this loop is const, so it cannot change from turn to turn: leave out const."
    if (match(here, /^[ \t]*[A-Za-z_][A-Za-z0-9_]* *[-+*\/]?=/)) {
        sub(/^[ \t]*/, "", name)
        sub(/[^A-Za-z0-9_].*/, "", name)
        at = line_of_variable(name, place)
        if (at && code[at] ~ ("[^A-Za-z0-9_]" name " *\\["))
            return name " is an array (line " at "), and an array cannot be stored to as a whole: store its elements, " name "[i] = ..."
        if (at && code[at] ~ ("(^|[^A-Za-z0-9_])const [A-Za-z_0-9 ]*[^A-Za-z0-9_]" name "[^A-Za-z0-9_]"))
            return name " is const (line " at "): it keeps the value that it got there. If it must change, leave out const."
        name = here
    }
    if (match(name, /[A-Za-z_][A-Za-z0-9_]*\[[^]]*\] *[-+*\/]?=/)) {
        name = substr(name, RSTART, RLENGTH)
        sub(/\[.*/, "", name)
        for (at = place; at > 0; at--)
            if (code[at] ~ ("[^A-Za-z0-9_]" name "\\[[^]]*\\]\\["))
                return name " has two dimensions (line " at "), so an element needs two indices: " name "[row][column]. One is missing."
        name = here
    }
    sub(/^[ \t]*/, "", name)
    sub(/ *[-+*\/%|&^<>]*=.*/, "", name)
    return "This stores to something that cannot be changed: " (length(name) < 40 ? name : "what stands left of the =") \
        " is const, a sum or a value. Are the two sides exchanged, or is it the wrong array?"
}

function say_pointer() {
    return "A pointer is given where a number belongs: an element of it is pointer[i], " \
        "the first one *pointer. An index or a * is missing."
}

function say_number() {
    return "A number is given where a pointer belongs: to store to an element, write pointer[i] = ... (or *pointer = ...); " \
        "to take an address, &variable. An index, a * or an & is missing."
}

function say_subscript(    i) {
    for (i = place; i > 0; i--)
        if (code[i] ~ /extern +__shared__/ && code[i] !~ /\[/) {
            place = i
            return "This is one shared variable, not an array: [] is missing after its name, as in extern __shared__ real name[];"
        }
    return "[ ] follows something that is neither an array nor a pointer: a variable of another name, or an array with fewer dimensions?"
}

function say_atomic(    argument, types, type) {
    argument = here
    sub(/^.*atomic[A-Za-z]*\( */, "", argument)
    sub(/,.*/, "", argument)
    types = text_of[first]
    gsub(/ \(aka "[^"]*"\)/, "", types)
    if (sub(/.*argument types are: *\(/, "", types) && split(types, type, /, *|\)/) >= 2 && type[1] ~ /\*$/)
        return quoted[1] " has no version for arguments of these types: an address of a " substr(type[1], 1, length(type[1]) - 2) \
            ", and a value of the type " type[2] ". The value must be of the element's own type; atomicMin and atomicMax exist for integers only."
    if (argument ~ /^\*/)
        return "An atomic operation needs the address of the element that it changes: " substr(argument, 2) ", without the *."
    return "An atomic operation needs the address of the element that it changes: an & is missing, as in &" argument "."
}

# The arguments of the line's call of `name` into argument[]; their number.
function split_arguments(name,    text, i, sign, depth, count) {
    text = here
    if (!match(text, "(^|[^A-Za-z0-9_])" name " *\\("))
        return 0
    text = substr(text, RSTART + RLENGTH)
    argument[count = 1] = ""
    for (i = 1; i <= length(text) && depth >= 0; i++) {
        sign = substr(text, i, 1)
        depth += (sign ~ /[(\[{]/) - (sign ~ /[)\]}]/)
        if (sign == "," && !depth)
            argument[++count] = ""
        else if (depth >= 0)
            argument[count] = argument[count] sign
    }
    for (i = 1; i <= count; i++)
        gsub(/^ +| +$/, "", argument[i])
    return count
}

# cudaMemcpyToSymbol(variable, from, ...) and cudaMemcpyFromSymbol(to, variable, ...)
function say_symbol(    name, types, type, at, what) {
    name = quoted[1]
    at = name ~ /From/ ? 1 : 2
    types = text_of[first]
    sub(/.*argument types are: *\(/, "", types)
    gsub(/ \(aka "[^"]*"\)/, "", types)
    split(types, type, /, */)
    what = name ~ /From/ ? "where to" : "where from"
    if (split_arguments(name) < 3 || type[at] ~ /[*\]]/)
        return name " takes the variable of the device itself (" (at == 1 ? "second" : "first") " argument, no & and no address), a pointer " \
            what ", and the number of bytes. Compare the order and the types of the arguments."
    return name " needs an address, " what ", as its " (at == 1 ? "first" : "second") " argument; " argument[at] " is a value of type " \
        type[at] ". An & is missing: &" argument[at] "."
}

function say_few(    name) {
    if (here ~ /cudaMemcpy(Async)? *\(/)
        return "cudaMemcpy takes four arguments: where to, where from, how many bytes, and the direction (cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, ...)."
    name = insert("$name")
    return "The call has fewer arguments than " (name == "CHECK" ? "the function takes" : name " takes") ". Compare it with the function's own line."
}

function say_twice(    at, i) {
    at = line_of_function(quoted[1])
    if (here ~ /\) *\{?$/ && at && at != place)
        return "The function " quoted[1] " is defined twice: at line " at " and here."
    for (i = place - 1; i > 0 && code[i] !~ /^[}]/; i--)
        if (code[i] ~ ("(^|[^A-Za-z0-9_])" quoted[1] "($|[^A-Za-z0-9_(])"))
            at = i
    return "The name " quoted[1] " is declared a second time" (at ? "; the first time at line " at : "") ". To give it a new value, leave out the type."
}

function say_contract(    name, row, wanted) {
    name = here
    sub(/ *\(.*/, "", name)
    sub(/.*[^A-Za-z0-9_]/, "", name)
    wanted = signature_of(name)
    return wanted == "" ? "This name was declared before, with another type" \
            (match(text_of[first], /line [0-9]+/) ? ", at " substr(text_of[first], RSTART, RLENGTH) : "") "." \
        : name " has another signature than the contract asks for in " header ": " wanted
}

# "void lab01_copy(const real *d_x, real *d_y, int n);" from the lab's header; "": it is not there.
function signature_of(name,    row, all, at) {
    close(header)
    while (header != "" && (getline row < header) > 0)
        all = all row "\n"
    close(header)
    if (!match(all, "\n[a-zA-Z_][a-zA-Z0-9_ *]*[ *]" name "\\([^;]*;"))
        return ""
    all = substr(all, RSTART + 1, RLENGTH - 1)
    gsub(/[ \n]+/, " ", all)
    return all
}

function say_include(    name) {
    name = source[place]
    gsub(/^[^"<]*["<]|[">].*$/, "", name)
    return "The file " name " of this #include does not exist: is its name misspelled?"
}

# A function begins inside of another one, or something stands outside of all functions.
function say_nested(    at) {
    at = here ~ /^[ \t]*\{/ ? code_before(place) : place
    if (at)
        place = at
    return "A function begins here before the one above has ended: is a closing brace } missing above, or a semicolon?"
}

function say_outside(    name, near) {
    if (here ~ /^ *\}/)
        return "This } closes nothing: the function has already ended. One brace } is too many above, or a { is missing."
    name = here
    if (match(name, /(^|[^A-Za-z0-9_])_+[a-z]+_+[^A-Za-z0-9_]/)) {
        name = substr(name, RSTART, RLENGTH)
        gsub(/[^A-Za-z0-9_]/, "", name)
        near = nearest(name)
        if (near != "")
            return "The name " name " is not known. Is it misspelled? There is " near "."
    }
    return "This stands outside of all functions: did a brace } close the function too early, or is the type in front of the name missing?"
}

# The line that the } on this line belongs to, by its indentation.
function line_that_opens(line,    at) {
    for (at = line - 1; at > 0; at--)
        if (!is_blank(code[at]) && indent(code[at]) <= indent(code[line]) && code[at] !~ /^[ \t]*\{$/)
            return code[at]
    return ""
}

# std::name that is not there: which header has it.
function say_std(    name, of) {
    name = quoted[2]
    of = name ~ /^(vector|array|string|map|set|thread|atomic|chrono|complex)$/ ? name : \
        name ~ /^(unique_ptr|make_unique|shared_ptr|make_shared)$/ ? "memory" : \
        name ~ /^(max|min|swap|sort|fill|copy)$/ ? "algorithm" : name ~ /^(accumulate|iota)$/ ? "numeric" : \
        name ~ /^(cout|cerr|cin|endl)$/ ? "iostream" : name ~ /^(sqrt|abs|fabs|pow|isnan)$/ ? "cmath" : ""
    return "std::" name " is not known here. On the host it needs " (of == "" ? "its #include" : "#include <" of ">") \
        "; a kernel cannot use the containers and functions of the host's C++ library."
}

# Too few or too many arguments on a line with a launch.
function say_launch(    inside, n, parts) {
    inside = here
    sub(/^.*<<</, "", inside)
    sub(/>>>.*$/, "", inside)
    gsub(/\([^()]*\)/, "", inside)
    n = inside ~ /[^ ]/ ? split(inside, parts, ",") : 0
    if (n < 2 || n > 4)
        return "Between <<< and >>> stand two to four things: the number of blocks, the number of threads in each, " \
            "bytes of dynamic shared memory, and a stream. Here are " n "."
    return "The launch has " (text_of[first] ~ /few/ ? "fewer" : "more") " arguments than the kernel " insert("$name") \
        " takes. Compare it with the kernel's own line."
}

function say_host(    name, kernel) {
    name = quoted[1]
    kernel = quoted[2]
    if (line_of_function(name))
        return "The function " name " runs on the host and cannot be called from a kernel (" kernel "): mark it __device__, " \
            "or __host__ __device__ if the host calls it as well."
    return name " is a function of the host's libraries, and " kernel " runs on the device: a kernel cannot call it." \
        (name ~ /^(exit|abort|_exit)$/ ? " A thread ends with return." : name ~ /^cuda/ ? " The host calls it, before or after the launch." \
        : name ~ /printf|puts|putc/ ? " Kernels can call printf." : "")
}

# name(...), where name is a variable.
function say_call(    name, at) {
    name = echo_of[first] == "" ? "" : substr(echo_of[first], caret_of[first])
    if (match(name, /^[A-Za-z_][A-Za-z0-9_]*/)) {
        name = substr(name, RSTART, RLENGTH)
    } else if (match(substr(echo_of[first], 1, caret_of[first] - 1), /[A-Za-z_][A-Za-z0-9_]* *$/)) {
        name = substr(echo_of[first], RSTART, RLENGTH)
        sub(/ *$/, "", name)
    } else {
        name = here
        sub(/ *\(.*/, "", name)
        sub(/.*[^A-Za-z0-9_]/, "", name)
    }
    at = name == "" ? 0 : line_of_variable(name, place)
    if (at && code[at] ~ ("[*] *" name "|" name " *\\["))
        return name " is an array or a pointer: an element of it is " name "[i], with brackets."
    if (at)
        return name " is a variable (line " at "), not a function: is an operator missing in front of the (, such as *, or does a function have the same name?"
    return "What stands before the ( is not a function. Is an operator missing, such as *, or does a variable have the function's name?"
}

# An index that is no integer.
function say_index(    text, name, at) {
    text = here
    while (match(text, /\[[^]]*\]/)) {
        name = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        while (match(name, /[A-Za-z_][A-Za-z0-9_]*/)) {
            at = line_of_variable(substr(name, RSTART, RLENGTH), place)
            if (at && code[at] ~ ("(real|float|double) +" substr(name, RSTART, RLENGTH) "[^A-Za-z0-9_]"))
                return "An index must be an integer, and " substr(name, RSTART, RLENGTH) " is not (line " at "): declare it as int."
            name = substr(name, RSTART + RLENGTH)
        }
    }
    return "An index in [ ] must be an integer."
}

# A call of a macro that has no end: its line, which is not where the compiler gives up.
function say_macro(    name, i, opened, closed, text) {
    name = quoted[1]
    for (i = 1; i <= lines; i++) {
        if (code[i] !~ ("(^|[^A-Za-z0-9_])" name " *\\("))
            continue
        text = code[i]
        opened = gsub(/\(/, "", text)
        closed = gsub(/\)/, "", text)
        if (opened > closed && code[i] ~ /;$/) {
            place = i
            return "A closing parenthesis ) is missing: " name "( has no end in this line."
        }
    }
    return "A closing parenthesis ) is missing after " name "(."
}

function say_static(    name) {
    name = here
    sub(/ *\(.*/, "", name)
    sub(/.*[^A-Za-z0-9_]/, "", name)
    return signature_of(name) != "" ? name " is called by the grader, and static hides it from other files: leave out static." \
        : name " is declared once with static and once without."
}

# A comment that never ended where it should: the next one begins inside of it.
function explain_comment() {
    if (!comment_within || line_of[first] > 0 && line_of[first] <= comment_within)
        return ""
    place = comment_within
    return "The comment that begins in this line has no */, so what follows is part of it, up to the next */."
}

# A macro of the file that is used in the line, and is defined with a = or a ;.
function explain_macro(    i, name, value) {
    for (i = 1; i <= lines; i++) {
        if (code[i] !~ /^[ \t]*#[ \t]*define[ \t]+[A-Za-z_0-9]+[ \t]+(=|.*;$)/)
            continue
        value = code[i]
        sub(/^[ \t]*#[ \t]*define[ \t]+/, "", value)
        name = value
        sub(/[ \t].*/, "", name)
        sub(/^[A-Za-z_0-9]+[ \t]+/, "", value)
        if (i == place || here !~ ("(^|[^A-Za-z0-9_])" name "($|[^A-Za-z0-9_])"))
            continue
        place = i
        return "Wherever " name " stands, the compiler puts " value " in its place, with the " (value ~ /^=/ ? "=" : ";") \
            ": a #define has neither = nor ; around its value."
    }
    return ""
}

function do_what(what) {
    if (what == "name") return say_name()
    if (what == "semicolon") return say_semicolon()
    if (what == "closing") return say_closing()
    if (what == "constant") return say_constant()
    if (what == "pointer") return say_pointer()
    if (what == "number") return say_number()
    if (what == "subscript") return say_subscript()
    if (what == "atomic") return say_atomic()
    if (what == "few") return say_few()
    if (what == "symbol") return say_symbol()
    if (what == "twice") return say_twice()
    if (what == "contract") return say_contract()
    if (what == "include") return say_include()
    if (what == "nested") return say_nested()
    if (what == "outside") return say_outside()
    if (what == "static") return say_static()
    if (what == "macro") return say_macro()
    if (what == "index") return say_index()
    if (what == "call") return say_call()
    if (what == "host") return say_host()
    if (what == "launch") return say_launch()
    if (what == "std") return say_std()
    return ""
}

# The number of the paragraph for an error or a warning that fits; 0: none.
function find_meaning(kind, text, line,    rule) {
    for (rule = 1; rule <= rules; rule++)
        if (((rule, "matters") in meaning) == (kind == "warning") && fits(rule, text, line))
            return rule
    return 0
}

# Of braces: "" if they are in order, or if the error comes before they are not.
function explain_brace(    at) {
    find_brace()
    if (brace_kind == "" || line_of[first] > 0 && line_of[first] < brace_line)
        return ""
    place = brace_line
    if (brace_kind == "open")
        return "The { of this line is never closed: a brace } is missing."
    for (at = brace_line - 1; at > 0 && (is_blank(code[at]) || indent(code[at]) > indent(code[brace_line])); at--)
        ;
    if (at > 0 && indent(code[at]) == indent(code[brace_line]) && code[at] ~ /^[ \t]*(if|for|while|else|do)([^A-Za-z0-9_].*)?[^{]$/) {
        place = at
        return "A brace { is missing at the end of this line: the } of line " brace_line " closes more than was opened."
    }
    return "This } closes more than was opened: one brace } is too many, or a { is missing above."
}

function explain(    rule, sentence) {
    sentence = explain_comment()
    if (sentence == "" && here !~ /^(<<<<<<<|=======|>>>>>>>)/)
        sentence = explain_brace()
    if (sentence == "")
        sentence = explain_macro()
    if (sentence != "")
        return sentence
    rule = find_meaning("error", text_of[first], here)
    if (!rule)
        return ""
    return (rule, "do") in meaning ? do_what(meaning[rule, "do"]) : insert(meaning[rule, "says"])
}
