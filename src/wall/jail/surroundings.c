/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/surroundings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"

enum { FILE_MAX = 1 << 20 };

/* ---- how ---- */

#define SHARED "('glovebox help containers' says where it is)"

/* The designators make a missing comma between two strings impossible. */
/* NOLINTBEGIN(bugprone-suspicious-missing-comma) */
static const char *const hows[LAYER_MEANS_COUNT][SURROUNDINGS_COUNT] = {
    [MEANS_NAMESPACES] =
        {
            [ON_HOST] = "sysctl -w user.max_user_namespaces=16384 "
                        "kernel.unprivileged_userns_clone=1 "
                        "kernel.apparmor_restrict_unprivileged_userns=0, or run as root",
            [IN_FILTER] = "a system call filter around this process forbids them: start it "
                          "without that filter (a service: no RestrictNamespaces=, "
                          "SystemCallFilter=~@mount or the like)",
            [IN_CHROOT] = "the kernel makes no user namespace in a chroot, and the others only "
                          "for root: run as root, or not in a chroot",
            [IN_CONTAINER] = "docker run --security-opt seccomp=docker-seccomp.json " SHARED
                             "; where AppArmor is used, also --security-opt apparmor=unconfined",
            [IN_KUBERNETES] = "securityContext: seccompProfile: {type: Localhost, "
                              "localhostProfile: glovebox.json} " SHARED,
        },
    [MEANS_PROC] =
        {
            [ON_HOST] = "an unmasked /proc around this process",
            [IN_CONTAINER] = "docker run --security-opt systempaths=unconfined",
            [IN_KUBERNETES] = "securityContext: procMount: Unmasked, with hostUsers: false",
        },
    [MEANS_GROUPS] =
        {
            [ON_HOST] = "run as root, or: systemd-run --user --scope -p Delegate=yes glovebox ... "
                        "(cgroup v2)",
            [IN_CONTAINER] = "run as root in a container that may write its control groups: docker "
                             "run -v /sys/fs/cgroup:/sys/fs/cgroup:rw (cgroup v1) or --privileged; "
                             "without, docker's own --memory, --pids-limit and --cpus hold for the "
                             "whole container",
            [IN_KUBERNETES] = "a privileged container; without, the pod's own resources.limits "
                              "hold for the whole container",
        },
    [MEANS_SECCOMP] = {[ON_HOST] = "a kernel with CONFIG_SECCOMP_FILTER (any distribution's)"},
    [MEANS_LANDLOCK] =
        {
            [ON_HOST] = "Linux 5.13 or newer with landlock in the lsm= list of the kernel",
            [IN_CONTAINER] = "Linux 5.13 or newer with landlock in the lsm= list of the host's "
                             "kernel, and a container engine whose filter knows Landlock (docker "
                             "20.10.10 or newer)",
        },
    [MEANS_NONE] = {[ON_HOST] = "always there"},
};
/* NOLINTEND(bugprone-suspicious-missing-comma) */

const char *layer_how(enum jail_layer layer, enum surroundings where)
{
    const char *const *row = hows[jail_layers[layer].means];

    if (!row[where] && where == IN_KUBERNETES)
        where = IN_CONTAINER;
    return row[where] ? row[where] : row[ON_HOST];
}

const char *wall_how(enum surroundings where)
{
    static const char *const all[SURROUNDINGS_COUNT] = {
        [IN_CONTAINER] = "docker run --security-opt seccomp=docker-seccomp.json --security-opt "
                         "systempaths=unconfined " SHARED,
        [IN_KUBERNETES] = "securityContext of the container: seccompProfile and procMount as in "
                          "kubernetes.yaml " SHARED,
    };

    return all[where] ? all[where] : layer_how(LAYER_USERNS, where);
}

/* ---- where ---- */

static const struct {
    const char *name, *title;
} names[SURROUNDINGS_COUNT] = {
    [ON_HOST] = {"host", "this host"},
    [IN_FILTER] = {"filter", "a process under a system call filter"},
    [IN_CHROOT] = {"chroot", "a chroot"},
    [IN_CONTAINER] = {"container", "a container"},
    [IN_KUBERNETES] = {"kubernetes", "a pod of Kubernetes"},
};

const char *surroundings_name(enum surroundings where)
{
    return names[where].name;
}

const char *surroundings_title(enum surroundings where)
{
    return names[where].title;
}

static void read_below(const char *root, const char *path, struct buf *ret)
{
    AUTO_FREE char *full = xasprintf("%s%s", root, path);
    struct err err;

    buf_init(ret, FILE_MAX);
    (void)fd_read_file(full, ret, &err); /* an absent file has no signs in it */
}

static bool is_below(const char *root, const char *path)
{
    AUTO_FREE char *full = xasprintf("%s%s", root, path);

    return access(full, F_OK) == 0;
}

/* The names that container engines give to control groups. */
static bool has_engine_group(const char *root)
{
    static const char *const words[] = {"/docker/",  "/docker-",       "/kubepods",  "/libpod-",
                                        "/lxc/",     "lxc.payload",    "/buildkit/", "/garden/",
                                        "/machine-", "cri-containerd", "/crio-",     "/podman-"};
    AUTO_BUF struct buf groups;

    read_below(root, "/proc/self/cgroup", &groups);
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_find(buf_str(&groups), str_from(words[i])) >= 0)
            return true;
    return false;
}

static bool is_filtered(const char *root)
{
    AUTO_BUF struct buf status;

    read_below(root, "/proc/self/status", &status);
    return str_find(buf_str(&status), STR("\nSeccomp:\t2")) >= 0;
}

/* The fifth field of a line is the mount point. */
static struct str mount_point(struct str line)
{
    struct str word = {"", 0};

    for (int i = 0; i < 5; i++)
        if (!str_next(&line, ' ', &word))
            return STR("");
    return word;
}

struct mounts_seen {
    bool any, root, mask; /* mask: something is mounted over a part of /proc */
};

static struct mounts_seen look_at_mounts(const char *root)
{
    AUTO_BUF struct buf mounts;
    struct mounts_seen seen = {0};

    read_below(root, "/proc/self/mountinfo", &mounts);
    struct str rest = buf_str(&mounts), line;
    while (str_next_line(&rest, &line)) {
        struct str at = mount_point(line);
        seen.any = true;
        seen.root |= str_eq(at, STR("/"));
        seen.mask |= str_starts(at, "/proc/") && !str_eq(at, STR("/proc/sys/fs/binfmt_misc"));
    }
    return seen;
}

/* Only root may look at the root of process 1; for others this is false. */
static bool has_other_root(const char *root)
{
    AUTO_FREE char *first = xasprintf("%s/proc/1/root", root);
    AUTO_FREE char *ours = xasprintf("%s/", root);
    struct stat one, here;

    return stat(first, &one) == 0 && stat(ours, &here) == 0 &&
           (one.st_dev != here.st_dev || one.st_ino != here.st_ino);
}

enum surroundings surroundings_find_in(const char *root)
{
    struct mounts_seen mounts = look_at_mounts(root);
    bool filtered = is_filtered(root);

    if ((mounts.any && !mounts.root) || has_other_root(root))
        return IN_CHROOT;
    if (getenv("KUBERNETES_SERVICE_HOST"))
        return IN_KUBERNETES;
    if (is_below(root, "/.dockerenv") || is_below(root, "/run/.containerenv") ||
        has_engine_group(root) || (filtered && mounts.mask))
        return IN_CONTAINER;
    return filtered ? IN_FILTER : ON_HOST;
}

enum surroundings surroundings_find(void)
{
    return surroundings_find_in("");
}
