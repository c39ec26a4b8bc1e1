/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "limits/cgroup_paths.h"
#include "tap.h"

struct parsed {
    const char *what, *mounts, *self;
    const char *memory, *cpu, *v2; /* our own directories, NULL for none */
};

static const struct parsed parsed[] = {
    {"a host with v2 only",
     "24 30 0:22 / /proc rw,nosuid - proc proc rw\n"
     "35 24 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 "
     "rw,nsdelegate,memory_recursiveprot\n",
     "0::/user.slice/user-1000.slice/session-3.scope\n", NULL, NULL,
     "/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope"},
    {"a systemd host with both",
     "35 24 0:30 / /sys/fs/cgroup ro shared:9 - tmpfs tmpfs ro,mode=755\n"
     "36 35 0:31 / /sys/fs/cgroup/unified rw shared:10 - cgroup2 cgroup2 rw\n"
     "40 35 0:35 / /sys/fs/cgroup/memory rw shared:15 - cgroup cgroup rw,memory\n"
     "41 35 0:36 / /sys/fs/cgroup/cpu,cpuacct rw shared:16 - cgroup cgroup rw,cpu,cpuacct\n"
     "42 35 0:37 / /sys/fs/cgroup/systemd rw shared:17 - cgroup cgroup rw,xattr,name=systemd\n",
     "5:memory:/user.slice\n4:cpu,cpuacct:/user.slice/a b\n1:name=systemd:/x\n0::/user.slice/s\n",
     "/sys/fs/cgroup/memory/user.slice", "/sys/fs/cgroup/cpu,cpuacct/user.slice/a b",
     "/sys/fs/cgroup/unified/user.slice/s"},
    {"a host with v1 only",
     "32 31 0:29 / /cgroup/my\\040cpu rw,relatime - cgroup cgroup rw,cpu\n"
     "35 31 0:32 / /cgroup/memory rw,relatime - cgroup cgroup rw,memory\n",
     "4:memory:/\n1:cpu:/a:b\n", "/cgroup/memory", "/cgroup/my cpu/a:b", NULL},
    {"a container in a cgroup namespace",
     "1203 1190 0:30 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n", "0::/\n", NULL,
     NULL, "/sys/fs/cgroup"},
    {"a v1 container that sees its part of the host's tree",
     "701 700 0:32 /docker/f00d /sys/fs/cgroup/memory ro master:15 - cgroup cgroup rw,memory\n"
     "702 700 0:29 /docker/f00d /sys/fs/cgroup/cpu ro master:16 - cgroup cgroup rw,cpu\n",
     "5:memory:/docker/f00d\n4:cpu:/docker/f00d/inner/one\n", "/sys/fs/cgroup/memory",
     "/sys/fs/cgroup/cpu/inner/one", NULL},
    {"a name that only begins like the mount's root",
     "701 700 0:32 /docker/f00d /m rw - cgroup cgroup rw,memory\n", "5:memory:/docker/f00dling\n",
     "/m", NULL, NULL},
    {"paths that lead out of the namespace",
     "701 700 0:32 /../.. /m rw - cgroup cgroup rw,memory\n"
     "702 700 0:33 / /u rw - cgroup2 cgroup2 rw\n",
     "5:memory:/\n0::/../other\n", "/m", NULL, "/u"},
    {"our own group was removed", "702 700 0:33 / /u rw - cgroup2 cgroup2 rw\n",
     "0::/gone (deleted)\n", NULL, NULL, "/u"},
    {"the second mount shows more, the third is read-only",
     "701 700 0:32 /docker/f00d /a rw - cgroup cgroup rw,memory\n"
     "702 700 0:32 / /b rw - cgroup cgroup rw,memory\n"
     "703 700 0:32 / /c ro - cgroup cgroup rw,memory\n",
     "5:memory:/docker/cafe\n", "/b/docker/cafe", NULL, NULL},
    {"a mount that covers another",
     "701 700 0:32 / /a rw - cgroup cgroup rw,memory\n"
     "702 700 0:32 /x /a ro - cgroup cgroup rw,memory\n",
     "5:memory:/x/y\n", "/a/y", NULL, NULL},
    {"lines that make no sense", "\n1 2\n1 2 3 / /m rw\n1 2 3 / /m rw -\n1 2 3 / /m rw - cgroup\n",
     "\n:\n5\n5:memory\n5:memory:x\n::::\n", NULL, NULL, NULL},
    {"no text at all", "", "", NULL, NULL, NULL},
};

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(parsed); i++) {
        const struct parsed *t = &parsed[i];
        struct cgroup_map map;
        cgroup_map_parse(str_from(t->mounts), str_from(t->self), &map);
        OK(tap_same(map.v1[CGROUP_MEMORY].dir, t->memory) &&
               tap_same(map.v1[CGROUP_CPU].dir, t->cpu) && tap_same(map.v2.dir, t->v2),
           "parses %s", t->what);
        printf("# memory %s cpu %s v2 %s\n", map.v1[CGROUP_MEMORY].dir ?: "-",
               map.v1[CGROUP_CPU].dir ?: "-", map.v2.dir ?: "-");
        cgroup_map_done(&map);
    }
    EQ_INT(cgroup_controllers_parse(STR("cpuset cpu io memory\n"), ' '),
           CGROUP_BIT(CGROUP_CPU) | CGROUP_BIT(CGROUP_MEMORY));
    EQ_INT(cgroup_controllers_parse(STR(""), ' '), 0);
    return tap_done();
}
