/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of system calls that a kernel might take, for fuzz.c: one function for each kind that
 * calls.def names.
 */
#ifndef WALL_ARGUMENTS_H
#define WALL_ARGUMENTS_H

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    ARENA = 1 << 20, /* memory that addresses point into */
    DESCRIPTORS = 24,
};

static unsigned char *arena;
static uint64_t state;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint64_t below(uint64_t n)
{
    return any() % n;
}

#define PICK(list) ((list)[below(sizeof(list) / sizeof *(list))])

/* ---- arguments ---- */

static long a_number(void)
{
    static const long odd[] = {
        0,        1,       2,    3,    4,     7,  8,  16,  32,   63,         64,
        255,      256,     4095, 4096, 65535, -1, -2, -22, -100, 0x7fffffff, -0x7fffffffL - 1,
        1L << 32, 1L << 47};

    return below(4) ? PICK(odd) : (long)(any() >> below(64));
}

static long a_path(void)
{
    static const char *const paths[] = {".",
                                        "..",
                                        "/",
                                        "/proc",
                                        "/proc/self",
                                        "/proc/1",
                                        "/proc/1/root",
                                        "/proc/1/mem",
                                        "/proc/1/environ",
                                        "/proc/self/mem",
                                        "/proc/self/ns/user",
                                        "/proc/self/ns/net",
                                        "/proc/1/ns/mnt",
                                        "/proc/1/ns/pid",
                                        "/proc/self/fd/0",
                                        "/proc/self/fd/5",
                                        "/proc/self/oom_score_adj",
                                        "/proc/self/uid_map",
                                        "/proc/sys/kernel/core_pattern",
                                        "/proc/sys/vm/drop_caches",
                                        "/proc/sysrq-trigger",
                                        "/proc/kmsg",
                                        "/proc/kcore",
                                        "/proc/locks",
                                        "/proc/net/tcp",
                                        "/sys",
                                        "/sys/fs/cgroup",
                                        "/dev",
                                        "/dev/null",
                                        "/dev/zero",
                                        "/dev/tty",
                                        "/dev/ptmx",
                                        "/dev/pts/ptmx",
                                        "/dev/shm",
                                        "/dev/mqueue",
                                        "/dev/kmsg",
                                        "/dev/mem",
                                        "/usr",
                                        "/usr/bin/python3",
                                        "/usr/bin/sh",
                                        "/bin/true",
                                        "/etc/passwd",
                                        "/etc/shadow",
                                        "/etc/ld.so.preload",
                                        "/root",
                                        "/home",
                                        "/box",
                                        "/box/work",
                                        "/tmp",
                                        "/tmp/f",
                                        "/box/work/f",
                                        "f",
                                        "g",
                                        "d",
                                        "d/f",
                                        "../f",
                                        "f\nname",
                                        "-rf",
                                        "",
                                        "user.f",
                                        "security.capability",
                                        "trusted.f",
                                        "system.posix_acl_access",
                                        "tmpfs",
                                        "proc",
                                        "overlay",
                                        "bpf",
                                        "/queue",
                                        "keyring",
                                        "logon",
                                        "\xff\xfe"};
    static const char *const canaries[] = {"CANARY_SECRET",   "CANARY_OPEN",   "CANARY_WRITABLE",
                                           "CANARY_CREATE",   "CANARY_FOLDER", "CANARY_VIEW",
                                           "CANARY_SHM_FILE", "CANARY_SOCKET", "CANARY_MQ"};

    const char *canary = below(6) == 0 ? getenv(PICK(canaries)) : NULL;
    return below(20) == 0 ? (long)(arena + below(ARENA)) : (long)(canary ? canary : PICK(paths));
}

/* Seldom one that ends all of us, as -1 does. */
static long a_process(void)
{
    const char *canary = getenv("CANARY_PID");

    switch (below(64)) {
    case 0:
        return -1;
    case 1:
    case 2:
        return (long)below(40);
    default:
        break;
    }
    switch (below(6)) {
    case 0:
        return 1;
    case 1:
        return 0; /* a worker is a group of its own */
    case 2:
        return -(long)getpid();
    case 3:
        return canary ? atol(canary) : 100000;
    default:
        return getpid();
    }
}

static long an_open_flag(void)
{
    static const long flags[] = {O_RDONLY,
                                 O_WRONLY,
                                 O_RDWR,
                                 O_RDWR | O_CREAT,
                                 O_PATH,
                                 O_DIRECTORY,
                                 O_RDWR | O_TMPFILE,
                                 O_WRONLY | O_TRUNC,
                                 O_RDWR | O_APPEND | O_CREAT};

    return PICK(flags) | (below(4) ? 0 : (long)(any() & 0777777)) | O_NONBLOCK;
}

static long a_structure(void);

static long a_time(void)
{
    struct timespec *t = (struct timespec *)(void *)(arena + (below(ARENA - 64) & ~7UL));

    *t = (struct timespec){.tv_nsec = (long)below(2000000)};
    return below(10) ? (long)t : 0;
}

static long an_address(void)
{
    static const long odd[] = {0, 8, 4096, -4096, -1, 0x7ffffffff000};

    if (below(12) == 0)
        return PICK(odd);
    uint64_t at = below(ARENA - 8192);
    return (long)(arena + (below(2) ? at & ~4095UL : at & ~7UL));
}

static long a_vector(void)
{
    uint64_t *v = (uint64_t *)(void *)(arena + (below(ARENA - 4096) & ~7UL));

    for (int i = 0; i < 8; i++) {
        v[2 * i] = (uint64_t)an_address();
        v[2 * i + 1] = below(8192);
    }
    return (long)v;
}

static long a_socket_address(void)
{
    struct sockaddr_un *address =
        (struct sockaddr_un *)(void *)(arena + (below(ARENA - 4096) & ~7UL));
    const char *canary = getenv("CANARY_ABSTRACT");
    static const unsigned short families[] = {1, 2, 10, 16, 17, 38, 40};

    memset(address, 0, sizeof *address);
    address->sun_family = PICK(families);
    if (address->sun_family != AF_UNIX)
        for (int i = 0; i < 26; i++)
            address->sun_path[i] = (char)(below(3) ? 0 : any());
    else
        snprintf(address->sun_path + below(2), sizeof address->sun_path - 1, "%s",
                 canary && below(2) ? canary : "s");
    return (long)address;
}

static long a_request(void)
{
    static const long known[] = {
        0x5401,     0x5412,     0x5413, 0x541b,     0x541c,     0x5421,     0x5423,
        0x5450,     0x6601,     0x8901, 0x8912,     0x8914,     0x8927,     0x89a0,
        0xaa00,     0xae01,     0x125d, 0xc0045877, 0xc0185879, 0x40086602, 0x80086601,
        0x401c5820, 0x801c581f, 0xb701, 0xb702,     0x2400,     0xc0502100};

    return below(3) ? PICK(known) : (long)(any() & 0xffffffff);
}

static long an_option(void)
{
    static const long known[] = {1,  3,  4,  8,  15, 21, 22,         23,         24,        26,
                                 28, 33, 35, 36, 38, 39, 41,         43,         47,        52,
                                 53, 57, 59, 62, 67, 77, 0x53564d41, 0x59616d61, 0x41555856};

    return below(5) ? PICK(known) : a_number();
}

/* The number of its end, too: a process that closed standard output would not be heard. */
static long a_descriptor(void)
{
    return below(10) ? (long)(3 + below(DESCRIPTORS)) : (long)below(5) - 2;
}

static long clone_flags(void)
{
    static const long flags[] = {0,
                                 CLONE_NEWUSER,
                                 CLONE_NEWNS,
                                 CLONE_NEWPID,
                                 CLONE_NEWNET,
                                 CLONE_NEWIPC,
                                 CLONE_NEWUTS,
                                 0x02000000,
                                 0x80,
                                 CLONE_FILES,
                                 CLONE_FS,
                                 CLONE_PARENT,
                                 CLONE_PTRACE,
                                 0x1000};

    return PICK(flags) | (below(3) ? 0 : PICK(flags)) | (below(2) ? SIGCHLD : 0);
}

static long argument(char kind)
{
    static const long families[] = {1, 1, 2,  2,  10, 10, 16, 17, 38, 40,
                                    5, 9, 21, 24, 29, 30, 31, 41, 43, 44};
    static const long users[] = {0, 1, 1000, 65534, -1, 0x60000000};

    switch (kind) {
    case 'd':
        return below(3) ? AT_FDCWD : a_descriptor();
    case 'f':
        return a_descriptor();
    case 'p':
        return a_path();
    case 'b':
        return (long)(arena + below(ARENA / 2));
    case 'z':
        return below(4) ? (long)below(16384) : a_number();
    case 'i':
        return (long)below(40) - 1;
    case 'o':
        return an_open_flag();
    case 'm':
        return (long)(any() & 0177777);
    case 'P':
        return a_process();
    case 'S':
        return (long)below(66);
    case 'g':
        return below(3) ? (long)(1UL << below(20)) : (long)(any() & 0xffffff);
    case 'G': /* of mmap: mostly something that can be had */
        return (below(2) ? MAP_PRIVATE : MAP_SHARED) | (below(2) ? MAP_ANONYMOUS : 0) |
               (below(6) ? 0 : (long)(1UL << below(24)));
    case 'a':
        return an_address();
    case 't':
        return a_time();
    case 'u':
        return PICK(users);
    case 'v':
        return a_vector();
    case 'x':
        return a_socket_address();
    case 'k':
        return a_structure();
    case 'n':
        return clone_flags();
    case 'r':
        return a_request();
    case 'c':
        return below(2) ? (long)below(20) : (long)(1024 + below(20));
    case 'y':
        return an_option();
    case 'w':
        return PICK(families);
    case 'e':
        return 0;
    default:
        return a_number();
    }
}

/* Numbers, addresses and descriptors, of four and of eight bytes, as structures have them. */
static long a_structure(void)
{
    static const char kinds[] = "iifglleeeaPSuz";
    unsigned char *at = arena + (below(ARENA - 4096) & ~7UL);

    if (below(16) == 0)
        return 0;
    for (size_t i = 0; i < 128; i += 4 + 4 * below(2)) {
        long value = argument(kinds[below(sizeof kinds - 1)]);
        memcpy(at + i, &value, 8);
    }
    return (long)at;
}

#endif
