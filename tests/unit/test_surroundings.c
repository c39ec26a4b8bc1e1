/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/surroundings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "jail/host_box.h"
#include "tap.h"

#define HOST_MOUNTS  "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
#define PROC_MOUNT   "23 22 0:21 / /proc rw - proc proc rw\n"
#define MASKED_MOUNT "24 23 0:22 / /proc/kcore ro - tmpfs tmpfs ro\n"
#define BINFMT_MOUNT "24 23 0:22 / /proc/sys/fs/binfmt_misc ro - autofs systemd-1 ro\n"
#define FILTERED     "Name:\tx\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n"
#define UNFILTERED   "Name:\tx\nSeccomp:\t0\n"

static const struct {
    const char *name, *file, *groups, *mounts, *status;
    enum surroundings want;
} cases[] = {
    {"a host", NULL, "0::/user.slice\n", HOST_MOUNTS PROC_MOUNT BINFMT_MOUNT, UNFILTERED, ON_HOST},
    {"docker's own service", NULL, "0::/system.slice/docker.service\n", HOST_MOUNTS, UNFILTERED,
     ON_HOST},
    {"no /proc", NULL, NULL, NULL, NULL, ON_HOST},
    {"a filtered service", NULL, "0::/system.slice/x.service\n",
     HOST_MOUNTS PROC_MOUNT BINFMT_MOUNT, FILTERED, IN_FILTER},
    {"a masked /proc", NULL, "0::/\n", HOST_MOUNTS PROC_MOUNT MASKED_MOUNT, FILTERED, IN_CONTAINER},
    {"docker", ".dockerenv", "0::/\n", HOST_MOUNTS, FILTERED, IN_CONTAINER},
    {"podman", "run/.containerenv", "0::/\n", HOST_MOUNTS, UNFILTERED, IN_CONTAINER},
    {"a group of docker", NULL, "4:memory:/docker/0123abcd\n", HOST_MOUNTS, UNFILTERED,
     IN_CONTAINER},
    {"a group of podman", NULL, "0::/machine.slice/libpod-0123.scope\n", HOST_MOUNTS, UNFILTERED,
     IN_CONTAINER},
    {"a chroot", NULL, "0::/\n", "23 22 0:21 / /proc rw - proc proc rw\n", UNFILTERED, IN_CHROOT},
};

static void put(const char *root, const char *name, const char *text)
{
    AUTO_FREE char *path = xasprintf("%s/%s", root, name);
    FILE *f = text ? fopen(path, "w") : NULL;

    if (f) {
        (void)fputs(text, f);
        (void)fclose(f);
    }
}

static void make_folders(const char *root)
{
    static const char *const folders[] = {"run", "proc", "proc/self"};

    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        AUTO_FREE char *path = xasprintf("%s/%s", root, folders[i]);
        OK(mkdir(path, 0700) == 0, "made %s", folders[i]);
    }
}

static enum surroundings find(size_t i)
{
    char root[] = "/tmp/glovebox-test-XXXXXX";

    if (!mkdtemp(root))
        return SURROUNDINGS_COUNT;
    make_folders(root);
    if (cases[i].file)
        put(root, cases[i].file, "");
    put(root, "proc/self/cgroup", cases[i].groups);
    put(root, "proc/self/mountinfo", cases[i].mounts);
    put(root, "proc/self/status", cases[i].status);
    enum surroundings found = surroundings_find_in(root);
    host_box_remove(root);
    return found;
}

static void test_places(void)
{
    unsetenv("KUBERNETES_SERVICE_HOST");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        OK(find(i) == cases[i].want, "%s", cases[i].name);
    }
    setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1", 1);
    EQ_INT(find(0), IN_KUBERNETES);
}

/* Each place has a name and an advice for each layer; no sysctl where it could not help. */
static void test_advice(void)
{
    for (int where = 0; where < SURROUNDINGS_COUNT; where++) {
        for (unsigned layer = 0; layer < LAYER_COUNT; layer++) {
            const char *how = layer_how(layer, (enum surroundings)where);
            OK(how && (where == ON_HOST || !strstr(how, "sysctl")), "%s in a %s",
               jail_layers[layer].name, surroundings_name((enum surroundings)where));
        }
        OK(*surroundings_title((enum surroundings)where) && *wall_how((enum surroundings)where),
           "words for place %d", where);
    }
}

int main(void)
{
    RUN(test_places());
    RUN(test_advice());
    return tap_done();
}
