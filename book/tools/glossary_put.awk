# See book/tools/glossary: the glossary with the links to where each term is taught, from `places` (ID|FILE|ANCHOR|LABEL).
function link(path, anchor, label,    from_book) {
    from_book = path
    if (!sub(/^book\//, "", from_book))
        from_book = "../" path
    return "[" label "](" from_book (anchor == "" ? "" : "#" anchor) ")"
}
BEGIN {
    while ((getline line < places) > 0) {
        split(line, part, "|")
        if (part[4] == "") {
            label = part[2]
            gsub(/^([.][.]\/)+|#.*/, "", label)
            if (label ~ /^lab/)
                label = "lab " substr(label, 4, 2) (label ~ /appendix/ ? ", appendix" : "")
            else {
                sub(/^docs\//, "", label)
                sub(/[.]md$/, "", label)
            }
            if (match(part[2], /#[0-9]+-/))
                label = label " §" substr(part[2], RSTART + 1, RLENGTH - 2)
            text = "[" label "](" part[2] ")"
        } else
            text = link(part[2], part[3], part[4])
        if (!index(taught[part[1]], text) && ++count[part[1]] <= 4)
            taught[part[1]] = taught[part[1]] (count[part[1]] > 1 ? ", " : "") text
    }
}
/^- <a id="/ {
    id = $0
    sub(/^- <a id="/, "", id)
    sub(/".*/, "", id)
    sub(/<!--taught-->.*/, "<!--taught-->")
    print $0 (id in taught ? taught[id] : "(no text defines it)")
    next
}
{ print }
