# tests/layers.awk: who uses whom in sim/ and harness/, from the lines that `tests/check layers` collects:
#
#   layer NAME [APART]     a layer; each may use itself and those that were named before it. With APART, the names of the only ones
#                          (or the start of their names) that it may use; no other layer uses it
#   file FILE              there is such a file
#   include FILE HEADER    FILE includes "HEADER"
#   defines FILE SYMBOL    FILE's object defines SYMBOL
#   needs FILE SYMBOL      FILE's object leaves SYMBOL undefined
#
# Files are paths like sim/core/simd.c, of the layer sim/core; harness/main.c is a layer of its own. Prints each edge that runs up, then
# how many there are. Status 1: some do.

function layer_of(file, part)
{
    split(file, part, "/")
    return part[1] "/" part[2]
}

# Whether layer a may use layer b.
function may_use(a, b, only, i, count)
{
    if (!(a in rank) || !(b in rank) || b in apart)
        return 0
    if (!(a in apart))
        return rank[b] < rank[a]
    count = split(apart[a], only, " ")
    for (i = 1; i <= count; i++)
        if (index(b, only[i]) == 1)
            return 1
    return 0
}

# A header belongs to the source file of the same name.
function unit_of(file)
{
    sub(/\.[ch]$/, "", file)
    return file
}

function edge(from, to, why, a, b)
{
    if (from == to || edges[from, to]++)
        return
    a = layer_of(from)
    b = layer_of(to)
    if (a != b) {
        between++
        arrows[a, b] = 1
        if (!may_use(a, b)) {
            printf "%s uses %s: %s\n", from, to, why
            upward++
        }
    } else if (unit_of(from) != unit_of(to))
        uses[unit_of(from)] = uses[unit_of(from)] " " unit_of(to)
}

# Whether `from` reaches `goal` through files of their folder.
function reaches(from, goal, seen, list, count, i)
{
    if (from in seen)
        return 0
    seen[from] = 1
    count = split(uses[from], list, " ")
    for (i = 1; i <= count; i++)
        if (list[i] == goal || reaches(list[i], goal, seen))
            return 1
    return 0
}

$1 == "layer" {
    rank[$2] = ++layers
    name[layers] = $2
    if (NF > 2)
        apart[$2] = substr($0, index($0, $3))
}
$1 == "file" { folders[layer_of($2)] = $2 }
$1 == "include" { edge($2, $3, "#include") }
$1 == "defines" { home[$3] = $2 }
$1 == "needs" { need_file[++needs] = $2; need_symbol[needs] = $3 }

END {
    for (i = 1; i <= needs; i++)
        if (need_symbol[i] in home)
            edge(need_file[i], home[need_symbol[i]], "calls " need_symbol[i])
    for (pair in arrows)
        arrow_count++
    for (folder in folders)
        if (!(folder in rank)) {
            printf "%s is in no layer of the list\n", folders[folder]
            upward++
        }
    for (file in uses) {
        delete seen
        if (reaches(file, file, seen))
            circling[layer_of(file)]++
    }
    printf "%d upward edges of %d between files of different layers (%d layers, %d arrows between them)\n",
        upward, between, layers, arrow_count
    for (i = 1; i <= layers; i++)
        if (circling[name[i]])
            text = text sprintf(" %s %d", name[i], circling[name[i]])
    print "files in circles, inside one layer:" (text ? text : " none")
    exit upward > 0 || !between
}
