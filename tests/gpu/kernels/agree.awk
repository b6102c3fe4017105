# awk -f agree.awk HALVES LIMITERS.csv MODEL.csv: the model's limiters beside those that limiters.awk found. A table
# of what the model says against what ncu says, the share that agrees, and the kernels that do not. Exit: 0 if at least
# 85 % agree, 1 if not.

# The model's words in those of limiters.awk.
function plain(text) {
    if (text ~ /atomic/) return "atomics"
    if (text ~ /DRAM|memory bandwidth/ && text !~ /shared/) return "DRAM"
    if (text ~ /L2/) return "L2"
    if (text ~ /L1|shared|local|load.store/) return "L1 or shared memory"
    if (text ~ /FP64|double/) return "FP64"
    if (text ~ /FP32|float/) return "FP32"
    if (text ~ /integer/) return "integer"
    if (text ~ /special|conversion/) return "special functions"
    if (text ~ /issue/) return "issue"
    if (text ~ /constant/) return "constant"
    if (text ~ /barrier/) return "barriers"
    if (text ~ /block|launch/) return "launch"
    if (text ~ /latency|chain|tail/) return "latency"
    return text
}
BEGIN { FS = "," }
/^#/ || /^kernel,/ { next }
FILENAME == ARGV[1] { split($0, part, " "); half[part[1]] = part[2]; next }
FILENAME == ARGV[2] { busiest[$1, $2, $3] = $4; busy[$1, $2, $3] = $5; stall[$1, $2, $3] = $6; names[$1, $2, $3] = $7; next }
($1, $2, $3) in names && $1 in half {
    said = plain($5)
    agree = index(";" names[$1, $2, $3] ";", ";" said ";") > 0
    total[half[$1]]++; right[half[$1]] += agree
    total["all"]++; right["all"] += agree
    table[said, agree]++
    if (!(said in words)) word[++word_count] = said
    words[said]++
    if (!agree)
        wrong[++wrongs] = sprintf("| %s | %s | %s | %s, %.0f %% | %s | %s |", $1, $2, $5, busiest[$1, $2, $3],
            busy[$1, $2, $3], stall[$1, $2, $3], names[$1, $2, $3])
}
END {
    if (!total["all"]) { print "agree.awk: no kernel is in both files" >"/dev/stderr"; exit 2 }
    if (wrongs)
        print "\n| disagree | size | the model's | busiest unit by ncu | top stall | right would be |\n|---|---|---|---|---|---|"
    for (w = 1; w <= wrongs; w++) print wrong[w]
    print "\n| the model's limiter | kernels | ncu agrees |\n|---|---|---|"
    for (w = 1; w <= word_count; w++)
        printf "| %s | %d | %.0f %% |\n", word[w], words[word[w]], 100 * table[word[w], 1] / words[word[w]]
    print "\n| kernels | number | ncu agrees |\n|---|---|---|"
    split("fitted held-out lab all", group, " ")
    for (g = 1; g <= 4; g++)
        if (total[group[g]])
            printf "| %s | %d | %.1f %% |\n", group[g], total[group[g]], 100 * right[group[g]] / total[group[g]]
    printf "\nGoal of the limiters (85 %% agree): %s\n", right["all"] < 0.85 * total["all"] ? "MISSED" : "met"
    exit right["all"] < 0.85 * total["all"]
}
