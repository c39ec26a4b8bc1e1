/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions and their forks over a backend: both work, or are refused in its own words.
 */
#include <string.h>

#include "session/session.h"
#include "tap.h"
#include "trial.h"

static void plan_session(struct session_request *q, const struct backend *b, const char *language)
{
    session_request_init(q);
    q->run.place.own_backend = b;
    q->run.place.allow_unsafe = true;
    q->run.program.language = language;
    q->run.policy.no_check = true;
    q->run.door.log = "off";
    q->run.program.stdin_fd = -1;
}

/* Runs a cell, which is to print `want`. */
static void cell(struct session *session, const char *code, const char *want)
{
    const struct cell_request request = {.code = str_from(code)};
    const struct run_watch watch = {.cancel_fd = -1};
    struct result r;
    AUTO_BUF struct buf out = {0};

    result_init(&r, 1000);
    session_exec(session, &request, &watch, &r);
    buf_init(&out, 2000);
    capture_text(&r.out, &out);
    OK(r.success, "the cell %s: %s", code, r.error.kind ? r.error.msg : "");
    EQ_STR(out.p ? out.p : "", want);
    result_done(&r);
}

static void test_refused(const struct backend *b)
{
    struct session_request q;
    struct session *session = NULL;
    struct err err = {0};

    plan_session(&q, b, "bash");
    OK(session_open(&q, &session, &err) < 0 && !session, "no session");
    EQ_INT(err.kind, ERR_UNSUPPORTED);
    OK(strstr(err.msg, backend_why_not(b, CAN_SESSIONS)), "in its words: %s", err.msg);
}

static void test_cells(const struct backend *b)
{
    struct session_request q;
    struct session *session = NULL;
    struct err err = {0};

    plan_session(&q, b, "bash");
    if (!OK(session_open(&q, &session, &err) == 0, "a session: %s", err.msg))
        return;
    cell(session, "x=41; echo text > file.txt", "");
    cell(session, "echo $((x + 1))", "42\n");
    struct workspace_file *files = NULL;
    size_t count = 0;
    OK(session_files(session, &files, &count, &err) == 0 && count == 1, "it has one file");
    EQ_STR(count == 1 ? files[0].path : "", "file.txt");
    workspace_files_done(files, count);
    session_close(session);
}

static void test_fork(const struct backend *b)
{
    const char *why_not = backend_why_not(b, CAN_FORKS);
    struct session_request q;
    struct session *session = NULL, *fork = NULL;
    struct err err = {0};

    plan_session(&q, b, "python");
    q.forks = 1;
    if (!OK(session_open(&q, &session, &err) == 0, "a session that may be forked: %s", err.msg))
        return;
    cell(session, "x = 41", "");
    int forked = session_fork(session, &fork, &err);
    EQ_INT(forked, why_not ? -1 : 0);
    if (forked < 0) {
        EQ_INT(err.kind, ERR_UNSUPPORTED);
        OK(why_not && strstr(err.msg, why_not), "refused in its words: %s", err.msg);
        cell(session, "print(x)", "41\n");
    } else {
        cell(fork, "x += 1\nprint(x)", "42\n");
        cell(session, "print(x)", "41\n");
    }
    session_close(fork);
    session_close(session);
}

void test_sessions(const struct backend *b)
{
    if (backend_why_not(b, CAN_SESSIONS)) {
        test_refused(b);
        return;
    }
    test_cells(b);
    test_fork(b);
}
