#!/bin/bash
# What is believed comes from the device apart from the student's code: attacks from inside the worker's process, which would
# pass if the grader believed the worker. Each is a file of lab 02 whose reduction is wrong, or is not done on the device.
. "$(dirname "$0")/lib"
export BUILD=build/test
lab=lab02_shared_memory

# Numbers of the protocol, as an attacker reads them in our headers.
cat >"$scratch/numbers.c" <<'END_OF_FILE'
#include "harness/wire/protocol.h"
#include <stdio.h>
int main(void)
{
    printf("#define HAZARD_COUNT %zu\n#define LOAD_SECTORS %zu\n#define LAUNCHES %zu\n",
           offsetof(struct protocol_mailbox, hazard_count),
           offsetof(struct protocol_mailbox, counters) + offsetof(struct protocol_counters, load_sectors),
           offsetof(struct protocol_mailbox, counters) + offsetof(struct protocol_counters, launches));
    printf("#define REQUEST_BYTES %zu\n#define REPLY_BYTES %zu\n#define NONCE %zu\n#define REQUEST_BUFFERS %zu\n",
           sizeof(struct protocol_request), sizeof(struct protocol_reply), offsetof(struct protocol_request, nonce),
           offsetof(struct protocol_request, buffer));
    printf("#define BUFFER_BYTES %zu\n#define BUFFER_OFFSET %zu\n#define BUFFER_COUNT %zu\n#define MAGIC %uu\n",
           sizeof(struct protocol_buffer), offsetof(struct protocol_buffer, offset),
           offsetof(struct protocol_request, buffer_count), PROTOCOL_MAGIC);
    printf("#define REAL_BYTES %zu\n#define VERSION %uu\n", offsetof(struct protocol_reply, real_bytes), PROTOCOL_VERSION);
}
END_OF_FILE
gcc -std=gnu11 -DREAL_EITHER -I. "$scratch/numbers.c" -o "$scratch/numbers" || exit 1

# attack NAME: makes NAME.cu of the solution. Standard input: what replaces lab02_reduce_blocks' body; a line
# "----" ends it, and what follows stands before the function.
attack() {
    cat >"$scratch/part"
    {
        "$scratch/numbers"
        sed '/^void lab02_reduce_blocks/,$d' $lab/solution.cu
        cat "$scratch/common"
        sed '1,/^----/d' "$scratch/part"
        printf 'void lab02_reduce_blocks(const real *d_x, int n, real *d_partial)\n{\n'
        sed '/^----/,$d' "$scratch/part"
        printf '}\n'
        sed '1,/^void lab02_reduce_blocks/d' $lab/solution.cu | sed '1,/^}/d'
    } >"$scratch/$1.cu"
}

# rejected NAME TEXT: its report says TEXT.
rejected() {
    make -s lab02 SRC="$scratch/$1.cu" || fail "$1.cu cannot be compiled"
    grader=$(make -s SRC="$scratch/$1.cu" where-lab02)/grader
    expect 1 "$2" timeout 100 "$grader" --backend sim --seed 1 --only 'reduce'
}

cat >"$scratch/common" <<'END_OF_FILE'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

/* As the kernel of the solution, without a barrier. */
__global__ void racy(const real *d_x, int n, real *d_partial)
{
    __shared__ real s_x[LAB02_BLOCK_SIZE];
    const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s_x[tid] = i < n ? d_x[i] : 0;
    for (int offset = blockDim.x / 2; offset > 0; offset /= 2) {
        if (tid < offset)
            s_x[tid] += s_x[tid + offset];
        __syncthreads();
    }
    if (tid == 0)
        d_partial[blockIdx.x] = s_x[0];
}

/* Reads all, and leaves the output alone. */
__global__ void reads_only(const real *d_x, int n, real *d_nothing)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && d_x[i] == (real)12345.5)
        *d_nothing = 0;
}

static int blocks_of(int n)
{
    return (n + LAB02_BLOCK_SIZE - 1) / LAB02_BLOCK_SIZE;
}

[[maybe_unused]] static std::vector<real> sums_on_host(const real *x, int n)
{
    std::vector<real> sum(blocks_of(n));
    for (int i = 0; i < n; i++)
        sum[i / LAB02_BLOCK_SIZE] += x[i];
    return sum;
}

/* The memory that grader and worker share, and its end. */
static char *arena_end;
[[maybe_unused]] static char *arena()
{
    static char *found;
    FILE *maps = found ? NULL : fopen("/proc/self/maps", "r");
    char line[512], *behind;
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "grader-arena") && !found) {
            found = (char *)strtoull(line, &behind, 16);
            arena_end = (char *)strtoull(behind + 1, NULL, 16);
        }
    if (maps)
        fclose(maps);
    return found;
}

/* Puts the sums into the slot behind the one that holds x. */
[[maybe_unused]] static void forge_slot(const real *x, int n)
{
    const size_t bytes = n * sizeof(real);
    for (char *slot = arena(); slot + bytes + 4096 <= arena_end; slot += 4096)
        if (memcmp(slot, x, bytes) == 0)
            memcpy(slot + (bytes + 4095) / 4096 * 4096, sums_on_host(x, n).data(), blocks_of(n) * sizeof(real));
}

/* Whoever calls the one function comes to the other (x86-64). */
[[maybe_unused]] static void put_instead(void *function, void *other)
{
    unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; /* movabs $other, %rax; jmp *%rax */
    char *page = (char *)((uintptr_t)function & ~(uintptr_t)4095);
    memcpy(jump + 2, &other, sizeof other);
    if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
        memcpy(function, jump, sizeof jump);
}

/* Where the simulator keeps device memory that begins with these bytes; NULL: not found. */
[[maybe_unused]] static char *device_memory(const void *bytes, size_t count)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], *found = NULL;
    while (maps && !found && fgets(line, sizeof line, maps)) {
        unsigned long long first, end;
        char rights[8];
        if (sscanf(line, "%llx-%llx %7s", &first, &end, rights) != 3 || strcmp(rights, "rw-p") != 0 ||
            strchr(line, '/') || strchr(line, '['))
            continue;
        for (char *at = (char *)first; at + count <= (char *)end && !found; at += 256)
            if (memcmp(at, bytes, count) == 0)
                found = at;
    }
    if (maps)
        fclose(maps);
    return found;
}
END_OF_FILE

# A race; a constructor patches write(), by which the worker answers: it sets the number of hazards to 0 before.
if [ "$(uname -m)" = x86_64 ]; then
attack patched_write <<'END_OF_FILE'
    if (n > 0)
        racy<<<blocks_of(n), LAB02_BLOCK_SIZE>>>(d_x, n, d_partial);
----
static ssize_t forging_write(int file, const void *bytes, size_t count)
{
    if (file == 4 && arena())
        *(uint32_t *)(arena() + HAZARD_COUNT) = 0;
    return syscall(SYS_write, file, bytes, count);
}
__attribute__((constructor)) static void begin()
{
    put_instead((void *)write, (void *)forging_write);
}
END_OF_FILE
rejected patched_write "race in shared memory"

# The host computes, and writes into device memory where it found it; a kernel reads the input.
attack scan <<'END_OF_FILE'
    if (n == 0)
        return;
    std::vector<real> x(n);
    cudaMemcpy(x.data(), d_x, n * sizeof(real), cudaMemcpyDeviceToHost);
    reads_only<<<blocks_of(n), LAB02_BLOCK_SIZE>>>(d_x, n, d_partial);
    cudaDeviceSynchronize();
    char *memory = device_memory(x.data(), n * sizeof(real));
    if (memory)
        memcpy(memory + ((char *)d_partial - (char *)d_x), sums_on_host(x.data(), n).data(), blocks_of(n) * sizeof(real));
END_OF_FILE
rejected scan "d_partial does not hold what the device has computed"
short_ends_here

# The same into the memory that is shared with the grader, before the worker answers.
attack slots <<'END_OF_FILE'
    kept = n;
    cudaMemcpy(keep, d_x, n * sizeof(real), cudaMemcpyDeviceToHost);
    if (n > 0)
        reads_only<<<blocks_of(n), LAB02_BLOCK_SIZE>>>(d_x, n, d_partial);
----
static real keep[1 << 22];
static int kept;
static ssize_t forging_write(int file, const void *bytes, size_t count)
{
    if (file == 4 && kept > 0) {
        forge_slot(keep, kept);
        kept = 0;
    }
    return syscall(SYS_write, file, bytes, count);
}
__attribute__((constructor)) static void begin()
{
    put_instead((void *)write, (void *)forging_write);
}
END_OF_FILE
rejected slots "d_partial does not hold what the device has computed"
fi

# A constructor takes the worker's place: it answers all requests itself, by what it reads in the slots.
attack constructor <<'END_OF_FILE'
    reads_only<<<1, 1>>>(d_x, n, d_partial);
----
static void whole(ssize_t (*move)(int, char *, size_t), int file, char *bytes, size_t count)
{
    for (ssize_t done; count > 0 && (done = move(file, bytes, count)) > 0; bytes += done)
        count -= done;
    if (count > 0)
        _exit(0);
}
static ssize_t take(int file, char *bytes, size_t count) { return read(file, bytes, count); }
static ssize_t give(int file, char *bytes, size_t count) { return write(file, bytes, count); }
static uint64_t number(const char *at) { uint64_t value; memcpy(&value, at, sizeof value); return value; }

__attribute__((constructor)) static void instead()
{
    static char request[REQUEST_BYTES], reply[REPLY_BYTES];
    char *memory = (char *)mmap(NULL, (size_t)64 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, 5, 0);
    if (memory == MAP_FAILED)
        return;
    *(uint32_t *)reply = MAGIC;
    *(uint32_t *)(reply + 4) = VERSION;
    *(uint32_t *)(reply + 16) = 10; /* PROTOCOL_HELLO */
    *(uint32_t *)(reply + REAL_BYTES) = sizeof(real);
    strcpy(memory, "forged");
    for (;;) {
        whole(give, 4, reply, sizeof reply);
        whole(take, 3, request, sizeof request);
        memset(reply + 28, 0, sizeof reply - 28);
        memcpy(reply + 8, request + 8, 12); /* nonce and kind */
        const char *in = request + REQUEST_BUFFERS, *out = in + BUFFER_BYTES;
        const int n = number(in + BUFFER_OFFSET + 8) / sizeof(real);
        const std::vector<real> sum = sums_on_host((real *)(memory + number(in + BUFFER_OFFSET)), n);
        memcpy(memory + number(out + BUFFER_OFFSET), sum.data(), sum.size() * sizeof(real));
        *(uint64_t *)(memory + LAUNCHES) = 1;
        *(uint64_t *)(memory + LOAD_SECTORS) = n;
    }
}
END_OF_FILE
rejected constructor "there is no evidence that the work was done on the device"

# Nonsense where the worker writes what is done with the device.
attack record <<'END_OF_FILE'
    if (n == 0)
        return;
    reduce_shared<<<blocks_of(n), LAB02_BLOCK_SIZE>>>(d_x, n, d_partial);
    if (write(6, "nonsense, nonsense, nonsense, nonsense, nonsense, nonsense, nonsense, nonsense", 72) < 0)
        return;
END_OF_FILE
rejected record "what the program wrote is no record"

# Right, and done before the worker says to which file the record goes: a constructor allocates, fills and frees.
attack before_main <<'END_OF_FILE'
    if (n == 0)
        return;
    reduce_shared<<<blocks_of(n), LAB02_BLOCK_SIZE>>>(d_x, n, early.sums);
    cudaMemcpyAsync(d_partial, early.sums, blocks_of(n) * sizeof(real), cudaMemcpyDeviceToDevice);
----
static struct before_main {
    real *sums, *freed;
    before_main()
    {
        cudaMalloc(&freed, 8 << 20);
        cudaMalloc(&sums, 8 << 20);
        cudaMemset(sums, 0, 8 << 20);
        cudaFree(freed);
    }
} early;
END_OF_FILE
make -s lab02 SRC="$scratch/before_main.cu" || fail "before_main.cu cannot be compiled"
expect 0 "10 of 10" timeout 100 "$(make -s SRC="$scratch/before_main.cu" where-lab02)/grader" --backend sim --seed 1 --only reduce
