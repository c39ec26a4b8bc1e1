/* SPDX-License-Identifier: Apache-2.0
 *
 * Asking a language model, whichever protocol its server speaks.
 *
 *     struct llm *llm;
 *     if (llm_open(&settings, &llm, &err) < 0) ...
 *     llm_say(&messages, LLM_SYSTEM, rules);
 *     llm_say(&messages, LLM_USER, task);
 *     struct llm_request request = {.component = "generate", .messages = &messages};
 *     if (llm_ask(llm, &request, &watch, &answer, &err) == 0) ... answer.text.p ...
 *     llm_answer_done(&answer);
 *     llm_messages_done(&messages);
 *     llm_close(llm);
 *
 * A conversation with tools: after an answer with calls, llm_say_answer, then llm_say_result for
 * each call, then llm_ask again.
 *
 * Everything that a server sends is hostile: it is bounded, checked, and made safe before it stands
 * in a message. The key is in this process's memory and in the socket to glovebox-fetch, and in no
 * error, record, answer->text or watch->text.
 */
#ifndef LLM_LLM_H
#define LLM_LLM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "llm/settings.h"
#include "llm/usage.h"

/* ---- a conversation ---- */

enum llm_role {
    LLM_SYSTEM,    /* what the program asks of the model, before anything else */
    LLM_USER,      /* the task, and what came of the model's code */
    LLM_ASSISTANT, /* an earlier answer */
    LLM_RESULT,    /* what a tool returned */
};

/* The model asks for a tool. */
struct llm_call {
    char *id;        /* made up if the server sent none */
    char *name;      /* any text: the model chose it */
    char *arguments; /* JSON text, which may be invalid: the model wrote it */
};

struct llm_message {
    enum llm_role role;
    char *text;             /* "" for none */
    struct llm_call *calls; /* of an assistant */
    size_t call_n;
    json_t *raw;              /* of an assistant: as the server sent it, or NULL */
    char *call_id, *call_for; /* of a result: the call's id and the tool's name */
    bool failed;              /* of a result */
};

struct llm_messages {
    struct llm_message *at;
    size_t n, room;
};

struct llm_answer;

/* All of them copy. Start with {0}. */
void llm_say(struct llm_messages *messages, enum llm_role role, const char *text);
void llm_say_answer(struct llm_messages *messages, const struct llm_answer *answer);
void llm_say_result(struct llm_messages *messages, const struct llm_call *call, const char *text,
                    bool failed);
void llm_messages_done(struct llm_messages *messages);

/* ---- one request ---- */

struct llm_tool {
    const char *name, *description;
    const json_t *parameters; /* JSON schema of an object */
};

struct llm_request {
    const char *component; /* the part that asks, for the usage: "generate", "review" */
    const struct llm_messages *messages;
    const struct llm_tool *tools;
    size_t tool_n;
    /* The answer must be JSON of this form (llm/schema.h says what a schema may contain). It is
     * sent to servers that have such a field, and checked here in any case. */
    const json_t *schema;
    /* The model runs code on its own side, where its provider has that: ERR_UNSUPPORTED elsewhere.
     * Such an answer does not come in pieces. */
    bool builtin;
    bool lenient; /* an answer of another form is one without a `value`, not a failure */
    bool has_temperature;
    double temperature;      /* 0 to 2 */
    const char *const *stop; /* at most 4 texts, then NULL; or NULL */
    int64_t max_tokens;      /* of the answer; 0: the settings' */
    bool stream;             /* the answer comes in pieces, so that watch->text can show it */
};

/* While a model answers. All zero but cancel_fd = -1 is a watch that does nothing. */
struct llm_watch {
    int cancel_fd;       /* readable: give up; -1 for none */
    int64_t deadline_ms; /* of clock_mono_ms(); 0: none but the settings' timeout */
    void (*text)(void *ctx, struct str piece); /* of a streamed answer, valid UTF-8 */
    void (*note)(void *ctx, const char *what); /* a line: a retry and its reason */
    void *ctx;
};

enum llm_finish {
    LLM_FINISH_UNKNOWN, /* a word that is new to us, or none */
    LLM_FINISH_STOP,    /* complete, or at a stop text */
    LLM_FINISH_LENGTH,  /* cut at max_tokens */
    LLM_FINISH_CALLS,   /* the model waits for the results of its calls */
    LLM_FINISH_PAUSED,  /* the service interrupted a long turn: ask again to continue */
    LLM_FINISH_REFUSED, /* the model or a filter of the service refused */
};

struct llm_answer {
    struct buf text; /* valid UTF-8 without NUL; empty for none */
    struct llm_call *calls;
    size_t call_n;
    enum llm_finish finish;
    char *finish_word; /* the server's own word, made safe; or NULL */
    json_t *value;     /* with a schema: the text as JSON, which has that form */
    json_t *raw;       /* for llm_say_answer */
    json_t *runs;      /* with builtin: what it ran, as llm_run_json makes it; else NULL */
    struct llm_usage usage;
    int attempts; /* requests that it took */
};

/* 0 and an answer; -1 with
 *   ERR_USAGE        the server refused the request or the key (4xx), or the settings are wrong
 *   ERR_LIMIT        an answer beyond a ceiling, or 429 after all attempts
 *   ERR_TIMEOUT      deadline, timeout, silence, or *watch->cancel_fd (llm_cancelled)
 *   ERR_SYSTEM       no connection, 5xx after all attempts, or the stream broke
 *   ERR_GUEST        an answer that is not of the protocol, or not of the schema
 * Call llm_answer_done in both cases. */
int llm_ask(struct llm *llm, const struct llm_request *request, const struct llm_watch *watch,
            struct llm_answer *ret, struct err *err);
void llm_answer_done(struct llm_answer *answer);
const char *llm_finish_name(enum llm_finish finish);

/* ---- a connection to a model ---- */

/* Finds provider, address, key and prices; nothing is sent yet. -1 with ERR_USAGE (no model, no
 * key, an address in plain HTTP) or ERR_UNSUPPORTED (glovebox-fetch is missing). The settings must
 * outlive it. One thread at a time. */
int llm_open(const struct llm_settings *settings, struct llm **ret, struct err *err);
void llm_close(struct llm *llm); /* NULL is fine; wipes the key */

/* "openai" and so on; the model's name as the server knows it. */
const char *llm_provider_name(const struct llm *llm);
const char *llm_model(const struct llm *llm);
/* Where requests go: from the settings, a variable, or the provider. */
const char *llm_address(const struct llm *llm);
/* The settings' maximum length of an answer, in tokens; 0: the service's. */
int64_t llm_max_tokens(const struct llm *llm);
/* Whether models of this provider can be expected to call tools. */
bool llm_has_tools(const struct llm *llm);
/* Whether the price table has this model: its cost can be counted. */
bool llm_price_known(const struct llm *llm);
/* Whether the last failure of llm_ask was its cancel descriptor. */
bool llm_cancelled(const struct llm *llm);
/* What all requests so far used, by component. */
const struct llm_usage_table *llm_usage_of(const struct llm *llm);
/* Counts here, too, what the other connection used. */
void llm_usage_take(struct llm *llm, const struct llm *other);

#endif
