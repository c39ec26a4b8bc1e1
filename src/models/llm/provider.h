/* SPDX-License-Identifier: Apache-2.0
 *
 * A protocol is a way to talk to a server; a provider is a service that uses one. A new provider is
 * a row of `providers`; a new protocol is a file like openai.c.
 */
#ifndef LLM_PROVIDER_H
#define LLM_PROVIDER_H

#include "llm/llm.h"
#include "llm/reading.h"

/* The data that a protocol needs besides the request. */
struct llm_asking {
    const struct llm_request *request;
    const char *model;
    int64_t max_tokens; /* 0: the service's own */
};

struct protocol {
    const char *name;
    const char *const *headers; /* sent with every request; NULL-terminated */
    const char *path;           /* the URL's part after the base; NULL: make_path makes it */
    char *(*make_path)(const struct llm_asking *asking); /* the caller frees the path */
    json_t *(*body)(const struct llm_asking *asking);
    /* `whole` reads a whole answer, `event` one event of a stream. -1 with *err: ERR_GUEST for a
     * text that does not follow the protocol, ERR_SYSTEM for an error that the server reports in
     * it. */
    int (*whole)(struct reading *r, const json_t *document, struct err *err);
    int (*event)(struct reading *r, const json_t *event, struct err *err);
    /* Appends the runs of code in an answer (llm_answer.raw); NULL: it never has any. */
    void (*runs)(const json_t *raw, json_t *ret);
};

/* ---- runs.c ---- */

void anthropic_runs(const json_t *raw, json_t *ret);
/* Appends the text that follows everything else in an answer. */
void llm_last_text(const json_t *raw, struct buf *ret);

/* {code, language, success, exit_code, stdout, stderr, outcome}: one run on the provider's side, as
 * the service reports it. `outcome` is the service's own word. */
json_t *llm_run_json(struct str code, const char *language, bool success, struct str out,
                     struct str err, const char *outcome);

extern const struct protocol protocol_openai, protocol_responses, protocol_anthropic,
    protocol_gemini;

struct provider_key {
    const char *variable;
    const char *header; /* the text before the key */
};

struct provider {
    const char *name;
    const char *help; /* for `glovebox help models` */
    const struct protocol *protocol;
    const char *base; /* without a slash at the end */
    /* variables that name another base; the first one that is set counts */
    const char *variables[3];
    struct provider_key keys[3]; /* likewise for keys */
    const char *models[8];       /* prefixes of its models' names */
    bool needs_key;              /* unless the user names another base */
    /* for code execution on the provider's side; NULL: it has none */
    const struct protocol *builtin;
    bool (*lacks_builtin)(const char *model); /* NULL: all models can run code there */
    bool has_tools;                           /* all its current models can call tools */
};

extern const struct provider providers[]; /* ends with an empty row */

/* By name, or by the prefix of a model's name. NULL for none. */
const struct provider *provider_named(struct str name);
const struct provider *provider_of_model(const char *model);
/* Appends their names: "openai, anthropic or gemini". */
void provider_list(struct buf *b);

#endif
