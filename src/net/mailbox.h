/* SPDX-License-Identifier: Apache-2.0
 *
 * From any thread into the thread of an event loop: posted mail is delivered there, in order.
 */
#ifndef NET_MAILBOX_H
#define NET_MAILBOX_H

#include "base/err.h"

struct event_base;
struct mailbox;

/* A member of the structure that is sent. It belongs to the mailbox from post to deliver, and with
 * it the structure, if the sender gives that up: `deliver` may free it while mailbox_post has not
 * returned, and the sender must not touch it after it has called that. */
struct mail {
    struct mail *next;
    void (*deliver)(struct mail *mail);
};

int mailbox_open(struct event_base *base, struct mailbox **ret, struct err *err);
void mailbox_close(struct mailbox *box); /* when no thread posts any more; NULL is fine */
void mailbox_post(struct mailbox *box, struct mail *mail);

#endif
