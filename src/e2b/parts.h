/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of this folder, and included by no others.
 */
#ifndef E2B_PARTS_H
#define E2B_PARTS_H

#include "e2b/account.h"
#include "e2b/sandbox.h"
#include "net/fetch.h"

/* What a request is for. The last two are ports of the sandbox. */
enum e2b_side { E2B_CONTROL = 0, E2B_ENVD = 49983, E2B_INTERPRETER = 49999 };

#define E2B_HEADERS_MAX 12
#define E2B_WORDS_MAX   800 /* bytes; a quarter as many characters */

struct e2b {
    struct e2b_account account;
    struct fetch *fetch;                       /* NULL until it is needed, and after it broke */
    char *id, *token, *traffic_token, *domain; /* of the sandbox; NULL for none */
    bool old_paths;                            /* the service knows only the first version */
};

struct e2b_ask {
    enum e2b_side side;
    const char *method;
    const char *path;   /* with the query, encoded */
    const json_t *json; /* the body; or: */
    struct str body;
    const char *type;   /* of `body` */
    const char *header; /* one more; or NULL */
    bool as_root;
    int64_t timeout_ms; /* for all of it; 0: 60 s, and for e2b_send no limit */
    int64_t idle_ms;    /* without a byte; 0: no limit */
    int cancel_fd;      /* -1 for none */
    int64_t grace_ms;   /* after the wish to stop, the answer may still come for this time */
    bool saves;         /* the body of a 200 is no JSON: it goes into save_fd, */
    int save_fd;
    uint64_t save_max; /* and is a failure if it is longer */
};

struct e2b_answer {
    enum e2b_side side;
    unsigned status;          /* of three digits */
    int64_t retry_after_ms;   /* 0: the service does not say */
    json_t *json;             /* of a JSON body, else NULL */
    char next_page[300];      /* of a list; "" for none */
    char said[E2B_WORDS_MAX]; /* with a status that is not 2xx: the message, safe to print; or "" */
};

/* Whether it may become a part of addresses and headers: letters, digits, '-', '_' and '.', with a
 * letter or a digit at the beginning. */
bool e2b_is_name(struct str s);

/* 0 with any status. -1 when there is no answer, and *ret is empty. */
int e2b_ask(struct e2b *e2b, const struct e2b_ask *given, struct e2b_answer *ret, struct err *err);
void e2b_answer_done(struct e2b_answer *answer);
/* -1 with what the service said, unless the status is 2xx. `what` is what was tried. */
int e2b_must(const struct e2b_answer *answer, const char *what, struct err *err);
bool e2b_is_good(unsigned status);
/* The same for an answer that came as a stream, with any other status. */
int e2b_say_refused(const struct e2b *e2b, enum e2b_side side, unsigned status, struct str body,
                    const char *what, struct err *err);

/* Asks a service that fails again: a sandbox that lives on costs money until its time is up. */
int e2b_kill_sandbox(struct e2b *e2b, const char *id, struct err *err);
/* After a request to create a sandbox that had no answer: kills the sandbox with this mark, if the
 * service lists one by now. NULL: the request had no mark. */
void e2b_kill_unanswered(struct e2b *e2b, const char *mark);

/* Adds what is kept of Glovebox's sandboxes on a page of the service's list: each a {"sandboxID",
 * "owner", E2B_MARK} as far as these are texts that are not longer. */
enum { E2B_LISTED_TEXT_MAX = 600 };
void e2b_list_keep(json_t *list, const json_t *answer);

/* Begins a request on a connection of its own, with the headers of its side. */
int e2b_send(struct e2b *e2b, struct fetch *fetch, const struct e2b_ask *ask, uint64_t max_bytes,
             struct err *err);
/* A message of a failed exchange: what the network or the service said. */
int e2b_say_failure(const struct e2b *e2b, enum e2b_side side, const struct fetch_event *event,
                    struct err *err);
/* What a service said, in one line without control characters and without our key; its "message" if
 * it has one. */
void e2b_show(const struct e2b *e2b, struct str text, char out[E2B_WORDS_MAX]);
void e2b_show_body(const struct e2b *e2b, const json_t *json, struct str body,
                   char out[E2B_WORDS_MAX]);

#endif
