/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REQUEST_RETRY_H
#define REQUEST_RETRY_H

#include "request/request.h"

/* True if the start should be tried again after this failure: only if the failure may be ours and
 * temporary, and never if the guest has started. Otherwise adds the number of attempts to *err. */
bool request_may_retry(const struct run_request *q, int attempts, bool started, struct err *err);
/* Waits for q->retry_delay_ms. True if cancel_fd (-1: none) became readable in this time. */
bool request_pause(const struct run_request *q, int cancel_fd);

#endif
