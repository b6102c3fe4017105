# See book/tools/glossary: links to sections that are not there. Every text is read twice: first for what can be linked, then for the
# links.
function slug(heading) {
    heading = tolower(heading)
    gsub(/<[^>]*>/, "", heading)
    gsub(/\]\([^)]*\)/, "", heading)
    gsub(/[^a-z0-9_ -]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}

# "lab01/../book/x.md" without "lab01/..".
function resolved(path) {
    sub(/^[.]\//, "", path)
    while (sub(/[^\/]+\/[.][.]\//, "", path))
        ;
    return path
}

function check(target,    path, folder) {
    if (target ~ /^[a-z]+:/ || target !~ /#/)
        return
    path = target
    sub(/#.*/, "", path)
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
    path = path == "" ? resolved(FILENAME) : resolved(folder path)
    sub(/.*#/, "", target)
    if (path ~ /[.]md$/ && !((path, target) in anchor) && !((path, target) in told)) {
        print FILENAME ":" FNR ": the link to " path "#" target " leads nowhere"
        told[path, target] = 1
    }
}

FNR == 1 {
    fenced = 0
    again = (FILENAME in read) ? 1 : 0
    read[FILENAME] = 1
}
/^ *```/ { fenced = !fenced }
fenced || /^    / { next }
!again {
    if (/^#+ /) {
        name = $0
        sub(/^#+ /, "", name)
        name = slug(name)
        times = count[FILENAME, name]++
        anchor[resolved(FILENAME), name (times ? "-" times : "")] = 1
    }
    line = $0
    while (match(line, /<a (id|name)="[^"]*"/)) {
        name = substr(line, RSTART, RLENGTH - 1)
        sub(/.*"/, "", name)
        anchor[resolved(FILENAME), name] = 1
        line = substr(line, RSTART + RLENGTH)
    }
    next
}
{
    line = $0
    gsub(/`[^`]*`/, "", line)
    if (match(line, /^\[[^]]*\]: [^ ]+/)) {
        target = substr(line, 1, RLENGTH)
        sub(/^\[[^]]*\]: /, "", target)
        check(target)
    }
    while (match(line, /\]\([^)]*\)/)) {
        check(substr(line, RSTART + 2, RLENGTH - 3))
        line = substr(line, RSTART + RLENGTH)
    }
}
