/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>

#include "tap.h"

static void test_passing(void)
{
    static const int lasting[] = {EPERM,      EACCES, EINVAL, EROFS,     ENOSYS,
                                  EOPNOTSUPP, ENOSPC, EEXIST, EISDIR,    ENOENT,
                                  ELOOP,      EFBIG,  EDQUOT, ENOTEMPTY, ENAMETOOLONG};
    static const int passing[] = {0, EAGAIN, ENOMEM, EBUSY, EMFILE, ECONNRESET, EPIPE, ETIMEDOUT};

    for (size_t i = 0; i < sizeof lasting / sizeof *lasting; i++)
        OK(!err_is_passing(&(struct err){.kind = ERR_SYSTEM, .sys = lasting[i]}), "errno %d lasts",
           lasting[i]);
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        OK(err_is_passing(&(struct err){.kind = ERR_SYSTEM, .sys = passing[i]}),
           "errno %d may pass", passing[i]);
    for (int kind = ERR_NONE; kind <= ERR_BUG; kind++)
        OK(err_is_passing(&(struct err){.kind = (enum err_kind)kind, .sys = EAGAIN}) ==
               (kind == ERR_SYSTEM),
           "kind %d", kind);
}

static void test_wrap(void)
{
    struct err err;

    errno = EROFS;
    err_sys(&err, "make %s", "/x");
    err_wrap(&err, "after %d", 2);
    EQ_STR(err.msg, "after 2: cannot make /x: Read-only file system");
    EQ_INT(err.sys, EROFS);
}

int main(void)
{
    RUN(test_passing());
    RUN(test_wrap());
    return tap_done();
}
