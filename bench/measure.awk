# What the programs of bench/measure printed, as one JSON object: a line for each figure, in the order of their names.
#   roof.copy_gbs                          build/calibrate
#   lab05.warp_scan.float.ms               the median of that lab's gradings; .gbs, .percent (of the roof), .gflops
#   conv.float.16.268435456.lab07_05.ms    bench/conv; .rate (GB/s or GFLOP/s), .percent; .memcpy and .peak are the anchors
#   cub.float.sum_65536.batch_ms           bench/against_cub; .batch_cub_ms, .batch_ratio, the same with single, .gbs
#   ladder.float.06_shuffles.kernel_ms     bench/ladder; .whole_ms, .gbs, .percent, .kernel_x, .whole_x
#   cublas.2048x2048x2048.step14.ratio     bench/against_cublas; .ms, .gflops, .percent
# -v date=2026-11-22: the day of the measurement.

function figure(name, value) {
    if (!(name in figures))
        order[++count] = name
    figures[name] = value
}

# Of several gradings.
function sample(name, value) {
    samples[name] = samples[name] " " value
}

function median(text,    n, part, i, j, held) {
    n = split(text, part, " ")
    for (i = 2; i <= n; i++) {
        held = part[i] + 0
        for (j = i - 1; j > 0 && part[j] + 0 > held; j--)
            part[j + 1] = part[j]
        part[j + 1] = held
    }
    return n % 2 ? part[(n + 1) / 2] + 0 : (part[n / 2] + part[n / 2 + 1]) / 2
}

function words(text) {
    text = tolower(text)
    gsub(/2\^/, "2_", text)
    gsub(/[^a-z0-9]+/, "_", text)
    sub(/^_/, "", text)
    sub(/_$/, "", text)
    return text
}

FNR == 1 {
    file = FILENAME
    sub(/.*\//, "", file)
    real = file ~ /double/ ? "double" : "float"
}

# ---- calibrate.txt ---------------------------------------------------------------------------------------------

file == "calibrate.txt" && split($0, pair, "=") == 2 {
    if (pair[1] == "name" || pair[1] == "driver" || pair[1] == "runtime")
        device[pair[1]] = pair[2]
    else if (pair[1] != "uuid" && pair[2] ~ /^[0-9.]+$/)
        figure("roof." pair[1], pair[2])
}

# ---- labNN-float-solution-K.json -------------------------------------------------------------------------------

file ~ /[.]json$/ {
    split($0, quoted, "\"")
    value = $0
    sub(/^[^:]*: /, "", value)
    gsub(/[",]/, "", value)
    if (quoted[2] == "lab")
        lab = value
    if (quoted[2] == "id")
        task = value
    if (quoted[2] == "speed")
        in_speed = $0 ~ /[{]/
    if (in_speed && quoted[2] == "milliseconds" && value > 0)
        sample(lab "." task "." real ".ms", value)
    if (in_speed && quoted[2] == "gb_per_s" && value > 0)
        sample(lab "." task "." real ".gbs", value)
    if (in_speed && quoted[2] == "gflop_per_s" && value > 0)
        sample(lab "." task "." real ".gflops", value)
    if (in_speed && quoted[2] == "percent_of_roof" && value > 0)
        sample(lab "." task "." real ".percent", value)
}

# ---- conv-float.txt --------------------------------------------------------------------------------------------

file ~ /^conv-/ && /^ *[0-9]+ taps, [0-9]+ outputs/ {
    at = "conv." real "." $1 "." $3
}
file ~ /^conv-/ && at != "" && NF >= 5 && $NF ~ /^[0-9.]+$/ && $(NF - 3) ~ /^[0-9.]+$/ {
    row = $1
    if (row == "multiply-adds")
        row = "peak"
    else if (row == "cudaMemcpy")
        row = "memcpy"
    else if (match(row, /^lab0[78]_step[0-9][0-9]/))
        row = substr(row, 1, 6) substr(row, 11, 2) (row ~ /one_b/ ? substr(row, index(row, "_one_b")) : "")
    figure(at "." row ".ms", $(NF - 3))
    figure(at "." row ".rate", $(NF - 1))
    figure(at "." row ".percent", $NF)
}

# ---- cub-float.txt ---------------------------------------------------------------------------------------------

file ~ /^cub-/ && NF >= 8 && $NF ~ /^[0-9.]+$/ && $(NF - 6) ~ /^[0-9.]+$/ {
    row = $1
    for (i = 2; i <= NF - 7; i++)
        if ($i != "of")
            row = row "_" $i
    at = "cub." real "." words(row)
    figure(at ".batch_ms", $(NF - 6))
    figure(at ".batch_cub_ms", $(NF - 5))
    figure(at ".batch_ratio", $(NF - 4))
    figure(at ".single_ms", $(NF - 3))
    figure(at ".single_cub_ms", $(NF - 2))
    figure(at ".single_ratio", $(NF - 1))
    figure(at ".gbs", $NF)
}

# ---- ladder-float.txt ------------------------------------------------------------------------------------------

file ~ /^ladder-/ && ($1 ~ /^[0-9][0-9]$/ || $1 == "--") && $NF ~ /^[0-9.]+$/ {
    row = $1 == "--" ? "cub" : $1
    if ($1 != "--")
        for (i = 2; i <= NF - 6; i++)
            row = row "_" $i
    at = "ladder." real "." words(row)
    figure(at ".kernel_ms", $(NF - 5))
    figure(at ".whole_ms", $(NF - 4))
    figure(at ".gbs", $(NF - 3))
    figure(at ".percent", $(NF - 2))
    figure(at ".kernel_x", $(NF - 1))
    figure(at ".whole_x", $NF)
}

# ---- cublas.txt ------------------------------------------------------------------------------------------------

file == "cublas.txt" && NF == 5 && $2 == "x" && $4 == "x" {
    shape = $1 "x" $3 "x" $5
}
file == "cublas.txt" && NF == 5 && $NF ~ /^[0-9.]+$/ && $2 ~ /^[0-9.]+$/ {
    row = tolower($1)
    if (match(row, /^step[0-9][0-9]/))
        row = substr(row, 1, RLENGTH)
    at = "cublas." shape "." row
    figure(at ".ms", $2)
    figure(at ".gflops", $3)
    figure(at ".percent", $4)
    figure(at ".ratio", $5)
}

END {
    for (name in samples)
        figure(name, sprintf("%.6g", median(samples[name])))
    printf "{\n  \"device\": \"%s\",\n  \"driver\": \"CUDA %s\",\n  \"date\": \"%s\",\n  \"command\": \"make measure\"",
        device["name"], device["driver"], date
    for (i = 2; i <= count; i++) {
        held = order[i]
        for (j = i - 1; j > 0 && order[j] > held; j--)
            order[j + 1] = order[j]
        order[j + 1] = held
    }
    for (i = 1; i <= count; i++)
        printf ",\n  \"%s\": %s", order[i], figures[order[i]]
    print "\n}"
}
