#!/bin/bash
# ./setup on machines of many kinds, all of them made up; --dry-run changes nothing.
. "$(dirname "$0")/lib"

expect 0 "./setup --dry-run" ./setup --help
expect 2 "unknown option --nonsense" ./setup --nonsense
expect 0 "Ready." ./setup
expect 0 "Ready." ./setup --dry-run

# A bare machine: no compiler, no toolkit, an archive that has the toolkit in another component.
bare=$PWD/$scratch/bin
# shellcheck disable=SC2086,SC2154 # several names; from lib
tools_only "$bare" $basic_tools
# shellcheck disable=SC2016 # the script that it writes expands them
printf '#!/bin/sh\n[ "$1" = -u ] && echo ${FAKE_ID:-0}\n' >"$scratch/id"
printf '#!/bin/sh\necho "nvidia-cuda-toolkit:"; echo "  Candidate: (none)"\n' >"$bare/apt-cache"
rm "$bare/id"
mv "$scratch/id" "$bare/id"
chmod +x "$bare/id" "$bare/apt-cache"
mkdir -p "$scratch/apt/sources.list.d"
on_bare() {
    env -i CUDA_PLACES= CUDA_LABS_TOOLKIT="$scratch/toolkit" PATH="$bare" APT="$scratch/apt" DPKG="$scratch/dpkg" \
        OS_RELEASE="$scratch/os-release" DRIVER="$scratch/driver" FAKE_ID="$user" ./setup --dry-run "$@"
}
user=0

printf 'ID=debian\nVERSION_CODENAME=bookworm\n' >"$scratch/os-release"
printf '# main only\ndeb [arch=amd64] http://archive.example/debian bookworm main\ndeb http://other.example/x nodistro main\n' \
    >"$scratch/apt/sources.list"
expect 0 "deb [arch=amd64] http://archive.example/debian bookworm contrib non-free" on_bare --debian
expect_not other.example
expect_not light
expect 0 "apt-get install --no-install-recommends make gcc g++ nvidia-cuda-toolkit libcmocka-dev" on_bare --debian

# Without a GPU the light toolkit is chosen; what pip needs is a package as well.
expect 0 "apt-get install --no-install-recommends make gcc g++ python3-pip libcmocka-dev" on_bare
expect 0 "mk/setup/light install $scratch/toolkit" on_bare
expect_not sources.list.d

# An installation that was interrupted is completed first.
expect_not "dpkg --configure"
mkdir -p "$scratch/dpkg/updates"
touch "$scratch/dpkg/updates/0001"
expect 0 "dpkg --configure -a" on_bare
rm -r "$scratch/dpkg"

# With a GPU Debian's; but for one whose driver no package brought, as Debian's toolkit would bring another one.
printf '#!/bin/sh\necho "GPU 0"\n' >"$bare/nvidia-smi"
chmod +x "$bare/nvidia-smi"
expect 0 "nvidia-cuda-toolkit libcmocka-dev" on_bare
expect 0 "mk/setup/light install" on_bare --light
expect_not nvidia-cuda-toolkit
touch "$scratch/driver"
expect 2 "has to come from NVIDIA here" on_bare
expect 2 "./setup --light" on_bare
expect 0 "mk/setup/light install" on_bare --light
rm "$scratch/driver" "$bare/nvidia-smi"

# The newer form of apt's lists, on Ubuntu.
printf 'ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n' >"$scratch/os-release"
rm "$scratch/apt/sources.list"
cat >"$scratch/apt/sources.list.d/ubuntu.sources" <<'END'
# the archive
Types: deb
URIs: http://archive.example/ubuntu
Suites: noble noble-updates
Components: main universe
Signed-By: /usr/share/keyrings/archive.gpg

Types: deb
URIs: http://other.example/y
Suites: stable
Components: extra
END
expect 0 "Components: multiverse" on_bare --debian
expect 0 "Signed-By: /usr/share/keyrings/archive.gpg" on_bare --debian
expect_not other.example
[ "$(ls "$scratch/apt/sources.list.d")" = ubuntu.sources ] || fail "--dry-run wrote a list"

# The component is there already: no list is written.
printf '#!/bin/sh\necho "  Candidate: 12.0.140"\n' >"$bare/apt-cache"
expect 0 "apt-get install" on_bare --debian
expect_not "write"

# No root and no sudo; and systems without apt: the commands, status 2.
user=1000
expect 2 "with sudo:  ./setup" on_bare
expect 2 "on a cluster:  module avail cuda" on_bare
user=0
printf 'ID=rocky\nID_LIKE="rhel centos fedora"\n' >"$scratch/os-release"
expect 2 "dnf install make gcc gcc-c++" on_bare
printf 'ID=arch\n' >"$scratch/os-release"
expect 2 "pacman -S make gcc python-pip" on_bare
printf 'ID=unheard-of\n' >"$scratch/os-release"
expect 2 "another CUDA toolkit, 11.8 or newer" on_bare

# An old toolkit is not enough.
printf '#!/bin/sh\necho "Cuda compilation tools, release 11.5, V11.5.119"\n' >"$bare/nvcc"
chmod +x "$bare/nvcc"
expect 2 "too old: the labs need 11.8" on_bare

# Only rights are missing: with the toolkit there, everything that a student needs works.
printf 'ID=debian\nVERSION_CODENAME=bookworm\n' >"$scratch/os-release"
rm "$bare/nvcc"
ln -s "$(command -v make)" "$(command -v gcc)" "$(command -v g++)" "$bare/"
user=1000
output=$(env -i CUDA_PLACES= NVCC="$(mk/toolkit find)" CUDA_LABS_TOOLKIT="$scratch/toolkit" PATH="$bare:/usr/bin:/bin" \
    APT="$scratch/apt" OS_RELEASE="$scratch/os-release" FAKE_ID=1000 ./setup) || fail "with the toolkit there and no rights, ./setup says:" "$output"
