/* SPDX-License-Identifier: Apache-2.0 */
#include "net/mailbox.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

struct mailbox {
    pthread_mutex_t lock;
    struct mail *first, **end;
    int fd;
    struct event *event;
};

static void on_mail(evutil_socket_t fd, short what, void *ctx)
{
    struct mailbox *box = ctx;
    uint64_t count;

    (void)what;
    (void)!read(fd, &count, sizeof count);
    pthread_mutex_lock(&box->lock);
    struct mail *mail = box->first, *next;
    box->first = NULL;
    box->end = &box->first;
    pthread_mutex_unlock(&box->lock);
    for (; mail; mail = next) {
        next = mail->next;
        mail->deliver(mail);
    }
}

int mailbox_open(struct event_base *base, struct mailbox **ret, struct err *err)
{
    struct mailbox *box = xcalloc(1, sizeof *box);

    pthread_mutex_init(&box->lock, NULL);
    box->end = &box->first;
    box->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    box->event = box->fd < 0 ? NULL : event_new(base, box->fd, EV_READ | EV_PERSIST, on_mail, box);
    if (!box->event || event_add(box->event, NULL) < 0) {
        err_sys(err, "make an eventfd");
        mailbox_close(box);
        return -1;
    }
    *ret = box;
    return 0;
}

void mailbox_close(struct mailbox *box)
{
    if (!box)
        return;
    if (box->event)
        event_free(box->event);
    fd_close(&box->fd);
    pthread_mutex_destroy(&box->lock);
    free(box);
}

void mailbox_post(struct mailbox *box, struct mail *mail)
{
    uint64_t one = 1;

    mail->next = NULL;
    pthread_mutex_lock(&box->lock);
    bool was_empty = !box->first;
    *box->end = mail;
    box->end = &mail->next;
    pthread_mutex_unlock(&box->lock);
    if (was_empty)
        (void)!write(box->fd, &one, sizeof one);
}
