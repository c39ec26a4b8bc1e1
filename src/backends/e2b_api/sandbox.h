/* SPDX-License-Identifier: Apache-2.0
 *
 * A sandbox of E2B, or of a service that speaks its protocol: a virtual machine that is made for
 * one guest. Requests go through glovebox-fetch, one after the other.
 *
 *     e2b_open(&e2b, &err);
 *     e2b_create(e2b, &wish, cancel_fd, &err);
 *     e2b_put_file(e2b, "/tmp/x", bytes, cancel_fd, &err);  ...
 *     e2b_kill(e2b, &err);
 *     e2b_close(e2b);
 *
 * For one thread at a time. Failures are ours or the service's; each message names a remedy, and
 * never contains the key: ERR_SYSTEM if trying again may help (the service is busy, the network
 * failed, the sandbox is gone), otherwise ERR_UNSUPPORTED.
 */
#ifndef E2B_API_SANDBOX_H
#define E2B_API_SANDBOX_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#define E2B_TEMPLATE "code-interpreter-v1" /* with Python, R, Node, Java and Bash in it */

struct e2b;

/* Reads the account. */
int e2b_open(struct e2b **ret, struct err *err);
void e2b_close(struct e2b *e2b); /* NULL is fine; the sandbox stays alive */
/* "https://api.e2b.app". */
const char *e2b_describe(const struct e2b *e2b);
/* Checks that the service accepts the key, with a cheap request. */
int e2b_check(struct e2b *e2b, struct err *err);

/* The metadata member with a name for one request. With it we find a sandbox whose creation was not
 * answered. */
#define E2B_MARK "request"

struct e2b_wish {
    const char *template_id; /* NULL: E2B_TEMPLATE */
    int64_t timeout_ms;      /* the service kills it after this time */
    bool internet;
    bool pauses;            /* after that time the service pauses it instead */
    const json_t *metadata; /* an object of strings; or NULL */
};
/* Creates the sandbox. Waits and tries again, a few times, if the service has no room. */
int e2b_create(struct e2b *e2b, const struct e2b_wish *wish, int cancel_fd, struct err *err);
/* The service kills the sandbox when this time has passed from now on. */
int e2b_set_timeout(struct e2b *e2b, int64_t timeout_ms, struct err *err);
/* Ends the sandbox's access to the internet. */
int e2b_close_network(struct e2b *e2b, struct err *err);
/* Resumes a sandbox that the service has paused: its processes continue, with their memory. A
 * running sandbox only gets the new time. Waits for at most `patience_ms`; may be called again. */
int e2b_resume(struct e2b *e2b, int64_t timeout_ms, int64_t patience_ms, int cancel_fd,
               struct err *err);
/* The account's sandboxes with "glovebox" in their metadata, from the first 100 pages of the
 * service's list. *ret, which the caller owns, is an array of {"sandboxID", "owner", E2B_MARK},
 * without members that are missing or too long. */
int e2b_list(struct e2b *e2b, json_t **ret, struct err *err);
/* Kills one of these sandboxes. */
int e2b_kill_other(struct e2b *e2b, const char *id, struct err *err);
/* Kills the sandbox. Returns 0 also if it is gone already, or never existed. */
int e2b_kill(struct e2b *e2b, struct err *err);

/* Writes a file as root, with mode 0644. */
int e2b_put_file(struct e2b *e2b, const char *path, struct str bytes, int cancel_fd,
                 struct err *err);

#endif
