#!/bin/bash
# When a header changes, make compiles again every object that includes it, and no other one: for each header and
# each object of the whole project. Nothing is compiled here. Compilers that only write down what a file includes
# take the place of gcc and nvcc; what make would do then (make -n) is compared with the #include lines themselves.
. "$(dirname "$0")/lib"
unset DEV
tree=$scratch/tree
mkdir -p "$tree" "$scratch/bin"
tar -cf - --exclude=./build --exclude='./toolkit*' --exclude=./.git . | tar -xpf - -C "$tree"
bin=$PWD/$scratch/bin
export REAL_NVCC BIN=$bin LOG=$bin/log
REAL_NVCC=$(mk/toolkit find) || fail "there is no nvcc"

# Each notes "OBJECT SOURCE FOLDER...": what it was to compile, and where quoted headers are looked for.
cat >"$bin/cc" <<'END_OF_SCRIPT'
#!/bin/bash
case $* in
*--version*) exec gcc --version ;;
-print-prog-name=*) echo "$BIN/${1#*=}" && exit ;;
esac
compiles='' output='' source='' folders=() flags=() previous=''
for argument; do
    case $previous$argument in
    -c) compiles=yes ;;
    -o) ;;
    -o*) output=$argument ;;
    *.c) source=$argument flags+=("$argument") ;;
    *) flags+=("$argument") ;;
    esac
    [[ $argument != -I* ]] || folders+=("${argument#-I}")
    [ "$argument" = -o ] && previous=-o || previous=''
done
: >"$output"
# A program may be run to make a source.
[ -n "$compiles" ] || { printf '#!/bin/sh\n' >"$output" && chmod +x "$output" && exit; }
echo "${output%.[0-9]*} $source ${folders[*]}" >>"$LOG"
[[ $* != *-MMD* ]] || exec gcc "${flags[@]}" -E >/dev/null
END_OF_SCRIPT
cat >"$bin/nvcc" <<'END_OF_SCRIPT'
#!/bin/bash
[[ $* = *-c* && $* != *--dryrun* ]] || exec "$REAL_NVCC" "$@"
output='' dependencies='' source='' folders=() previous=''
for argument; do
    case $previous in
    -o) output=$argument ;;
    -MF) dependencies=$argument ;;
    *) [[ $argument != -I* ]] || folders+=("${argument#-I}")
       [[ $argument != *.cu ]] || source=$argument ;;
    esac
    previous=$argument
done
: >"$output"
output=${output%.[0-9]*} # the rule moves it to its place
echo "$output $source ${folders[*]}" >>"$LOG"
[ -z "$dependencies" ] || {
    echo "$output: $(echo "$output $source ${folders[*]}" | "$BIN/includes" | cut -d ' ' -f 2 | tr '\n' ' ')"
} >"$dependencies"
END_OF_SCRIPT
# From lines "OBJECT SOURCE FOLDER...": lines "OBJECT FILE", for each file of the project that the object is made of.
cat >"$bin/includes" <<'END_OF_SCRIPT'
#!/usr/bin/awk -f
function exists(file, line) {
    if (!(file in known)) {
        known[file] = (getline line <file) >= 0
        close(file)
    }
    return known[file]
}
# The headers that a file names in quotes, once for each file.
function read(file, line, list) {
    while ((getline line <file) > 0)
        if (match(line, /^ *# *include *"[^"]*"/)) {
            sub(/^[^"]*"/, "", line)
            sub(/".*/, "", line)
            list = list " " line
        }
    close(file)
    return list
}
function is_either(object) { # compiled once for both precisions
    return object ~ /^build\/harness\// && object !~ /^build\/harness\/(float|double)\//
}
function follow(file, i, n, header, path, names) {
    sub(/^\.\//, "", file)
    if (file in seen)
        return
    seen[file] = 1
    print object, file
    if (!(file in text))
        text[file] = read(file)
    n = split(text[file], names, " ")
    path = file
    if (!sub(/[^\/]*$/, "", path))
        path = ""
    for (i = 1; i <= n; i++)
        # tests/gpu/traffic.c: #ifdef ON_SIMULATOR; harness/lab/real.h: #ifdef REAL_EITHER.
        if (!(object ~ /-gpu\.o$/ && names[i] ~ /^sim\//) && !(is_either(object) && names[i] == "common/real.h"))
            follow(find(path, names[i]))
}
function find(own, name, i) {
    if (exists(own name))
        return own name
    for (i = 3; i <= fields; i++)
        if (exists(folder[i] "/" name))
            return folder[i] "/" name
    return ""
}
{
    object = $1
    fields = NF
    for (i = 3; i <= NF; i++)
        folder[i] = $i
    split("", seen)
    seen[""] = 1
    follow($2)
}
END_OF_SCRIPT
# shellcheck disable=SC2016 # the scripts that it writes expand them
printf '#!/bin/sh\nfor last; do :; done\n[ -e "$last" ] || : >"$last"\n' >"$bin/objcopy"
# shellcheck disable=SC2016
printf '#!/bin/sh\n: >"$2"\n' >"$bin/ar"
chmod +x "$bin"/*

cd "$tree" || exit 2
goals="sim calibrate bench-programs unit-tests fuzz-targets gpu-programs traffic"
for name in lab[0-9][0-9]_*; do
    goals+=" $(echo "build/${name%%_*}"/{float,double}/{skeleton,solution})"
done
for name in tests/api/*.cu tests/hazards/{suite,threads}.c; do
    goals+=" build/${name%.*}"
done
# shellcheck disable=SC2086 # several goals
make_all() { PATH=$bin:$PATH make GPU=1 CC="$bin/cc" CXX="$bin/cc" NVCC="$bin/nvcc" "$@" $goals; }
make_all >"$bin/said" 2>&1 || fail "it does not build:" "$(tail "$bin/said")"
make_all -q || fail "make -q finds something to do:" "$(make_all -n | head)"

sort -u "$LOG" | "$bin/includes" | sort -u >"$bin/expected"
objects=$(cut -d ' ' -f 1 "$bin/expected" | sort -u | wc -l)
[ "$objects" -gt 400 ] || fail "only $objects objects were compiled"

# would_compile HEADER: the objects, one per line. That of the source that a program of the project makes is made again
# when the program is, and includes nothing.
would_compile() {
    make_all -n -W "$1" | grep -v "^printf '%s.n' 'cd " | sed -n 's/^.* -c .* -o \([^ ]*\.o\).*/\1/p' | grep -v '^build/tests/litmus/kernels.o$' | sort -u
}
# shellcheck disable=SC2044 # the names are the project's own: no spaces
for header in $(find common harness sim tests bench lab[0-9][0-9]_* -name '*.h' -o -name '*.def'); do
    difference=$(diff <(awk -v header="$header" '$2 == header { print $1 }' "$bin/expected" | sort -u) \
        <(would_compile "$header"))
    [ -z "$difference" ] || fail "a change of $header: < should be compiled again, > would be:" "$difference"
done
