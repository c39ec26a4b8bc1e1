/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>

#include "tap.h"

static void test_lasting(void)
{
    static const int lasting[] = {EPERM, EACCES, EINVAL, EROFS, ENOSYS, EOPNOTSUPP};
    static const int passing[] = {0, EAGAIN, EINTR, ENOMEM, ENOSPC, EMFILE, EBUSY, ENOENT, EIO};

    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++)
        OK(err_is_lasting(lasting[i]), "errno %d lasts", lasting[i]);
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        OK(!err_is_lasting(passing[i]), "errno %d may pass", passing[i]);
}

static void test_wrap(void)
{
    struct err err;

    errno = EROFS;
    err_sys(&err, "make %s", "/x");
    err_wrap(&err, "after %d", 2);
    EQ_STR(err.msg, "after 2: make /x: Read-only file system");
    EQ_INT(err.sys, EROFS);
}

int main(void)
{
    RUN(test_lasting());
    RUN(test_wrap());
    return tap_done();
}
