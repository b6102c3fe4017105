# awk -f tests/guesses.awk FILE...: where C code asks, or says that something is likely: a report says what is so, and no guess.
# Prints FILE:LINE: the text; exit status 1 if any.

function look(statement, line,    part, count, i) {
    if (statement ~ /(^|[^_A-Za-z])progress_begin\(/)
        return
    count = split(statement, part, "\"") # the even parts are literals
    for (i = 2; i <= count; i += 2)
        if (part[i] ~ /[a-z)`\]][?]( |\\n|$)/ || part[i] ~ /(^|[^a-z])(probably|perhaps|maybe|might|seems)([^a-z]|$)/) {
            print FILENAME ":" line ": " part[i]
            found = 1
        }
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
