/* SPDX-License-Identifier: Apache-2.0
 *
 * Used by the helper and by the zygote's shared object.
 */
#include <sched.h>

#include "inside/gate.h"

const struct gate_space gate_spaces[GATE_SPACES] = {
    {"user", CLONE_NEWUSER}, {"pid", CLONE_NEWPID}, {"mnt", CLONE_NEWNS},
    {"ipc", CLONE_NEWIPC},   {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP},
};
