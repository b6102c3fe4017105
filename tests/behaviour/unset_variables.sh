#!/bin/bash
# A value that depends on a variable of the device which the call has not set: its name, the line that reads it, and what the
# host did instead: nothing, a copy in the other direction, of too few bytes, to another variable, or too late.
. "$(dirname "$0")/lib"
export BUILD=build/test NO_COLOR=1

# wrong LAB ONLY MARK TEXT SED...: the changed solution fails, and the report has TEXT; @ in it: the number of the line with MARK.
wrong() {
    local lab=$1 only=$2 mark=$3 text=$4
    shift 4
    change "$lab" student "$@"
    text=${text//@/student.cu:$(line_of student "$mark")}
    output=$("$grader" --backend sim --seed 1 --only "$only" 2>&1)
    contains "$text" || fail "not said: $text" "The report:" "$output"
}

scale='cudaMemcpyToSymbol(device_scale, &scale, sizeof(real))'
table='cudaMemcpyToSymbol(device_coefficients, h_coefficients, LAB01_COEFFICIENTS \* sizeof(real))'
wrong lab01 symbols 'd_y[i] = device_scale * value;' 'a variable of the device, device_scale, read at @, which this call has not set: it still holds 0' \
    -e "/$scale/d"
wrong lab01 symbols 'd_y[i] = device_scale * value;' 'Fill it in a kernel, or with cudaMemcpyToSymbol, before it is read' -e "/$scale/d"
wrong lab01 symbols 'cudaMemcpyFromSymbol(&scale' '@ copies it the other way, from the device to the host' \
    -e "s/$scale/cudaMemcpyFromSymbol(\&scale, device_scale, sizeof(real))/"
short_ends_here
half="s/$table/cudaMemcpyToSymbol(device_coefficients, h_coefficients, LAB01_COEFFICIENTS \\/ 2 * sizeof(real))/"
wrong lab01 symbols 'value * x + device_coefficients' 'element 2 of device_coefficients, read at @, which this call has not set' -e "$half"
wrong lab01 symbols 'LAB01_COEFFICIENTS / 2' '@ fills only the first 8 of its 16 bytes, and this element begins at byte 8' -e "$half"
wrong lab01 symbols '(device_bias' '@ fills device_bias, on which this value does not depend.' \
    -e 's/^__device__ real device_scale;/&\n__device__ real device_bias;/' -e "s/$scale/cudaMemcpyToSymbol(device_bias, \&scale, sizeof(real))/"
wrong lab01 symbols '&late' 'It is filled too late, at @: fill it before the kernel is launched.' -e "/$scale/d" \
    -e 's|^    apply_polynomial<<<.*|&\n    const real late = 1;\n    CHECK(cudaMemcpyToSymbol(device_scale, \&late, sizeof(real)));\n    apply_polynomial<<<blocks, LAB01_BLOCK_SIZE>>>(d_x, d_y, 0);|'
