# awk -f bands.awk HALVES GPU.csv MODEL.csv [GPU.csv MODEL.csv]...: the margins of sim/model/band.c. HALVES: what the script
# `halves` prints; the files come in pairs, measured and modeled times of one device.
#
# Of the kernels that are held out, at all sizes, measured / modeled by the model's limiter. Of n such figures in order,
# leave out a from below and b from above, so that a + b is the whole part of 0.1 (n + 1), and neither is 0: another
# kernel of that kind lies between the a-th from below and the b-th from above with a probability of at least 90 % (order
# statistics: each of the n + 1 gaps is as likely; no shape of distribution is assumed). Of these pairs a, b the one
# with the least ratio of its ends counts. A limiter with fewer than 29 figures, where a + b would be 1 or 2, takes the margins of all.
#
# Prints a table, the rows of band.c, and how many of the labs' and the fitted kernels keep their margins.

function up(part) { return part <= 0 ? 0 : int(100 * part + 1 - 1e-9) / 100 }

# Sorts figure[1..n] (insertion; there are a few hundred).
function sort(figure, n,    i, k, v) {
    for (i = 2; i <= n; i++) {
        v = figure[i]
        for (k = i - 1; k >= 1 && figure[k] > v; k--) figure[k + 1] = figure[k]
        figure[k + 1] = v
    }
}

# The margins of the held-out pairs with this limiter ("": all) in less and more; returns how many there are.
function margins(limiter,    i, n, out, a, width, least, sorted) {
    for (i = 1; i <= pairs; i++)
        if (half[kernel[i]] == "held-out" && (limiter == "" || by[i] == limiter))
            sorted[++n] = ratio[i]
    if (n < LEAST) return n + 0
    out = int(0.1 * (n + 1))
    sort(sorted, n)
    for (a = 1; a < out; a++) {
        width = sorted[n + 1 - (out - a)] / sorted[a]
        if (least && width >= least) continue
        least = width
        less = up(1 - sorted[a])
        more = up(sorted[n + 1 - (out - a)] - 1)
    }
    return n + 0
}

# "40 of 44" of the pairs of a half with this limiter keep the margins; adds to total, inside and under of that half.
function kept(which, limiter,    i, count, good) {
    for (i = 1; i <= pairs; i++) {
        if (half[kernel[i]] != which || by[i] != limiter) continue
        count++
        under[which] += ratio[i] < 1 - less
        good += ratio[i] >= 1 - less && ratio[i] <= 1 + more
    }
    total[which] += count
    inside[which] += good
    return count ? good " of " count : "none"
}

BEGIN { FS = ","; LEAST = 29 }
FNR == 1 { file++ }
file == 1 { split($0, part, " "); half[part[1]] = part[2]; next }
/^#/ || /^kernel,/ { next }
file % 2 == 0 { measured[file, $1, $2, $3] = $4; next }
(file - 1, $1, $2, $3) in measured && $1 in half && $4 > 0 {
    pairs++
    kernel[pairs] = $1; by[pairs] = $5; ratio[pairs] = measured[file - 1, $1, $2, $3] / $4
    if (!($5 in seen)) { seen[$5] = 1; limiters[++limiter_count] = $5 }
}
END {
    margins("")
    all_less = less; all_more = more
    print "| limiter | held-out times | less | more | fitted times within | the labs' times within |\n|---|---|---|---|---|---|"
    for (i = 1; i <= limiter_count; i++) {
        less = all_less; more = all_more
        n = margins(limiters[i])
        printf "| %s | %d | %.0f %% | %.0f %% | %s | %s |\n", limiters[i], n, 100 * less, 100 * more, \
            kept("fitted", limiters[i]), kept("lab", limiters[i])
        if (n >= LEAST) rows = rows sprintf("    {\"%s\", {%.2f, %.2f}},\n", limiters[i], less, more)
    }
    printf "| all | %d | %.0f %% | %.0f %% | | |\n\n%s    others = {%.2f, %.2f}\n\n", margins(""), 100 * all_less, \
        100 * all_more, rows, all_less, all_more
    for (which in total)
        if (total[which]) printf "Of %d times (%s), %.1f %% are within the margins and %.1f %% below.\n", total[which], which, \
            100 * inside[which] / total[which], 100 * under[which] / total[which]
}
