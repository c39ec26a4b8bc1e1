/* SPDX-License-Identifier: Apache-2.0
 *
 * What pid 1 reports to the library about the guest: that it runs, why it ends, how it ended.
 */
#include "inside/inside.h"

#include <poll.h>
#include <sys/resource.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/wire.h"
#include "jail/proto.h"

void report_state(struct inside *in, uint32_t kind)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, kind);
    wire_put_u32(&b, in->held);
    (void)fd_send(SPEC_FD_CONTROL, b.p, b.n, &in->box_fd, in->box_fd >= 0);
}

void report_end(const struct guest_end *end, const struct denials *denials,
                struct end_report report)
{
    struct rusage use;
    AUTO_BUF struct buf b = {0};

    getrusage(RUSAGE_CHILDREN, &use);
    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, report.kind);
    wire_put_u32(&b, (uint32_t)report.status);
    wire_put_u32(&b, report.alone);
    wire_put_u64(&b, end->user_us + (uint64_t)use.ru_utime.tv_sec * 1000000 +
                         (uint64_t)use.ru_utime.tv_usec);
    wire_put_u64(&b, end->system_us + (uint64_t)use.ru_stime.tv_sec * 1000000 +
                         (uint64_t)use.ru_stime.tv_usec);
    wire_put_u64(&b, end->max_rss_kib > (uint64_t)use.ru_maxrss ? end->max_rss_kib
                                                                : (uint64_t)use.ru_maxrss);
    denials_put(denials, &b);
    report_buf(&b);
}

void report_why(uint32_t why)
{
    struct pollfd room = {.fd = SPEC_FD_CONTROL, .events = POLLOUT};
    AUTO_BUF struct buf b = {0};

    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, MSG_ENDS);
    wire_put_u32(&b, why);
    if (poll(&room, 1, 0) > 0 && room.revents & POLLOUT)
        report_buf(&b);
}
