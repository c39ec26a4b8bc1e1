/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers in force in a container, read by its pid 1 before any code of the guest runs, and the
 * counts of its control groups. An engine shows a container its own groups, read-only; the files
 * depend on the version of control groups.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "helper/contained.h"
#include "limits/limits.h"

#define GROUPS      "/sys/fs/cgroup/"
#define NO_LIMIT_V1 (1ULL << 60) /* control groups v1 have a number near 2^63 for "none" */

/* The number after the word; with "", the first number. False if there is none ("max"). */
static bool contained_group_read_number(const char *file, const char *word, uint64_t *ret)
{
    char text[4096], *end;

    if (fd_read_file_at(AT_FDCWD, file, text, sizeof text) < 0)
        return false;
    const char *at = *word ? strstr(text, word) : text;
    if (!at)
        return false;
    at += strlen(word);
    uint64_t value = strtoull(at, &end, 10);
    if (end == at)
        return false;
    *ret = value;
    return true;
}

static uint64_t read_first(const char *const files[2], const char *const words[2])
{
    uint64_t value = 0;

    if (!contained_group_read_number(files[0], words[0], &value))
        (void)contained_group_read_number(files[1], words[1], &value);
    return value;
}

/* A runtime with a kernel of its own (gVisor) may show no control groups. */
static uint64_t count_cpu(void)
{
    struct contained_usage counted;

    contained_count(&counted);
    return counted.cpu_ns;
}

void contained_usage(struct contained_usage *ret)
{
    uint64_t cpu_us;
    static const char *const plain[] = {"", ""}, *const kills[] = {"oom_kill ", "oom_kill "},
                             *const max[] = {"max ", "max "};

    if (contained_is_watching()) {
        contained_count(ret);
        return;
    }
    *ret = (struct contained_usage){0};
    if (contained_group_read_number(GROUPS "cpu.stat", "usage_usec ", &cpu_us))
        ret->cpu_ns = cpu_us * 1000;
    else if (!contained_group_read_number(GROUPS "cpuacct/cpuacct.usage", "", &ret->cpu_ns))
        ret->cpu_ns = count_cpu();
    ret->memory_now = read_first(
        (const char *const[]){GROUPS "memory.current", GROUPS "memory/memory.usage_in_bytes"},
        plain);
    ret->memory_peak = read_first(
        (const char *const[]){GROUPS "memory.peak", GROUPS "memory/memory.max_usage_in_bytes"},
        plain);
    ret->oom_kills = read_first(
        (const char *const[]){GROUPS "memory.events", GROUPS "memory/memory.oom_control"}, kills);
    ret->pids_hits =
        read_first((const char *const[]){GROUPS "pids.events", GROUPS "pids/pids.events"}, max);
}

/* A tmpfs without a limit reports 0 blocks, and is never full. */
bool contained_is_full(int fd)
{
    struct statvfs disk;

    return fd >= 0 && fstatvfs(fd, &disk) == 0 &&
           ((disk.f_blocks && !disk.f_bfree) || (disk.f_files && !disk.f_ffree));
}

static bool is_full_at(const char *path)
{
    AUTO_CLOSE int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    return contained_is_full(fd);
}

void contained_send_limit(uint32_t limit)
{
    contained_send_numbers(CONTAINED_LIMIT, &limit, 1);
}

void contained_send_limits(int work)
{
    struct contained_usage use;

    contained_usage(&use);
    if (use.oom_kills)
        contained_send_limit(LIMIT_MEMORY);
    if (use.pids_hits)
        contained_send_limit(LIMIT_PIDS);
    if (contained_is_full(work) || is_full_at("/tmp") || is_full_at("/dev/shm"))
        contained_send_limit(LIMIT_DISK);
}

/* ---- layers ---- */

static bool has_limit(const char *v2, const char *v1)
{
    uint64_t value;

    return contained_group_read_number(v2, "", &value) ||
           (contained_group_read_number(v1, "", &value) && value && value < NO_LIMIT_V1);
}

static bool status_has(const char *status, const char *line)
{
    return strstr(status, line) != NULL;
}

/* True if there is no interface but the loopback: the file has two lines of headings and one for
 * the loopback. */
static bool has_no_net(void)
{
    char text[4096];
    unsigned lines = 0;

    if (fd_read_file_at(AT_FDCWD, "/proc/net/dev", text, sizeof text) < 0)
        return false;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    return lines == 3 && strstr(text, " lo:");
}

/* True unless the whole range is mapped to itself ("0 0 4294967295"), as in the host's own user
 * namespace. */
static bool is_mapped(void)
{
    char text[200];

    if (fd_read_file_at(AT_FDCWD, "/proc/self/uid_map", text, sizeof text) < 0)
        return false;
    struct str rest = str_trim(str_from(text));
    return rest.n && !(str_starts(rest, "0 ") && str_ends(rest, " 4294967295"));
}

static bool has_own_proc(void)
{
    char text[16];

    return getpid() == 1 && readlink("/proc/self", text, sizeof text) == 1 && text[0] == '1';
}

layer_mask contained_layers(void)
{
    char status[8192];
    struct statvfs root;

    if (fd_read_file_at(AT_FDCWD, "/proc/self/status", status, sizeof status) < 0)
        status[0] = '\0';
    const struct {
        enum jail_layer layer;
        bool holds;
    } found[] = {
        {LAYER_USERNS, is_mapped()},
        {LAYER_PIDNS, getpid() == 1},
        {LAYER_PROC, has_own_proc()},
        {LAYER_MOUNTNS, !contained_is_shared()},
        {LAYER_IPCNS, !contained_is_shared()},
        {LAYER_UTSNS, !contained_is_shared()},
        {LAYER_NETNS, has_no_net()},
        {LAYER_ROOT, statvfs("/", &root) == 0 && root.f_flag & ST_RDONLY},
        {LAYER_CAPS, status_has(status, "\nCapBnd:\t0000000000000000\n")},
        {LAYER_NNP, status_has(status, "\nNoNewPrivs:\t1\n")},
        {LAYER_SECCOMP, status_has(status, "\nSeccomp:\t2\n")},
        {LAYER_MEMORY, has_limit(GROUPS "memory.max", GROUPS "memory/memory.limit_in_bytes")},
        {LAYER_PIDS, has_limit(GROUPS "pids.max", GROUPS "pids/pids.max")},
        {LAYER_CPU, has_limit(GROUPS "cpu.max", GROUPS "cpu/cpu.cfs_quota_us")},
        {LAYER_RLIMITS, true},
    };
    layer_mask held = 0;

    for (size_t i = 0; i < ARRAY_LEN(found); i++)
        if (found[i].holds)
            held |= LAYER_BIT(found[i].layer);
    return held;
}
