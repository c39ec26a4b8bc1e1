/* SPDX-License-Identifier: Apache-2.0 */
#include "limits/layers.h"

const struct layer_info jail_layers[LAYER_COUNT] = {
    [LAYER_USERNS] =
        {"userns", "the guest's user and group ids have no rights outside",
         "the other namespaces need root; after a kernel bug, the guest has a real uid",
         MEANS_NAMESPACES, false},
    [LAYER_PIDNS] = {"pidns",
                     "the guest sees and signals only its own processes; one kill ends all",
                     "the guest can see the host's processes, and reach the memory of those with "
                     "its uid unless Landlock holds",
                     MEANS_NAMESPACES, true},
    [LAYER_MOUNTNS] = {"mountns", "mounts of its own", "no private root, no limited disk",
                       MEANS_NAMESPACES, true},
    [LAYER_NETNS] = {"netns", "no network but its own loopback",
                     "only the system call filter closes the network", MEANS_NAMESPACES, false},
    [LAYER_IPCNS] = {"ipcns", "System V and POSIX queues of its own",
                     "the guest can reach the host's shared memory and queues", MEANS_NAMESPACES,
                     true},
    [LAYER_UTSNS] = {"utsns", "a host name of its own", "the guest sees the host's name",
                     MEANS_NAMESPACES, false},
    [LAYER_CGROUPNS] = {"cgroupns", "cgroup paths hidden", "the guest sees the host's cgroup paths",
                        MEANS_NAMESPACES, false},
    [LAYER_ROOT] =
        {"root",
         "a minimal read-only root; no homes, no setuid, sockets in the folders that "
         "are shown are covered",
         "files are guarded by Landlock and the filter, and names, sizes and times of all "
         "the host's files can be read; workspace is a folder on the host's disk",
         MEANS_NAMESPACES, true},
    [LAYER_PROC] = {"proc", "a /proc of its own, read-only, dangerous parts masked",
                    "no /proc inside: some programs need it", MEANS_PROC, false},
    [LAYER_CAPS] = {"capabilities", "the guest has no capability in any set",
                    "the guest keeps privileges", MEANS_NONE, true},
    [LAYER_NNP] = {"no_new_privs", "setuid programs give no rights", "setuid programs work",
                   MEANS_NONE, true},
    [LAYER_SECCOMP] = {"seccomp",
                       "system calls that programs do not need return an error and are reported",
                       "the guest can make every system call", MEANS_SECCOMP, true},
    [LAYER_LANDLOCK] = {"landlock", "a second wall around files, sockets and signals",
                        "no second wall behind the private root", MEANS_LANDLOCK, false},
    [LAYER_MEMORY] = {"memory", "memory of the whole tree limited by the kernel",
                      "memory is watched from outside, a few milliseconds late", MEANS_GROUPS,
                      false},
    [LAYER_PIDS] = {"pids", "processes of the whole tree limited by the kernel",
                    "processes are limited by RLIMIT_NPROC", MEANS_GROUPS, false},
    [LAYER_CPU] = {"cpu", "share of the processors limited by the kernel",
                   "the guest may use every processor", MEANS_GROUPS, false},
    [LAYER_RLIMITS] = {"rlimits", "limits on open files, core dumps and file sizes",
                       "only the other limits hold", MEANS_NONE, true},
};

#define NAMESPACES                                                                                 \
    (LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_PIDNS) | LAYER_BIT(LAYER_MOUNTNS) |                 \
     LAYER_BIT(LAYER_NETNS) | LAYER_BIT(LAYER_IPCNS) | LAYER_BIT(LAYER_UTSNS) |                    \
     LAYER_BIT(LAYER_CGROUPNS))
#define CGROUPS (LAYER_BIT(LAYER_MEMORY) | LAYER_BIT(LAYER_PIDS) | LAYER_BIT(LAYER_CPU))

/* The layers that the table has as essential. */
#define ESSENTIAL                                                                                  \
    (LAYER_BIT(LAYER_PIDNS) | LAYER_BIT(LAYER_MOUNTNS) | LAYER_BIT(LAYER_IPCNS) |                  \
     LAYER_BIT(LAYER_ROOT) | LAYER_BIT(LAYER_CAPS) | LAYER_BIT(LAYER_NNP) |                        \
     LAYER_BIT(LAYER_SECCOMP))

static const struct {
    const char *name;
    layer_mask mask;
} groups[] = {
    {"all", LAYERS_ALL},
    {"default", ESSENTIAL},
    {"namespaces", NAMESPACES},
    {"cgroup", CGROUPS},
    {"user", LAYER_BIT(LAYER_USERNS)},
    {"pid", LAYER_BIT(LAYER_PIDNS)},
    {"mount", LAYER_BIT(LAYER_MOUNTNS)},
    {"net", LAYER_BIT(LAYER_NETNS)},
    {"ipc", LAYER_BIT(LAYER_IPCNS)},
    {"uts", LAYER_BIT(LAYER_UTSNS)},
    {"caps", LAYER_BIT(LAYER_CAPS)},
    {"nnp", LAYER_BIT(LAYER_NNP)},
};

static layer_mask layers_find(struct str name)
{
    for (unsigned i = 0; i < LAYER_COUNT; i++)
        if (str_is_nocase(name, jail_layers[i].name))
            return LAYER_BIT(i);
    for (unsigned i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (str_is_nocase(name, groups[i].name))
            return groups[i].mask;
    return 0;
}

int layers_parse(struct str list, layer_mask *ret, struct err *err)
{
    struct str name;
    layer_mask mask = 0;

    while (str_next(&list, ',', &name)) {
        name = str_trim(name);
        layer_mask found = layers_find(name);
        if (!found)
            return err_set(err, ERR_USAGE, "'%.*s' is not a layer; 'glovebox doctor' lists them",
                           (int)name.n, name.p);
        mask |= found;
    }
    *ret = mask;
    return 0;
}
