# See book/tools/glossary. Reads the list of texts, the glossary, and the texts; writes to the folder `out`:
#   undefined  FILE:LINE:FORM           a term's first use that neither defines nor links it
#   wrong      FILE:LINE: what is wrong with the glossary, or a link to a term that it does not have
#   links      FILE LABEL ID            links in brackets without an address
#   places     ID|FILE|ANCHOR|LABEL     where terms are defined
#   api        GROUP|NAME|FILE|ANCHOR|LABEL, ideas: the same     what the index lists

function wrong(text) {
    print FILENAME ":" FNR ": " text > (out "/wrong")
}

# "Kahan's summation" as its words are compared: without 's, small letters but for abbreviations.
function normal(text) {
    gsub(/'s/, "", text)
    return text ~ /[A-Z][A-Z0-9]/ ? text : tolower(text)
}

function add_form(form, id,    n, words) {
    form = normal(form)
    if (form in id_of && id_of[form] != id)
        wrong("\"" form "\" belongs to two entries")
    id_of[form] = id
    n = split(form, words, " ")
    if (n > longest)
        longest = n
}

function slug(heading) {
    heading = tolower(heading)
    gsub(/[^a-z0-9_ -]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}

# The comment of an entry: further forms, where it is taught, and whether it is looked for.
function entry_comment(text, id,    n, i, part) {
    n = split(text, part, /; */)
    for (i = 1; i <= n; i++) {
        sub(/^also: /, "", part[i])
        if (part[i] == "unchecked")
            unchecked_id[id] = 1
        else if (part[i] ~ /^in: /) {
            print id "|" substr(part[i], 5) "||" > (out "/places")
            anywhere[id] = 1
        } else {
            add_form(part[i], id)
            if (part[i] !~ /s$/)
                add_form(part[i] "s", id)
        }
    }
}

function entry(line,    id, term) {
    if (!match(line, /^- <a id="[a-z0-9-]+"><\/a>\*\*[^*]+\*\*/) || line !~ /<!--taught-->/) {
        wrong("expected - <a id=\"term\"></a>**term**: Sentence. <!--taught-->")
        return
    }
    term = substr(line, 1, RLENGTH - 2)
    line = substr(line, RLENGTH + 1)
    id = term
    sub(/^- <a id="/, "", id)
    sub(/".*/, "", id)
    sub(/.*\*\*/, "", term)
    if (tolower(term) < last_term)
        wrong("\"" term "\" must come before \"" last_term "\"")
    last_term = tolower(term)
    if (id in term_of)
        wrong("two entries have the id " id)
    term_of[id] = term
    add_form(term, id)
    add_form(term "s", id)
    if (sub(/^<!--/, "", line)) {
        sub(/-->.*/, "", line)
        entry_comment(line, id)
    }
}

# ---- the words of a paragraph: word[], with its line, whether only a space precedes it, its bold span and its link ----

# The "[" at place i: an address or a term's brackets begin a link, which ends at place link_close.
function open_bracket(text, i, line,    rest, end, inner, after) {
    rest = substr(text, i + 1)
    end = index(rest, "]")
    if (!end)
        return
    inner = substr(rest, 1, end - 1)
    after = substr(rest, end + 1)
    gsub(/\n */, " ", inner)
    link_resume = 0
    if (after ~ /^\([^)]*\)/) {
        url[links_ + 1] = substr(after, 2, index(after, ")") - 2)
        link_resume = i + end + index(after, ")")
    } else if (normal(inner) in id_of) {
        url[links_ + 1] = "glossary.md#" id_of[normal(inner)]
        link_resume = i + end
        print file " " id_of[normal(inner)] " " inner > (out "/links")
    } else if (after !~ /^\[/ && inner ~ /^[A-Za-z][A-Za-z -]+[a-z]$/ && (i == 1 || substr(text, i - 1, 1) ~ /[ \n(*]/))
        print file ":" line ": [" inner "] is no term of the glossary" > (out "/wrong")
    if (link_resume) {
        link = ++links_
        link_close = i + end
    } else
        joined = 0
}

function add_word(text, line) {
    sub(/['-]+$/, "", text)
    sub(/'s$/, "", text)
    word[++words] = text
    word_line[words] = line
    word_joined[words] = joined
    word_bold[words] = bold
    word_link[words] = link
    if (bold)
        in_bold[bold]++
    joined = 1
}

function take_words(text, line,    i, c, n) {
    words = bold = bolds = link = links_ = joined = link_close = 0
    n = length(text)
    for (i = 1; i <= n; i++) {
        c = substr(text, i, 1)
        if (i == link_close) {
            i = link_resume
            link = 0
        } else if (c == "\n")
            line++
        else if (substr(text, i, 2) == "**") {
            bold = bold ? 0 : ++bolds
            i++
        } else if (c == "[")
            open_bracket(text, i, line)
        else if (match(substr(text, i), /^[A-Za-z0-9_-]+([.]|\/[a-z0-9_.\/-]*[.])(md|cu|c|h)/) ||
                 match(substr(text, i), /^(tests|docs|book|bench|build|sim|steps|common|harness)\/[A-Za-z0-9_.\/-]*/)) {
            i += RLENGTH - 1 # a path
            joined = 0
        } else if (match(substr(text, i), /^[A-Za-z0-9_][A-Za-z0-9_'-]*/)) {
            i += RLENGTH - 1
            add_word(substr(text, i - RLENGTH + 1, RLENGTH), line)
        } else if (c != " " && c != "*")
            joined = 0
    }
}

# How many words from i on are the longest form of a term; its id in found_id.
function form_at(i,    n, text, last, best, j) {
    best = 0
    last = i + longest - 1
    for (j = i; j <= words && j <= last; j++) {
        if (j > i && !word_joined[j])
            break
        text = j == i ? word[i] : text " " word[j]
        if (text in id_of) {
            best = j - i + 1
            found_id = id_of[text]
        } else if (tolower(text) in id_of) {
            best = j - i + 1
            found_id = id_of[tolower(text)]
        }
    }
    return best
}

function known(id) {
    return id in unchecked_id || (file, id) in met || \
        (kind == "chapter" ? id in taught_in && taught_in[id] <= lab : id in taught) || \
        (kind == "appendix" && id in taught_beside)
}

# Whether the n words from i on, all of a bold span, are a form of the term. ("**atomic** operation" defines it, too.)
function is_form(i, n, id,    text, j) {
    text = word[i]
    for (j = 1; j < n; j++) {
        if (word_bold[i + j] != word_bold[i])
            return 0
        text = text " " word[i + j]
    }
    return (text in id_of && id_of[text] == id) || (tolower(text) in id_of && id_of[tolower(text)] == id)
}

function use(id, i, n,    j, form) {
    form = word[i]
    for (j = 1; j < n; j++)
        form = form " " word[i + j]
    if (word_bold[i] && is_form(i, in_bold[word_bold[i]], id)) {
        if (!((id, file, anchor) in placed)) {
            print id "|" file "|" anchor "|" label > (out "/places")
            anywhere[id] = 1
            print "1 idea|" term_of[id] "|" file "|" anchor "|" label "|" id > (out "/ideas")
        }
        placed[id, file, anchor] = 1
        met[file, id] = 1
        if (kind == "chain") {
            taught[id] = 1
            if (!(id in taught_in))
                taught_in[id] = lab
        } else if (kind == "appendix")
            taught_beside[id] = 1
    } else if (covered) {
        met[file, id] = 1
    } else if (word_link[i] && url[word_link[i]] ~ /glossary[.]md#/) {
        if (url[word_link[i]] !~ ("#" id "$"))
            print file ":" word_line[i] ": \"" form "\" is the term " id ", and its link leads elsewhere" > (out "/wrong")
        met[file, id] = 1
    } else if (!known(id)) {
        print file ":" word_line[i] ":" form > (out "/undefined")
        met[file, id] = 1
    }
}

function end_paragraph(    i, n) {
    if (paragraph == "")
        return
    for (i in in_bold)
        delete in_bold[i]
    covered = table && covers
    covers = 0
    take_words(paragraph, paragraph_line)
    for (i = 1; i <= links_; i++)
        if (url[i] ~ /glossary[.]md$/)
            covers = 1
    for (i = 1; i <= words; i += n > 0 ? n : 1)
        if ((n = form_at(i)) > 0)
            use(found_id, i, n)
    paragraph = ""
}

# ---- what the index lists -----------------------------------------------------------------------------------------------

function list(group, name) {
    if ((group, name, file, anchor) in listed)
        return
    listed[group, name, file, anchor] = 1
    if (kind != "chain" || lab > 0)
        print group "|" name "|" file "|" anchor "|" label "|" (heading ~ /Questions|Exercises/ ? "asked" : "") > (out "/api")
}

function list_names(line,    name) {
    gsub(/<!--[^>]*-->/, "", line)
    gsub(/\]\([^)]*\)/, "]", line)
    while (match(line, /[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*|[.][A-Za-z0-9_]+)*/)) {
        name = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (name ~ /^cuda[A-Z][A-Za-z0-9]+$/ && name !~ /^cuda(Memcpy(Host|Device)|Error|Func[A-Z]*Attribute[A-Z]|Success|MemAdvise[A-Z]|Boundary|ArraySurface|StreamNon|Mem(Location|Attach))/)
            list("2 host", name)
        else if (name ~ /^cu[A-Z][A-Za-z]+$/ && name !~ /^cuBLAS/)
            list("2 host", name)
        else if (name ~ /^__[a-z][a-z0-9_]*$/ && name !~ /^__atomic/)
            list("3 kernel", name)
        else if (name ~ /^atomic[A-Z][A-Za-z]*(_block|_system)?$/ && name != "atomicMul")
            list("3 kernel", name)
        else if (name ~ /^(threadIdx|blockIdx|blockDim|gridDim|warpSize|float4|double2|half2|dim3)([.].*)?$/) {
            sub(/[.].*/, "", name)
            list("3 kernel", name)
        } else if (name ~ /^surf2D(read|write)$/)
            list("3 kernel", name)
        else if (name ~ /^cg::[a-z_]+$/)
            list("4 groups", name)
        else if (name ~ /^(tile|group|block|grid)[.](sync|shfl_[a-z]+|size|thread_rank|meta_group_rank)$/) {
            sub(/^[a-z]+/, "group", name)
            list("4 groups", name)
        } else if (name ~ /^(FFMA|IMAD|LDG|STG|LDS|STS|LDL|STL|LDC|ULDC|BAR|SHFL|BRA|ATOMS|RED)([.][A-Z0-9.]+)?$/)
            list("6 machine", name)
        else if (name ~ /^cp[.]async$/)
            list("5 ptx", name)
        else if (name ~ /^(CHECK|timer_[a-z]+|play_sets)$/)
            list("7 course", name)
    }
    if (line ~ /#pragma unroll/)
        list("3 kernel", "#pragma unroll")
}

# ---- the files ----------------------------------------------------------------------------------------------------------

FILENAME ~ /\/texts$/ {
    kind_of[$1] = $2
    lab_of[$1] = $3
    next
}
FILENAME == "book/glossary.md" {
    if (/^- /)
        entry($0)
    next
}
FNR == 1 {
    end_paragraph()
    file = FILENAME
    kind = kind_of[file]
    lab = lab_of[file] + 0
    fenced = titles = 0
    heading = ""
    anchor = ""
    name = file
    if (file ~ /^lab/)
        name = "lab " substr(file, 4, 2) (file ~ /appendix/ ? ", appendix" : "")
    else {
        sub(/.*\//, "", name)
        sub(/[.]md$/, "", name)
    }
    label = name
}
/^ *```/ {
    fenced = !fenced
    end_paragraph()
    next
}
{ list_names($0); if (/#pragma unroll/) list("3 kernel", "#pragma unroll") }
fenced { next }
/^#+ / {
    titles = /[Ff]urther reading/ # of others' texts
    end_paragraph()
    heading = $0
    sub(/^#+ /, "", heading)
    if (/^# /)
        next
    anchor = slug(heading)
    label = name (match(heading, /^[0-9]+[.] /) ? " §" substr(heading, 1, RLENGTH - 2) : ", " heading)
    next
}
titles || /^ *$/ || /^    / || /^\[[^]]*\]: / {
    end_paragraph()
    next
}
{
    line = $0
    while (match(line, /<!--index: [^>]*-->/)) {
        n = split(substr(line, RSTART + 11, RLENGTH - 14), idea, /; */)
        for (i = 1; i <= n; i++)
            print "1 idea|" idea[i] "|" file "|" anchor "|" label > (out "/ideas")
        line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
    }
    gsub(/`[^`]*`/, ";", line)
    while (match(line, /<!--no term: [^>]*-->/)) {
        met[file, id_of[substr(line, RSTART + 13, RLENGTH - 16)]] = 1
        line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
    }
    gsub(/<!--[^>]*-->/, "", line)
    gsub(/<[^>]*>/, "", line)
    gsub(/https?:[^ >)]*/, ";", line)
    if (paragraph == "") {
        table = line ~ /^\|/
        paragraph = line
        paragraph_line = FNR
    } else
        paragraph = paragraph "\n" line
}
END {
    end_paragraph()
    for (id in term_of)
        if (!(id in anywhere))
            print "book/glossary.md: no text defines \"" term_of[id] "\", and its entry has no in:" > (out "/wrong")
}
