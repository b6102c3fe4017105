# awk -f limiters.awk MODEL.csv NCU.csv: from what ncu measured (--csv --page raw), what holds each kernel back. Of a
# row that launches several kernels the longest counts. CSV: kernel,size,n, the busiest unit, per cent of its peak,
# the stall reason that most warps wait for, and the names that a model may give, with semicolons between them.
#
# Right are the busiest unit, and what most warps wait for; but a unit at 80 % or more of its peak is the limit (Nsight
# Compute's own rule), whatever warps wait for, and below 30 % it is none. Units within 10 points of the busiest
# one are as right as it is.

function number(text) { gsub(/,/, "", text); return text + 0 }
function per_cent(metric) { return number(field[column[metric ".pct_of_peak_sustained_elapsed"]]) }
function unit(name, value) { if (!(name in busy) || value > busy[name]) busy[name] = value }

function measure_units(    adu) {
    split("", busy)
    unit("DRAM", per_cent("dram__throughput.avg"))
    unit("L2", per_cent("lts__throughput.avg"))
    unit("L1 or shared memory", per_cent("l1tex__data_pipe_lsu_wavefronts.avg"))
    unit("L1 or shared memory", per_cent("sm__inst_executed_pipe_lsu.avg"))
    unit("integer", per_cent("sm__pipe_alu_cycles_active.avg"))
    unit("integer", per_cent("sm__pipe_fmaheavy_cycles_active.avg"))
    unit("FP32", per_cent("sm__pipe_fma_cycles_active.avg"))
    unit("FP64", per_cent("sm__pipe_fp64_cycles_active.avg"))
    unit("special functions", per_cent("sm__inst_executed_pipe_xu.avg"))
    unit("issue", per_cent("smsp__issue_active.avg"))
    # The address divergence unit does constants with an index, barriers, and instructions between lanes.
    adu = per_cent("sm__inst_executed_pipe_adu.avg")
    unit("constant", per_cent("idc__request_cycles_active.avg") > 0.8 * adu ? adu : 0)
    unit("barriers", busy["constant"] ? 0 : adu)
    # Additions of floats keep a slice of L2 busy at a third of its peak.
    hot = per_cent("lts__d_atomic_input_cycles_active.max")
}

function top_stall(    name, value, most, best) {
    for (name in column)
        if (name ~ /_issue_stalled_/) {
            value = number(field[column[name]])
            if (value > most) { most = value; best = name }
        }
    sub(/.*_stalled_/, "", best)
    sub(/_per_issue.*/, "", best)
    return best
}

# The names that a stall reason supports.
function stall_names(stall) {
    if (stall == "barrier") return "barriers;latency"
    if (stall == "imc_miss") return "constant;latency"
    if (stall == "math_pipe_throttle") return "FP32;FP64;integer;issue"
    if (stall == "mio_throttle") return "L1 or shared memory;special functions;constant"
    if (stall == "short_scoreboard") return "L1 or shared memory;special functions;latency"
    if (stall == "lg_throttle" || stall == "tex_throttle") return "L1 or shared memory;L2;latency"
    if (stall == "not_selected") return "issue"
    if (stall == "drain" || stall == "membar") return "L2;DRAM;atomics;latency"
    return "latency"
}

# Adds those of the names that are not there yet.
function add_names(list,    part, count, i) {
    count = split(list, part, ";")
    for (i = 1; i <= count; i++)
        if (!index(names ";", ";" part[i] ";")) names = names ";" part[i]
}

# What ncu says of the launch in `field`: sets busiest, busiest_value, stall and names.
function judge(    name, waves, slots) {
    measure_units()
    busiest_value = -1
    for (name in busy)
        if (busy[name] > busiest_value) { busiest_value = busy[name]; busiest = name }
    stall = top_stall()
    names = ""
    if (hot >= 30 && (busiest_value < 60 || busiest == "L2")) {
        add_names("atomics")
        if (busiest_value < 60) { busiest = "atomics"; busiest_value = hot }
    }
    for (name in busy)
        if (busy[name] >= 30 && busy[name] >= busiest_value - 10) add_names(name)
    if (busiest_value < 80) add_names(stall_names(stall))
    # Many waves of blocks, and yet warps' places are empty: blocks end faster than others start.
    waves = number(field[column["launch__waves_per_multiprocessor"]])
    slots = number(field[column["sm__maximum_warps_per_active_cycle_pct"]])
    if (waves >= 4 && number(field[column["sm__warps_active.avg.pct_of_peak_sustained_active"]]) < 0.8 * slots)
        add_names("launch")
    # Of a kernel's time 2 to 3 us are its launch, even of an empty one, and ncu adds about 1 us.
    if (duration < 6500) add_names("launch")
    names = substr(names, 2)
}

FNR == NR {
    if ($0 ~ /^(#|kernel,)/) next
    split($0, part, ",")
    rows++
    row[rows] = part[1] "," part[2] "," part[3]
    launches[rows] = part[6]
    next
}
!/^"/ { next }
{
    split(substr($0, 2, length($0) - 2), field, /","/)
    if (field[1] == "ID") { for (i in field) column[field[i]] = i; next }
    if (field[1] !~ /^[0-9]+$/) next
    if (!left) { left = launches[++at]; longest = 0 }
    duration = number(field[column["gpu__time_duration.sum"]])
    if (duration > longest) {
        longest = duration
        judge()
        line = sprintf("%s,%s,%.1f,%s,%s", row[at], busiest, busiest_value, stall, names)
    }
    if (!--left) print line
}
END {
    if (at != rows || left) {
        print "limiters.awk: ncu saw other launches than the model has" >"/dev/stderr"
        exit 2
    }
}
