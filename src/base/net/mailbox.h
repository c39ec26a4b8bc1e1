/* SPDX-License-Identifier: Apache-2.0
 *
 * Any thread may post mail; it is delivered in the thread of an event loop, in order.
 */
#ifndef NET_MAILBOX_H
#define NET_MAILBOX_H

#include "base/err.h"

struct event_base;
struct mailbox;

/* Embed it in the structure to send. From post to deliver it belongs to the mailbox. If `deliver`
 * frees the structure, that may happen before mailbox_post returns, so the sender must not touch
 * the structure after the call. */
struct mail {
    struct mail *next;
    void (*deliver)(struct mail *mail);
};

int mailbox_open(struct event_base *base, struct mailbox **ret, struct err *err);
void mailbox_close(struct mailbox *box); /* call it when no thread posts any more; NULL is fine */
void mailbox_post(struct mailbox *box, struct mail *mail);

#endif
