#!/bin/bash
# A value that depends on a variable of the device which the call has not set: its name, the line that reads it, and what the
# host did instead: nothing, a copy in the other direction, of too few bytes, to another variable, or too late.
. "$(dirname "$0")/lib"
export BUILD=build/test NO_COLOR=1

# wrong SED...: the changed solution of lab 01 is graded. says MARK TEXT: the report has TEXT; @ in it: the number of the line with MARK.
wrong() {
    change lab01 student "$@"
    expect 1 "" "$grader" --backend sim --seed 1 --only symbols
}
says() {
    local text=${2//@/student.cu:$(line_of student "$1")}
    contains "$text" || fail "not said: $text" "The report:" "$output"
}

scale='cudaMemcpyToSymbol(device_scale, &scale, sizeof(real))'
table='cudaMemcpyToSymbol(device_coefficients, h_coefficients, LAB01_COEFFICIENTS \* sizeof(real))'
wrong -e "/$scale/d"
says 'd_y[i] = device_scale * value;' 'a variable of the device, device_scale, read at @, which this call had not set by then: it still holds 0'
short_ends_here
wrong -e "s/$table/cudaMemcpyToSymbol(device_coefficients, h_coefficients, LAB01_COEFFICIENTS \\/ 2 * sizeof(real))/"
says 'value * x + device_coefficients' 'element 2 of device_coefficients, read at @, which this call had not set by then'
