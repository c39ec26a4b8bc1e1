/* SPDX-License-Identifier: Apache-2.0
 *
 * Results that ask the client for more, since 2026-07-28: a person's input, a model's answer, the
 * client's folders. No tool of the product asks: what a guest wrote must not reach a person as a
 * question of ours, and permissions are the operator's. So this is linked into the program of the
 * conformance suite alone (tests/mcp/fixtures.c).
 *
 * Theory. The work of such a request begins anew in each round. It calls ask() for each thing that
 * it needs, and gets the client's answer, or NULL when the client is to be asked. With an open
 * question the result of the round is the questions; the client sends the request again, with its
 * answers and with a state (mcp/request_state.h) that has the answers of the earlier rounds.
 * Nothing is kept here between the rounds.
 */
#ifndef MCP_ASKING_H
#define MCP_ASKING_H

#include "mcp/rpc.h"

enum ask_kind { ASK_PERSON, ASK_MODEL, ASK_ROOTS };

struct asking {
    const struct rpc_message *message;
    json_t *answers;   /* of the earlier rounds, and of this one as far as asked for */
    json_t *questions; /* that are open, as `inputRequests` */
    bool continued;    /* it has the state of an earlier round */
    bool cannot;       /* the client cannot answer a question, of this kind: */
    enum ask_kind unanswerable;
};

/* The answer, which belongs to `asking`; NULL: the question is open, or the client cannot answer
 * ones of this kind. An answer of another form than the kind's is asked for again. Takes `params`
 * over. */
const json_t *ask(struct asking *asking, const char *key, enum ask_kind kind, json_t *params);
/* -1: the client has not declared that it can answer this kind. */
int asking_require(const struct rpc_message *m, enum ask_kind kind, struct rpc_problem *problem);

/* The result of a round; NULL with *problem. `work` returns NULL when it lacks an answer. */
json_t *asking_round(const struct rpc_message *m, const char *owner,
                     json_t *(*work)(struct asking *asking), struct rpc_problem *problem);

#endif
