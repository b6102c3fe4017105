# awk -f picture/cut.awk PIECES: one picture of the notes, from pages of ./grader --html.
#
# PIECES has a line for each piece, one below the other in the picture, of fields between tabs: page, class of the
# figure, line of the source or "" (any), the how manieth of those, title or "". Exit 1: a page has no such figure.

# The figure's <svg>, with `top` as its y.
function take(page, class, line, nth, top,  text, inside, found) {
    piece = ""
    while ((getline text <page) > 0) {
        if (text == "<style>") {
            getline style <page
        } else if (index(text, "<figure class=\"" class "\"") == 1) {
            inside = line == "" || index(text, " data-line=\"" line "\"")
            inside = inside && ++found == nth
        } else if (inside && text ~ /^<svg /) {
            match(text, /viewBox="[^"]*"/)
            split(substr(text, RSTART + 9, RLENGTH - 10), box, " ")
            width = box[3] > width ? box[3] : width
            height = box[4]
            match(text, /aria-label="[^"]*"/)
            told = told (told == "" ? "" : "; ") substr(text, RSTART + 12, RLENGTH - 13)
            piece = "<svg y=\"" top "\" width=\"" box[3] "\" height=\"" height "\">\n"
        } else if (inside && piece != "") {
            piece = piece text "\n"
            if (text == "</svg>")
                inside = 0
        }
    }
    close(page)
    return piece != ""
}

# The colors of a ":root{...}" into color[].
function take_colors(text,  pair, count, i, parts) {
    count = split(text, pair, ";")
    for (i = 1; i <= count; i++)
        if (split(pair[i], parts, ":") == 2)
            color[parts[1]] = parts[2]
}

# The rule with colors instead of their names, which not every program that shows SVG understands.
function colored(rule,  name) {
    while (match(rule, /var\(--[a-z]*\)/)) {
        name = substr(rule, RSTART + 4, RLENGTH - 5)
        rule = substr(rule, 1, RSTART - 1) color[name] substr(rule, RSTART + RLENGTH)
    }
    return rule "}"
}

# Has the picture anything of a class that the rule is about?
function is_used(rule,  names, count, k) {
    if (rule !~ /^\./ || index(rule, ".page") == 1)
        return 1
    count = split(rule, names, /[.,{]/)
    for (k = 2; k <= count; k++)
        if (names[k] ~ /^[a-z]+$/ && body ~ ("class=\"([a-z ]* )?" names[k] "[ \"]"))
            return 1
    return 0
}

# The style sheet: what this picture has classes of, light and then dark.
function rules(  rule, count, i, roots, light, dark, rest) {
    rest = style
    for (roots = 1; match(rest, /:root\{[^}]*\}/); roots++) {
        root[roots] = substr(rest, RSTART + 6, RLENGTH - 7)
        rest = substr(rest, 1, RSTART - 1) substr(rest, RSTART + RLENGTH)
    }
    sub(/@media[^{]*\{\}/, "", rest)
    count = split(rest, rule, "}")
    take_colors(root[1])
    for (i = 1; i < count; i++)
        light = light (is_used(rule[i]) ? colored(rule[i]) : "")
    take_colors(root[2])
    for (i = 1; i < count; i++)
        dark = dark (rule[i] ~ /var/ && is_used(rule[i]) ? colored(rule[i]) : "")
    return light "@media(prefers-color-scheme:dark){" dark "}"
}

BEGIN { FS = "\t"; top = 8; width = 0 }

{
    if ($5 != "") {
        body = body "<text x=\"10\" y=\"" top + 14 "\" class=\"title\">" $5 "</text>\n"
        top += 24
    }
    if (!take($1, $2, $3, $4 == "" ? 1 : $4, top)) {
        printf "%s has no figure \"%s\" (line %s, number %s)\n", $1, $2, $3, $4 >"/dev/stderr"
        failed = 1
        exit 1
    }
    body = body piece
    top += height + 8
}

END {
    if (failed)
        exit 1
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" role=\"img\">\n", \
        width, top, width, top
    printf "<title>%s</title>\n<style>%s.title{font-weight:600}</style>\n", told, rules()
    printf "<rect width=\"%g\" height=\"%g\" rx=\"6\" class=\"page\"/>\n%s</svg>\n", width, top, body
}
