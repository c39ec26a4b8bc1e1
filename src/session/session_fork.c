/* SPDX-License-Identifier: Apache-2.0 */
#include "session/session.h"

int session_fork(struct session *session, struct session **ret, struct err *err)
{
    (void)session;
    (void)ret;
    return err_set(err, ERR_UNSUPPORTED,
                   "sessions cannot be forked in this version; open another and set its variables");
}
