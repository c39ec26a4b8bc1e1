/* SPDX-License-Identifier: Apache-2.0
 *
 * One request and its answer in HTTP: over the network, or from a file.
 *
 * A record is a file with a line of JSON for each exchange, in order: {provider, model, url, path,
 * request, status, headers, body} or {..., failure, words}. It never contains the key.
 */
#ifndef LLM_EXCHANGE_H
#define LLM_EXCHANGE_H

#include "llm/place.h"
#include "net/fetch.h"

struct llm_exchange {
    /* the request */
    const char *path;
    const json_t *request;
    bool stream;
    int64_t timeout_ms; /* 0: none */
    /* Receives the body of a 200 if `stream`. -1 with *err aborts the exchange. */
    int (*piece)(void *ctx, struct str bytes, struct err *err);
    void *ctx;
    /* the answer */
    unsigned status;         /* 0 until the response's head arrived */
    struct buf header_lines; /* with line ends; see fetch_header */
    struct buf body;         /* everything that was not passed to `piece` */
    bool failed;             /* by the network: no response */
    enum fetch_failure failure;
    struct buf words;
};

void llm_exchange_init(struct llm_exchange *x);
void llm_exchange_done(struct llm_exchange *x);

struct model_wire; /* a connection, a record, a replay */

/* 0, or -1 with *err when a file cannot be opened or is not a record. */
int model_wire_open(const struct model_settings *settings, struct model_wire **ret,
                    struct err *err);
void model_wire_close(struct model_wire *wire); /* NULL is fine */
bool model_wire_is_replay(const struct model_wire *wire);
/* "provider/model" of the first exchange of a replay; NULL if this is not one. */
const char *model_wire_first(const struct model_wire *wire);

/* 0 when there is an answer or x->failed; -1 with *err for everything else: the deadline, the
 * cancel descriptor, an exchange that is not in the replay, an error of `piece`. */
int model_wire_exchange(struct model_wire *wire, const struct llm_place *place,
                        struct llm_exchange *x, const struct llm_watch *watch, bool *ret_cancelled,
                        struct err *err);

#endif
