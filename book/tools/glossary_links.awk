# See book/tools/glossary: a text with the addresses of its links to the glossary at its end, from `links` (FILE ID LABEL).
BEGIN {
    path = file ~ /^lab/ ? "../book/glossary.md" : file ~ /^book\// ? "glossary.md" : "book/glossary.md"
    while ((getline line < links) > 0) {
        split(line, part, " ")
        if (part[1] != file)
            continue
        label = line
        sub(/^[^ ]* [^ ]* /, "", label)
        if (!(tolower(label) in seen))
            address[++n] = "[" tolower(label) "]: " path "#" part[2]
        seen[tolower(label)] = 1
    }
}
/^\[[^]]*\]: .*glossary[.]md#/ { next }
/^ *$/ { blank = blank $0 "\n"; next }
{ printf "%s%s\n", blank, $0; blank = "" }
END {
    if (n)
        print ""
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && address[j - 1] > address[j]; j--) {
            swap = address[j]
            address[j] = address[j - 1]
            address[j - 1] = swap
        }
    for (i = 1; i <= n; i++)
        print address[i]
}
