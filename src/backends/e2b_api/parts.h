/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of this room, and included by no others.
 */
#ifndef E2B_API_PARTS_H
#define E2B_API_PARTS_H

#include "e2b_api/account.h"
#include "e2b_api/sandbox.h"
#include "net/fetch.h"

/* The receiver of a request. E2B_ENVD is a port of the sandbox. */
enum e2b_side { E2B_CONTROL = 0, E2B_ENVD = 49983 };

#define E2B_HEADERS_MAX 12
#define E2B_WORDS_MAX   800 /* bytes; a quarter as many characters */

struct e2b {
    struct e2b_account account;
    struct fetch *fetch;                       /* NULL until it is needed, and after a failure */
    char *id, *token, *traffic_token, *domain; /* of the sandbox; NULL for none */
    bool old_paths;                            /* the service only supports the first version */
};

struct e2b_ask {
    enum e2b_side side;
    const char *method;
    const char *path;   /* with the query, encoded */
    const json_t *json; /* the body; or NULL, for the next */
    struct str body;
    const char *type;   /* of `body` */
    const char *header; /* one more; or NULL */
    bool as_root;
    int64_t timeout_ms; /* for the whole request; 0: 60 s, and for e2b_send no limit */
    int64_t idle_ms;    /* the maximum time without a byte; 0: no limit */
    int cancel_fd;      /* -1 for none */
    int64_t grace_ms;   /* after a cancellation, still wait this long for the answer */
};

struct e2b_answer {
    enum e2b_side side;
    unsigned status;          /* of three digits */
    int64_t retry_after_ms;   /* 0: the service gives no time */
    json_t *json;             /* a JSON body, or NULL */
    char next_page[300];      /* of a list; "" for none */
    char said[E2B_WORDS_MAX]; /* if the status is not 2xx: the message, safe to print; or "" */
};

/* True if the string may become a part of addresses and headers: letters, digits, '-', '_' and '.',
 * with a letter or a digit at the beginning. */
bool e2b_is_name(struct str s);

/* Returns 0 with any status; -1, with *ret empty, if there is no answer. */
int e2b_ask(struct e2b *e2b, const struct e2b_ask *given, struct e2b_answer *ret, struct err *err);
void e2b_answer_done(struct e2b_answer *answer);
/* Returns -1, with the service's message, unless the status is 2xx. `what` names the attempt. */
int e2b_must(const struct e2b_answer *answer, const char *what, struct err *err);
bool e2b_is_good(unsigned status);
/* Sets the error for a streamed answer whose status is not 2xx. Returns -1. */
int e2b_say_refused(const struct e2b *e2b, enum e2b_side side, unsigned status, struct str body,
                    const char *what, struct err *err);

/* Kills the sandbox. Tries again if the service fails: a living sandbox costs money until its time
 * is over. */
int e2b_kill_sandbox(struct e2b *e2b, const char *id, struct err *err);
/* After a request to create a sandbox that had no answer: kills the sandbox with this mark, if the
 * service lists one by now. NULL: the request had no mark. */
void e2b_kill_unanswered(struct e2b *e2b, const char *mark);

/* Adds Glovebox's sandboxes on a page of the service's list: for each a {"sandboxID", "owner",
 * E2B_MARK}. Leaves out a member that is not a string, or is longer than this maximum. */
enum { E2B_LISTED_TEXT_MAX = 600 };
void e2b_list_keep(json_t *list, const json_t *answer);

/* Begins a request on a separate connection, with the headers for its receiver. */
int e2b_send(struct e2b *e2b, struct fetch *fetch, const struct e2b_ask *ask, uint64_t max_bytes,
             struct err *err);
/* Sets the error for a failed request, with the message of the network or the service. Returns -1.
 */
int e2b_say_failure(const struct e2b *e2b, enum e2b_side side, const struct fetch_event *event,
                    struct err *err);
/* A message of a service, in one line without control characters and without our key. e2b_show_body
 * uses the "message" of the JSON, if there is one. */
void e2b_show(const struct e2b *e2b, struct str text, char out[E2B_WORDS_MAX]);
void e2b_show_body(const struct e2b *e2b, const json_t *json, struct str body,
                   char out[E2B_WORDS_MAX]);

#endif
