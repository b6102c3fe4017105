# See tests/readability: one row of its table, from a lab's notes.
function syllables(word,    n) {
    word = tolower(word)
    if (word !~ /[a-z]/)
        return 1
    if (word ~ /es$/ && word !~ /(s|x|z|ch|sh|c|g)es$/)
        sub(/s$/, "", word)
    if (word ~ /[^dt]ed$/)
        sub(/ed$/, "d", word)
    else if (word ~ /[^l]e$/ || word ~ /[aeiouy]le$/)
        sub(/e$/, "", word)
    n = gsub(/[aeiouy]+/, "", word)
    return n ? n : 1
}

# A paragraph, list item or cell of text: its words, and its sentences.
function count(text,    n, i, part, in_sentence) {
    gsub(/[*_]/, "", text)
    n = split(text, part, /[ \n]+/)
    in_sentence = 0
    for (i = 1; i <= n; i++) {
        if (part[i] !~ /[A-Za-z0-9]/)
            continue
        words++
        in_sentence = 1
        gsub(/['`]/, "", part[i])
        sounds += syllables(part[i])
        if (part[i] ~ /[.?!][")]*$/) {
            sentences++
            in_sentence = 0
        }
    }
    sentences += in_sentence
}

function end_paragraph(    before) {
    if (paragraph == "")
        return
    # A picture counts as little as a drawing does; its caption counts.
    if (paragraph ~ /^\n!\[/) {
        paragraph = ""
        return
    }
    if (details) {
        before = words " " sentences " " sounds
        count(paragraph)
        split(before, kept, " ")
        folded += words - kept[1]
        words = kept[1]
        sentences = kept[2]
        sounds = kept[3]
    } else
        count(paragraph)
    paragraph = ""
}

BEGIN { words = sentences = sounds = folded = details = 0 }
/^ *```/ {
    fenced = !fenced
    end_paragraph()
    next
}
fenced || /^    / || /^ *\|/ || /^#/ || /^\[[^]]*\]: / || /^ *$/ {
    end_paragraph()
    next
}
/<details>/ {
    end_paragraph()
    details = 1
}
/<\/details>/ {
    end_paragraph()
    details = 0
}
{
    line = $0
    gsub(/`[^`]*`/, "X", line)
    gsub(/<!--[^>]*-->/, "", line)
    gsub(/<[^>]*>/, "", line)
    gsub(/\]\([^)]*\)/, "]", line)
    gsub(/https?:[^ >)]*/, "", line)
    if (line ~ /^ *([-*]|[0-9]+[.]) /) {
        end_paragraph()
        sub(/^ *([-*]|[0-9]+[.]) /, "", line)
    }
    paragraph = paragraph "\n" line
}
END {
    end_paragraph()
    printf "| %s | %d | %d | %.1f | %.0f | %d | %d |\n", lab, words, folded, words / sentences,
        206.835 - 1.015 * words / sentences - 84.6 * sounds / words, undefined, patterns
}
