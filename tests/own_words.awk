# awk -f tests/own_words.awk FILE...: where C code looks for a literal in our own sentences: what strstr and its kin are given is
# a finding's cause, detail or headline, the message of a hazard or of a launch that failed, the text of a remark, or what the
# simulator said. Such a place wants a fact, as data (harness/result/fact.h). Whether two whole messages are the same may be asked.
# Prints FILE:LINE: the call; exit status 1 if any.

function look(statement, line,    call) {
    while (match(statement, /(^|[^_a-zA-Z])(strstr|strcasestr|strncmp|strcmp|strpbrk|sscanf|source_has_word)\(.*/)) {
        call = substr(statement, RSTART)
        statement = substr(call, 6)
        call = arguments_of(call)
        if (call ~ /strcmp\([^,"]*(->|\.)message, [^,"]*(->|\.)(message|fault)\)/)
            continue
        if (call ~ /(->|\.)(cause|detail|headline|message|launch_error|said)[^_a-zA-Z0-9]/ ||
            call ~ /(remark|note|why)(\[[^]]*\])?(->|\.)text[^_a-zA-Z0-9]/) {
            gsub(/[ \t]+/, " ", call)
            print FILENAME ":" line ": " call
            found = 1
        }
    }
}

# The call up to its closing parenthesis.
function arguments_of(text,    i, depth, c) {
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
        if (c == ")" && depth == 0)
            return substr(text, 1, i)
    }
    return text
}

FNR == 1 { statement = "" }
/^[ \t]*(\/\*|\*|\/\/)/ { next }
{
    if (statement == "")
        begun = FNR
    statement = statement " " $0
}
/[;{}][ \t]*(\/\*.*)?$/ {
    look(statement, begun)
    statement = ""
}
END { exit found }
