# See book/tools/glossary: book/index.md, from lines GROUP|NAME|FILE|ANCHOR|LABEL that are sorted by group and name; an idea that is
# a term of the glossary has its id as a sixth field.
function begin_group(group) {
    print "\n## " heading[group] "\n"
}
function end_name() {
    if (name != "")
        print "- " shown ": " (places == "" ? asked : places)
}
# Where a question asks for it, only if no section explains it.
function add(to,    path) {
    path = $3
    if (!sub(/^book\//, "", path))
        path = "../" path
    return to (to == "" ? "" : ", ") "[" $5 "](" path ($4 == "" ? "" : "#" $4) ")"
}
BEGIN {
    FS = "|"
    heading["1 idea"] = "Ideas and terms"
    heading["2 host"] = "The host's calls"
    heading["3 kernel"] = "In kernels"
    heading["4 groups"] = "Cooperative groups"
    heading["5 ptx"] = "PTX"
    heading["6 machine"] = "Machine code (SASS)"
    heading["7 course"] = "This course's own functions"
    print "# Index\n"
    print "Where to find a subject in the notes and chapters; the [glossary](glossary.md) says in one sentence what a term means. The notes come first, in"
    print "reading order, then the chapters; if there are many sections, only the first ones are listed."
    print "\n<!-- book/tools/glossary put makes this file from the texts. -->"
}
{
    if ($1 != group) {
        end_name()
        name = ""
        begin_group($1)
        group = $1
    }
    if ($2 != name) {
        end_name()
        name = $2
        shown = $1 != "1 idea" ? "`" name "`" : $6 != "" ? "[" name "](glossary.md#" $6 ")" : name
        places = asked = ""
        count = 0
        split("", had)
    }
    if (!(($3, $4) in had)) {
        if ($6 == "asked")
            asked = add(asked)
        else if (++count <= ($1 == "1 idea" ? 10 : 4))
            places = add(places)
    }
    had[$3, $4] = 1
}
END { end_name() }
