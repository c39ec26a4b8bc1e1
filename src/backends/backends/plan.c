/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/plan.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/sha256.h"
#include "jail/caps.h"
#include "jail/uids.h"
#include "network/rules.h"
#include "options/user_file.h"

/* The system folders that the guest sees. All are optional: guests run on a host without some of
 * them, if the interpreter and its libraries are in the others. */
static const char *const system_folders[] = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
};

/* The parts of /etc that programs need and that hold no secret; the rows of languages add more. */
static const char *const system_files[] = {
    "/etc/ld.so.cache",     "/etc/alternatives",
    "/etc/localtime",       "/etc/timezone",
    "/etc/ssl/certs",       "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/certs",   "/etc/pki/ca-trust/extracted",
    "/etc/ca-certificates", "/etc/fonts",
    "/etc/mime.types",      "/etc/perl",
    "/etc/magic",           "/etc/services",
    "/etc/protocols",       "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
};

/* With the host's network, the guest needs the files for name lookup. */
static const char *const network_files[] = {"/etc/resolv.conf", "/etc/hosts", "/etc/gai.conf"};

/* A guest that reaches names asks our own name server. */
#define RESOLVER "nameserver 127.0.0.1\noptions timeout:5 attempts:1\n"

static const char *const devices[] = {
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty",
};

static const struct {
    const char *path, *text;
} links[] = {
    {"/dev/fd", "/proc/self/fd"},
    {"/dev/stdin", "/proc/self/fd/0"},
    {"/dev/stdout", "/proc/self/fd/1"},
    {"/dev/stderr", "/proc/self/fd/2"},
    {"/var/tmp", "../tmp"}, /* relative: views below it are mounted before this is the root */
};

static const struct {
    const char *path, *text;
} files[] = {
    {"/etc/passwd", "root:x:0:0:root:/:/usr/sbin/nologin\n"
                    "guest:x:1000:1000:guest:/tmp:/bin/sh\n"
                    "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"},
    {"/etc/group", "root:x:0:\nguest:x:1000:\nnogroup:x:65534:\n"},
    {"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
};

#define HOSTS "127.0.0.1 localhost guest\n::1 localhost\n"

static const char *const empty_folders[] = {"/run",  "/home", "/mnt", "/opt",
                                            "/root", "/srv",  "/var"};

/* Files of /proc about the machine that a guest does not need, or that had vulnerabilities before.
 * Most are readable by root alone; the second protection costs 5 us for each. The counts of
 * interrupts show when other users of the machine type or compute. */
static const char *const masked[] = {
    "/proc/kcore",      "/proc/keys",        "/proc/key-users",
    "/proc/kallsyms",   "/proc/kmsg",        "/proc/sysrq-trigger",
    "/proc/timer_list", "/proc/sched_debug", "/proc/latency_stats",
    "/proc/acpi",       "/proc/scsi",        "/proc/bus",
    "/proc/fs",         "/proc/irq",         "/proc/asound",
    "/proc/driver",     "/proc/cmdline",     "/proc/interrupts",
};

static void plan_add(struct jail_spec *spec, enum spec_op_kind kind, const char *src,
                     const char *dst, const char *text)
{
    spec_add(spec, kind, src, dst, text)->optional = true;
}

/* /bin is a link to usr/bin on most hosts, a folder on others. */
static void add_as_is(struct jail_spec *spec, const char *path)
{
    struct stat st;
    char target[4096];

    if (lstat(path, &st) < 0)
        return;
    if (!S_ISLNK(st.st_mode)) {
        plan_add(spec, SPEC_BIND, path, path, NULL);
        return;
    }
    ssize_t n = readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = '\0';
    plan_add(spec, SPEC_LINK, NULL, path, target);
}

static void add_existing(struct jail_spec *spec, const char *const *paths, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (access(paths[i], F_OK) == 0)
            plan_add(spec, SPEC_BIND, paths[i], paths[i], NULL);
}

static void add_of_language(void *ctx, const struct language *language)
{
    for (const char *const *path = language->system_files; path && *path; path++)
        add_existing(ctx, path, 1);
}

/* True if a view makes a link at this path. */
static bool is_link_of(const struct backend_job *job, const char *path)
{
    for (size_t i = 0; i < job->view_count; i++)
        if (job->views[i].is_link && strcmp(job->views[i].dst, path) == 0)
            return true;
    return false;
}

/* The path of the stamp for a folder, beside the run log; NULL if the user has no folder for files.
 * Without a stamp each cold start searches the whole folder, so it may not depend on the run log:
 * the user's folder is made here. The caller frees it. */
static char *stamp_path(const char *folder)
{
    char hex[SHA256_HEX];

    sha256_of(folder, strlen(folder), hex);
    AUTO_FREE char *name = xasprintf("looked-%.16s", hex);
    char *path = user_file_state(name);
    AUTO_FREE char *folders = xstrdup(path ? path : "");
    if (path)
        (void)user_file_make_folders(folders);
    return path;
}

static void add_view(struct jail_spec *spec, const struct host_view *v)
{
    AUTO_FREE char *stamp = v->is_interpreters ? stamp_path(v->src) : NULL;

    spec_add(spec, SPEC_BIND, v->src, v->dst, stamp)->look = true;
}

static void plan_root(const struct backend_job *job, struct jail_spec *spec)
{
    for (size_t i = 0; i < ARRAY_LEN(empty_folders); i++)
        if (!is_link_of(job, empty_folders[i]))
            plan_add(spec, SPEC_DIR, NULL, empty_folders[i], NULL);
    for (size_t i = 0; i < ARRAY_LEN(system_folders); i++)
        add_as_is(spec, system_folders[i]);
    add_existing(spec, system_files, ARRAY_LEN(system_files));
    language_each(NULL, add_of_language, spec);
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        plan_add(spec, SPEC_FILE, NULL, files[i].path, files[i].text);
    if (job->net_host)
        add_existing(spec, network_files, ARRAY_LEN(network_files));
    else
        plan_add(spec, SPEC_FILE, NULL, "/etc/hosts", HOSTS);
    if (job->net_rules)
        plan_add(spec, SPEC_FILE, NULL, "/etc/resolv.conf", RESOLVER);
    for (size_t i = 0; i < ARRAY_LEN(devices); i++)
        spec_add(spec, SPEC_DEVICE, devices[i], devices[i], NULL);
    for (size_t i = 0; i < ARRAY_LEN(links); i++)
        plan_add(spec, SPEC_LINK, NULL, links[i].path, links[i].text);
    for (size_t i = 0; i < job->view_count; i++) {
        const struct host_view *v = &job->views[i];
        if (v->is_link)
            plan_add(spec, SPEC_LINK, NULL, v->dst, v->src);
        else
            add_view(spec, v);
    }
    for (size_t i = 0; i < ARRAY_LEN(masked); i++)
        plan_add(spec, SPEC_MASK, NULL, masked[i], NULL);
}

/* As root, each plan gets a uid that no other guest has, and that the previous few plans of this
 * process did not have. In a container only some uids exist, and then the last one is used. An
 * ordinary user, or a root without capabilities, can only use its own uid. */
static void plan_ids(struct jail_spec *spec)
{
    static atomic_uint plans;
    uint32_t turn = atomic_fetch_add(&plans, 1) & 63, last;
    uint32_t own = 0x60000000u + (turn << 22) + ((uint32_t)getpid() & 0x3fffff);

    if (!caps_may_set_ids()) {
        spec->host_uid = geteuid();
        spec->host_gid = getegid();
        return;
    }
    spec->host_uid = uids_exist("/proc/self/uid_map", own, 1, &last) ? own : last;
    spec->host_gid = uids_exist("/proc/self/gid_map", own, 1, &last) ? own : last;
}

static bool kernel_is(int major, int minor)
{
    int64_t have[2] = {0};
    struct utsname name;
    struct str rest, word;

    if (uname(&name) < 0)
        return false;
    rest = str_from(name.release);
    for (int i = 0; i < 2 && str_next(&rest, '.', &word); i++)
        (void)num_int64(word, &have[i]);
    return have[0] > major || (have[0] == major && have[1] >= minor);
}

static struct spec_rlimit *add_rlimit(struct jail_spec *spec, int resource, uint64_t value)
{
    struct spec_rlimit *limit = &spec->rlimits[spec->rlimit_count++];

    *limit = (struct spec_rlimit){.resource = resource, .value = value};
    return limit;
}

/* A file with holes can be longer than the disk is large; then the size of our tmpfs is the limit.
 * If the disk is a folder of the host, only the length of each file is limited. */
static void limit_disk(const struct jail_limits *l, struct jail_spec *spec)
{
    if (l->disk_bytes)
        add_rlimit(spec, RLIMIT_FSIZE, l->disk_bytes)->unless = LAYER_BIT(LAYER_ROOT);
}

/* RLIMIT_NPROC counts processes by user, and a user namespace has users of its own. A control group
 * reports what it refuses, so its limit is lower and is hit first. */
static void limit_processes(const struct backend_job *job, struct jail_spec *spec)
{
    const layer_mask own_user = LAYER_BIT(LAYER_USERNS), group = LAYER_BIT(LAYER_PIDS);
    struct spec_rlimit *limit;
    uint64_t all = job->limits.pids + 1; /* one for our init */

    /* Without a uid of the guest's own, it would count all processes of the user. */
    if (!job->limits.pids ||
        (!(job->layers & own_user) && (~job->layers & (group | LAYER_BIT(LAYER_CAPS))) != 0))
        return;
    add_rlimit(spec, RLIMIT_NPROC, all + 1)->with = own_user | group;
    limit = add_rlimit(spec, RLIMIT_NPROC, all);
    limit->with = own_user;
    limit->unless = group;
    limit = add_rlimit(spec, RLIMIT_NPROC, all);
    limit->unless = own_user | group;
    limit->above_others = true;
}

/* Queued signals and timers are counted by user and user namespace, and once more for the owner of
 * that namespace: 64 guests together may use what the host user has, and that user's own programs
 * need some as well. An older kernel counts them by user alone. */
static void limit_signals(const struct backend_job *job, struct jail_spec *spec)
{
    const uint64_t least = 128, most = 4096;
    struct rlimit limit;

    if (!(job->layers & LAYER_BIT(LAYER_USERNS)) || getrlimit(RLIMIT_SIGPENDING, &limit) < 0 ||
        (geteuid() != 0 && !kernel_is(5, 14)))
        return;
    uint64_t part = limit.rlim_cur / 64;
    add_rlimit(spec, RLIMIT_SIGPENDING, part < least ? least : part < most ? part : most);
}

/* The kernel's limits for single processes, in addition to those of the whole tree. */
static void plan_rlimits(const struct backend_job *job, struct jail_spec *spec)
{
    const struct jail_limits *l = &job->limits;

    spec->rlimits = xcalloc(SPEC_MAX_RLIMITS, sizeof *spec->rlimits);
    /* No core file has room in 1 byte. If the host sends core dumps to a program, 0 would still
     * start that program, as the host's root, at each crash; 1 does not (fs/coredump.c). */
    add_rlimit(spec, RLIMIT_CORE, 1);
    if (l->open_files)
        add_rlimit(spec, RLIMIT_NOFILE, l->open_files);
    if (job->layers & LAYER_BIT(LAYER_RLIMITS)) {
        limit_disk(l, spec);
        add_rlimit(spec, RLIMIT_MSGQUEUE, 819200);
        add_rlimit(spec, RLIMIT_MEMLOCK, 65536);
        add_rlimit(spec, RLIMIT_RTPRIO, 0);
        add_rlimit(spec, RLIMIT_NICE, 0);
        limit_signals(job, spec);
    }
    limit_processes(job, spec);
    /* The kernel kills a process that uses too much processor time, even without a watcher; the
     * limit over the whole tree is watched from outside and comes first. */
    if (l->cpu_ms)
        add_rlimit(spec, RLIMIT_CPU, (uint64_t)(l->cpu_ms + 999) / 1000 + 1);
}

static char **copy_vector(char *const *v)
{
    size_t n = 0;

    while (v[n])
        n++;
    char **copy = xcalloc(n + 1, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = xstrdup(v[i]);
    return copy;
}

/* The rules were read before, so they can be read. */
static void plan_network(const struct backend_job *job, struct jail_spec *spec)
{
    struct net_rules rules;
    struct err err;

    if (!job->net_rules || net_rules_read(str_from(job->net_rules), &rules, &err) < 0)
        return;
    spec->port_count = (uint32_t)net_rules_ports(&rules, spec->ports);
    net_rules_done(&rules);
}

void plan_jail(const struct backend_job *job, const char *box_host, struct jail_spec *ret)
{
    spec_init(ret);
    ret->wanted = job->layers;
    if (job->net_host)
        ret->wanted &= ~LAYER_BIT(LAYER_NETNS);
    ret->required = job->required;
    ret->net_host = job->net_host;
    plan_ids(ret);
    plan_root(job, ret);
    plan_rlimits(job, ret);
    plan_network(job, ret);
    ret->hostname = xstrdup("guest");
    ret->box_host = xstrdup(box_host);
    ret->wall_ms = job->limits.wall_ms;
    ret->disk_bytes = job->limits.disk_bytes ? job->limits.disk_bytes : 1ULL << 40;
    ret->inodes = job->limits.inodes ? job->limits.inodes : 1u << 20;
    ret->exec_path = xstrdup(job->exec_path);
    ret->argv = copy_vector(job->argv);
    ret->envp = copy_vector(job->env);
    ret->cwd = xasprintf("%s%s%.*s", SPEC_WORK, job->folder.n ? "/" : "", (int)job->folder.n,
                         job->folder.p);
}
