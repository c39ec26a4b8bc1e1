/* SPDX-License-Identifier: Apache-2.0
 *
 * The access log: a line for each request. Lines are collected and written a few times a second.
 * Lines that cannot be written are lost, and reported (server/losses.h). Only the loop may call
 * these functions.
 */
#ifndef SERVER_ACCESS_LOG_H
#define SERVER_ACCESS_LOG_H

#include "net/http_server.h"

struct access_log;

/* `path` "-" is standard output. */
int access_log_open(const char *path, bool json, struct access_log **ret, struct err *err);
void access_log_close(struct access_log *log); /* NULL is fine, also below */
/* Opens the file again, after it was renamed (SIGHUP). */
int access_log_reopen(struct access_log *log, struct err *err);
void access_log_add(struct access_log *log, const struct http_exchange *x, const char *owner);
void access_log_flush(struct access_log *log);
uint64_t access_log_lost(const struct access_log *log); /* number of lost lines */

#endif
