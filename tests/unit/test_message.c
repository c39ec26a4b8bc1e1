/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/message.h"

#include <errno.h>
#include <signal.h>

#include "base/mem.h"
#include "base/wire.h"
#include "tap.h"

static struct jail_state state;
static struct jail_event event;

static enum jail_message read_buf(struct buf *b)
{
    enum jail_message kind = message_read(buf_str(b), &state, &event);

    buf_done(b);
    return kind;
}

static struct buf begin(enum jail_message kind)
{
    struct buf b;

    buf_init(&b, MSG_MAX);
    wire_put_u32(&b, kind);
    return b;
}

static void test_simple(void)
{
    struct buf b = begin(MSG_BORN);

    EQ_INT(read_buf(&b), MSG_BORN);
    EQ_INT(event.kind, JAIL_NOTHING);
    b = begin(MSG_ENDS);
    wire_put_u32(&b, END_LATE);
    read_buf(&b);
    EQ_INT(event.kind, JAIL_LATE);
    b = begin(MSG_ENDS);
    wire_put_u32(&b, END_ZYGOTE);
    read_buf(&b);
    EQ_INT(event.kind, JAIL_ORPHANED);
    b = begin(MSG_ENDS);
    read_buf(&b);
    EQ_INT(event.kind, JAIL_FAILED);
    OK(!state.started && !state.exited, "nothing runs yet");
    for (unsigned us = 100; us < 300; us += 100) {
        b = begin(MSG_WAITED);
        wire_put_u64(&b, us);
        read_buf(&b);
        EQ_INT(event.kind, JAIL_NOTHING);
    }
    EQ_INT(state.forks_us, 300);

    b = begin(MSG_READY);
    wire_put_u32(&b, LAYER_BIT(LAYER_PIDNS));
    read_buf(&b);
    EQ_INT(event.kind, JAIL_READY);
    OK(!state.started && state.held == LAYER_BIT(LAYER_PIDNS), "one that waits does not run");

    b = begin(MSG_STARTED);
    wire_put_u32(&b, LAYER_BIT(LAYER_SECCOMP) | LAYER_BIT(LAYER_COUNT));
    read_buf(&b);
    EQ_INT(event.kind, JAIL_STARTED);
    OK(state.started, "it runs");
    EQ_INT(state.held, LAYER_BIT(LAYER_SECCOMP));
}

static void test_lost(void)
{
    char text[400];

    memset(text, 'x', sizeof text);
    for (int i = 0; i < JAIL_LOST_MAX + 2; i++) {
        struct buf b = begin(MSG_LOST);
        wire_put_u32(&b, LAYER_BIT(LAYER_USERNS));
        wire_put_str(&b, (struct str){text, sizeof text});
        read_buf(&b);
    }
    EQ_INT(state.lost_count, JAIL_LOST_MAX);
    EQ_INT(state.lost[0].layers, LAYER_BIT(LAYER_USERNS));
    EQ_INT(strlen(state.lost[JAIL_LOST_MAX - 1].why), sizeof state.lost[0].why - 1);
}

static void deny(const char *name, uint64_t count)
{
    struct buf b = begin(MSG_DENIED);

    wire_put_cstr(&b, name);
    wire_put_u64(&b, count);
    read_buf(&b);
}

static void test_denied(void)
{
    deny("ptrace", 3);
    EQ_INT(event.kind, JAIL_DENIED);
    EQ_STR(event.name, "ptrace");
    EQ_INT(event.count, 3);
    for (int i = 0; i < JAIL_DENIED_MAX + 5; i++)
        deny("another-with-a-name-that-is-longer-than-there-is-room-for", 1);
    EQ_INT(state.denied_count, JAIL_DENIED_MAX);
    EQ_STR(state.denied[0].name, "ptrace");
    EQ_INT(strlen(state.denied[1].name), sizeof state.denied[1].name - 1);
}

static struct buf exit_message(uint32_t names)
{
    struct buf b = begin(MSG_EXIT);

    wire_put_u32(&b, SIGSEGV);
    wire_put_u32(&b, 1);
    wire_put_u64(&b, 10);
    wire_put_u64(&b, 20);
    wire_put_u64(&b, 30);
    wire_put_u32(&b, names);
    for (uint32_t i = 0; i < names; i++) {
        wire_put_cstr(&b, "mount");
        wire_put_u64(&b, i);
    }
    return b;
}

static void test_exit(void)
{
    struct buf b = exit_message(2);

    read_buf(&b);
    EQ_INT(event.kind, JAIL_EXITED);
    EQ_INT(state.status, SIGSEGV);
    OK(state.exited && state.alone, "it ended, and nothing else was left");
    OK(state.user_us == 10 && state.system_us == 20 && state.max_rss_kib == 30, "what it used");
    EQ_INT(state.denied_count, 2); /* the final word, in place of what was told on the way */
    EQ_STR(state.denied[1].name, "mount");

    b = exit_message(JAIL_DENIED_MAX + 1);
    read_buf(&b);
    EQ_INT(event.kind, JAIL_EXITED);
    EQ_INT(state.denied_count, JAIL_DENIED_MAX);
}

static void test_error(void)
{
    struct buf b = begin(MSG_ERROR);

    wire_put_u32(&b, ERR_POLICY);
    wire_put_u32(&b, EROFS);
    wire_put_cstr(&b, "no");
    read_buf(&b);
    EQ_INT(event.kind, JAIL_FAILED);
    EQ_INT(event.error.kind, ERR_POLICY);
    EQ_INT(event.error.sys, EROFS);
    EQ_STR(event.error.msg, "no");
    b = begin(MSG_ERROR);
    wire_put_u32(&b, 1000000);
    wire_put_u32(&b, 0);
    wire_put_cstr(&b, "");
    read_buf(&b);
    EQ_INT(event.error.kind, ERR_SYSTEM);
}

/* A damaged word about the end must not become "exited with status 0". */
static void test_damaged(void)
{
    AUTO_BUF struct buf whole = exit_message(3);
    int changed = 0, unsaid = 0;

    for (size_t n = 0; n < whole.n; n++) {
        AUTO_FREE char *part = xmalloc(n);
        struct jail_state clean = {.lost_count = 1};
        if (n)
            memcpy(part, whole.p, n);
        message_read((struct str){part, n}, &clean, &event);
        changed += clean.exited || clean.status || clean.denied_count || clean.lost_count != 1;
        unsaid += event.kind != JAIL_FAILED || event.error.kind != ERR_BUG || !event.error.msg[0];
    }
    EQ_INT(changed, 0);
    EQ_INT(unsaid, 0);
    struct buf b = begin(MSG_END);
    read_buf(&b);
    EQ_INT(event.kind, JAIL_FAILED);
    b = begin((enum jail_message)77);
    read_buf(&b);
    EQ_INT(event.kind, JAIL_FAILED);
    b = begin(MSG_BORN);
    (void)buf_addc(&b, 0);
    read_buf(&b);
    EQ_INT(event.kind, JAIL_FAILED);
}

int main(void)
{
    RUN(test_simple());
    RUN(test_lost());
    RUN(test_denied());
    RUN(test_exit());
    RUN(test_error());
    RUN(test_damaged());
    return tap_done();
}
