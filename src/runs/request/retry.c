/* SPDX-License-Identifier: Apache-2.0
 *
 * Starts that failed for a reason that may pass.
 */
#include <poll.h>

#include "base/clock.h"
#include "request/retry.h"

bool request_may_retry(const struct run_request *q, int attempts, bool started, struct err *err)
{
    if (err_is_passing(err) && !started && attempts <= q->door.retries)
        return true;
    if (attempts > 1)
        (void)err_wrap(err, "Failed after %d attempts", attempts);
    return false;
}

bool request_pause(const struct run_request *q, int cancel_fd)
{
    struct pollfd wait = {.fd = cancel_fd, .events = POLLIN};
    int64_t until = clock_mono_ms() + q->door.retry_delay_ms, left;

    while ((left = until - clock_mono_ms()) > 0)
        if (poll(&wait, 1, left > 60000 ? 60000 : (int)left) > 0)
            return true;
    return false;
}
