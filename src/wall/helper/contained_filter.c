/* SPDX-License-Identifier: Apache-2.0
 *
 * The jail's filter around the guest of a container, in addition to the engine's filter, which
 * allows more. This process has its listener: it counts locks, and reports the calls that our
 * filter refuses. Calls that the engine's filter refuses never come here.
 *
 * A call that waits for an answer must not wait for long, so everything here that waits for the
 * guest does it in contained_poll.
 */
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "base/fd.h"
#include "helper/contained.h"
#include "inside/inside.h"
#include "inside/notice.h"

static struct {
    int listener;
    bool reports; /* the backend knows that the guest has started */
    struct notices notices;
    struct denials denials;
} filter = {.listener = -1};

int contained_filter_enter(int *ret_listener, struct err *err)
{
    *ret_listener = -1;
    if (filter_install(0, ret_listener, err) == 0)
        return 0;
    return filter_install(FILTER_QUIET, ret_listener, err); /* another sandbox has the listener */
}

void contained_filter_listen(int listener)
{
    filter.listener = listener;
    notices_init(&filter.notices, listener, 0, -1, NULL);
}

static void send_denial(const struct denial *denial)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 256);
    wire_put_cstr(&b, denial->name);
    wire_put_u64(&b, denial->count);
    contained_send_buf(CONTAINED_DENIED, &b);
}

void contained_filter_report(void)
{
    filter.reports = true;
    for (unsigned i = 0; i < filter.denials.count; i++)
        send_denial(&filter.denials.list[i]);
}

struct pollfd contained_filter_poll(void)
{
    return (struct pollfd){.fd = filter.listener, .events = POLLIN};
}

static void contained_filter_refuse(const struct seccomp_notif *request)
{
    struct seccomp_notif_resp response = {
        .id = request->id, .error = -filter_denial_errno(filter_native(), &request->data)};
    char name[FILTER_NAME_MAX];

    (void)ioctl(filter.listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
    (void)filter_denial_name(&request->data, name, sizeof name);
    const struct denial *denial = denials_count(&filter.denials, name);
    if (denial->count == 1 && filter.reports)
        send_denial(denial);
}

void contained_filter_answer(short revents)
{
    struct seccomp_notif request;

    if (revents & POLLHUP) /* the last process with this filter is gone */
        fd_close(&filter.listener);
    if (!(revents & POLLIN))
        return;
    memset(&request, 0, sizeof request);
    if (ioctl(filter.listener, SECCOMP_IOCTL_NOTIF_RECV, &request) == 0 &&
        !notice_answer(&filter.notices, &request))
        contained_filter_refuse(&request);
}

bool contained_poll(int fd, short events, int64_t until_ms)
{
    for (;;) {
        int64_t left = until_ms - clock_mono_ms();
        struct pollfd polls[] = {{.fd = fd, .events = events}, contained_filter_poll()};
        int n = poll(polls, 2, left < 0 ? 0 : left > 60000 ? 60000 : (int)left);
        if (n > 0 && polls[1].revents)
            contained_filter_answer(polls[1].revents);
        if (n > 0 && polls[0].revents)
            return true;
        if (left <= 0)
            return false;
    }
}
