/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranges of the host's uids for jails: apart from each other, given out again, and only where they
 * exist.
 */
#include "jail/uids.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "jail/spec.h"
#include "tap.h"

enum { RANGES = 64 };

static void test_ranges(void)
{
    uint32_t all[RANGES];
    unsigned near = 0, none = 0;

    for (unsigned i = 0; i < RANGES; i++) {
        all[i] = uids_take();
        none += !all[i];
        for (unsigned k = 0; k < i; k++)
            near += all[i] - all[k] + SPEC_JAILS_MAX - 1 < 2 * SPEC_JAILS_MAX - 1;
    }
    if (geteuid() != 0 || none == RANGES) {
        EQ_INT(none, RANGES);
        return;
    }
    EQ_INT(none, 0);
    OK(near == 0, "no two overlap");
    EQ_INT(uids_take(), 0);
    uids_give_back(0);
    EQ_INT(uids_take(), 0);
    uids_give_back(all[7]);
    EQ_INT(uids_take(), all[7]);
    uids_give_back(all[3]);
    uids_give_back(all[9]);
    OK(uids_take() == all[9], "the turn goes on, and not back to the first");
    for (unsigned i = 0; i < RANGES; i++)
        uids_give_back(all[i]);
}

static bool exist(const char *map, uint32_t first, uint32_t count, uint32_t *ret_last)
{
    char path[] = "/tmp/test-uids-XXXXXX";
    int fd = mkstemp(path);
    bool found = dprintf(fd, "%s", map) > 0 && uids_exist(path, first, count, ret_last);

    close(fd);
    unlink(path);
    return found;
}

static void test_maps(void)
{
    static const char *const map =
        "         0     100000      65536\n     70000     200000        100\n";
    uint32_t last = 1;

    OK(exist("0 0 4294967295\n", 0x7fffff00, 256, NULL), "all exist on a host");
    OK(exist(map, 0, 65536, NULL) && exist(map, 70000, 100, NULL), "as many as a line has");
    OK(!exist(map, 70000, 101, &last) && last == 70099, "not one more, and which is the last");
    OK(!exist(map, 65535, 2, NULL) && !exist(map, 65535, 70000 - 65535, NULL), "not across lines");
    OK(!exist("1 1 4294967294\n", 4294967200u, 256, NULL), "nor beyond all numbers");
}

int main(void)
{
    RUN(test_ranges());
    RUN(test_maps());
    return tap_done();
}
