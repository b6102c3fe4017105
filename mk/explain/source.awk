# A source file: its lines with and without comments, its braces, its functions and variables, names that are alike.

# source[1..lines]: the file; code[...]: the same without comments, texts and character constants. comment_within: the line
# where a comment begins, behind code, that holds the beginning of another one; 0: there is none.
function read_source(file,    row) {
    lines = 0
    in_comment = comment_within = 0
    while ((getline row < file) > 0) {
        sub(/\r$/, "", row)
        source[++lines] = row
        code[lines] = code_of(row)
    }
    close(file)
}

function code_of(row,    out, i, c, two) {
    for (i = 1; i <= length(row); i++) {
        two = substr(row, i, 2)
        c = substr(two, 1, 1)
        if (in_comment) {
            if (two == "*/") {
                in_comment = 0
                i++
            } else if (two == "/*" && !comment_within && comment_from < lines && comment_behind_code) {
                comment_within = comment_from
            }
        } else if (two == "//") {
            break
        } else if (two == "/*") {
            in_comment = 1
            comment_from = lines
            comment_behind_code = out ~ /[^ \t]/
            i++
        } else if (c == "\"" || c == "'") {
            out = out c c
            for (i++; i <= length(row) && substr(row, i, 1) != c; i++)
                if (substr(row, i, 1) == "\\")
                    i++
        } else {
            out = out c
        }
    }
    sub(/[ \t]+$/, "", out)
    return out
}

function indent(row) {
    match(row, /^[ \t]*/)
    return RLENGTH
}

function is_blank(row) {
    return row ~ /^[ \t]*(#.*)?$/
}

# The line with code before `line`; 0: there is none.
function code_before(line) {
    for (line--; line > 0 && is_blank(code[line]); line--)
        ;
    return line
}

# Where braces go wrong, by their indentation: sets brace_line and brace_kind ("open": it has no end; "close": it has
# no beginning; "": all is well).
function find_brace(    i, k, c, depth, skip) {
    brace_kind = ""
    depth = skip = 0
    for (i = 1; i <= lines; i++) {
        if (code[i] ~ /^[ \t]*#[ \t]*(else|elif)/)
            skip = 1
        if (code[i] ~ /^[ \t]*#[ \t]*endif/)
            skip = 0
        if (skip || code[i] ~ /^[ \t]*#/)
            continue
        for (k = 1; k <= length(code[i]); k++) {
            c = substr(code[i], k, 1)
            if (c == "{") {
                depth++
                opened[depth] = i
                opened_indent[depth] = indent(code[i])
            } else if (c == "}") {
                note_close(i, depth)
                if (depth > 0)
                    depth--
            }
        }
    }
    if (brace_kind == "" && depth > 0) {
        brace_kind = "open"
        brace_line = opened[depth]
    } else if (brace_kind == "open" && depth == 0 || brace_kind == "close" && !closed_too_often) {
        brace_kind = ""
    }
}

# The } on line i closes what was opened last: does it stand below its line?
function note_close(i, depth,    at) {
    if (depth == 0) {
        closed_too_often = 1
        if (brace_kind == "") {
            brace_kind = "close"
            brace_line = i
        }
        return
    }
    if (brace_kind != "" || code[i] !~ /^[ \t]*\}/ || opened[depth] == i)
        return
    at = indent(code[i])
    if (depth > 1 && at < opened_indent[depth] && at == opened_indent[depth - 1]) {
        brace_kind = "open"
        brace_line = opened[depth]
    } else if (at > opened_indent[depth]) {
        brace_kind = "close"
        brace_line = i
    }
}

function smallest(a, b, c) {
    return a < b ? (a < c ? a : c) : (b < c ? b : c)
}

# How many letters must be changed, put in, left out or exchanged with their neighbors to make b of a; case counts half.
function distance(a, b,    i, k, cost, x, y, row) {
    for (k = 0; k <= length(b); k++)
        row[0, k] = k
    for (i = 1; i <= length(a); i++) {
        row[i, 0] = i
        for (k = 1; k <= length(b); k++) {
            x = substr(a, i, 1)
            y = substr(b, k, 1)
            cost = x == y ? 0 : tolower(x) == tolower(y) ? 0.3 : 1
            row[i, k] = smallest(row[i - 1, k] + 1, row[i, k - 1] + 1, row[i - 1, k - 1] + cost)
            if (i > 1 && k > 1 && x == substr(b, k - 1, 1) && y == substr(a, i - 1, 1) && row[i - 2, k - 2] + 1 < row[i, k])
                row[i, k] = row[i - 2, k - 2] + 1
        }
    }
    return row[length(a), length(b)]
}

function add_names(row, line,    name) {
    while (match(row, /[A-Za-z_][A-Za-z0-9_]*/)) {
        name = substr(row, RSTART, RLENGTH)
        if (!(name in first_use))
            first_use[name] = line
        row = substr(row, RSTART + RLENGTH)
    }
}

# Also in in_header.
function add_header_names(row,    name) {
    add_names(row, 0)
    while (match(row, /[A-Za-z_][A-Za-z0-9_]*/)) {
        name = substr(row, RSTART, RLENGTH)
        if (name ~ /^(LAB|lab)[0-9]/)
            in_header[name] = 1
        row = substr(row, RSTART + RLENGTH)
    }
}

function base(path) {
    sub(/.*\//, "", path)
    return path
}

# The name in the file, in the lab's header or in CUDA that is most like `name`; "": none is.
function nearest(name,    i, row, best, most, other, d) {
    for (i = 1; i <= lines; i++)
        add_names(code[i], i)
    while (header != "" && (getline row < header) > 0)
        add_header_names(code_of(row))
    close(header)
    add_names("threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncwarp __shfl_sync __shfl_up_sync " \
        "__shfl_down_sync __shfl_xor_sync __ballot_sync atomicAdd atomicSub atomicMax atomicMin atomicExch atomicCAS " \
        "cudaMalloc cudaMallocManaged cudaFree cudaMemcpy cudaMemcpyAsync cudaMemset cudaMemcpyToSymbol " \
        "cudaMemcpyFromSymbol cudaGetSymbolAddress cudaMemcpyHostToDevice cudaMemcpyDeviceToHost " \
        "cudaMemcpyDeviceToDevice cudaDeviceSynchronize cudaStreamSynchronize cudaGetLastError cudaError_t cudaSuccess " \
        "cudaFuncSetAttribute cudaLaunchCooperativeKernel return const float double unsigned int void while for if " \
        "else sizeof static printf exit free malloc calloc NULL min max true false bool dim3 CHECK __shared__ __global__ " \
        "__device__ __host__ __constant__ fmax fmin fabs sqrt floor ceil dim3", 0)
    most = length(name) < 4 ? 1 : length(name) < 8 ? 2 : 3
    for (other in first_use) {
        if (other == name || length(other) > length(name) + 3 || length(other) < length(name) - 3)
            continue
        d = distance(name, other)
        if (d < most || d == most && (best == "" || other < best)) {
            most = d
            best = other
        }
    }
    return most < length(name) / 2 ? best : ""
}

# The line that defines the function `name`, or declares it; 0: none.
function line_of_function(name,    i) {
    for (i = 1; i <= lines; i++)
        if (code[i] ~ ("^[A-Za-z_].*[^A-Za-z0-9_]" name " *\\(") && code[i] !~ /;$/)
            return i
    return 0
}

# The line on which a variable `name` is declared, in any block; 0: none.
function line_of_variable(name, before_line,    i) {
    for (i = before_line; i > 0; i--)
        if (code[i] ~ ("(real|float|double|int|unsigned|long|char|bool|size_t|auto|dim3)[ *&]+" name "[^A-Za-z0-9_(]"))
            return i
    return 0
}
