/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles MSG_GO: the program for a parked or waiting jail.
 */
#include "inside/inside.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/wire.h"
#include "jail/lay.h"

/* Receives MSG_GO; exits if the library is gone. */
void go_receive(struct inside *in, struct go *ret)
{
    ssize_t got =
        fd_recv(SPEC_FD_CONTROL, ret->message, sizeof ret->message, ret->fds, &ret->count, 0);
    struct wire w = {.rest = {ret->message, got > 0 ? (size_t)got : 0}};

    uint32_t kind = wire_u32(&w);
    in->spec.wall_ms = (int64_t)wire_u64(&w);
    if (kind != MSG_GO || w.bad || ret->count != 1 + (size_t)!w.rest.n)
        _exit(1);
    ret->words = w.rest;
}

void go_lay(const struct inside *in, int from)
{
    struct lay_limits limits = {.max_bytes = in->spec.disk_bytes, .max_entries = in->spec.inodes};
    struct err err;
    AUTO_CLOSE int work = openat(in->box_fd, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (work < 0)
        die_sys("open the workspace");
    if (lay_receive(from, work, limits, &err) < 0)
        die_err(&err);
}
