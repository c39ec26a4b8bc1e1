/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks a language model; the same functions serve all protocols.
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
 * Everything that a server sends is hostile: it is bounded, checked, and made safe before it is
 * put into an error message. The key is in this process's memory and in the socket to
 * glovebox-fetch, and in no error, record, answer->text or watch->text.
 */
#ifndef LLM_LLM_H
#define LLM_LLM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "request/model_settings.h"

struct llm;
#include "llm/usage.h"

/* ---- a conversation ---- */

enum llm_role {
    LLM_SYSTEM,    /* the rules for the model, first in a conversation */
    LLM_USER,      /* the task, and the results of the model's code */
    LLM_ASSISTANT, /* an earlier answer */
    LLM_RESULT,    /* the result of a tool */
};

/* The model asks for a tool. */
struct llm_call {
    char *id;        /* made up if the server sent none */
    char *name;      /* any string: the model chose it */
    char *arguments; /* JSON as a string, which may be invalid: the model wrote it */
};

struct llm_message {
    enum llm_role role;
    char *text;             /* "" for none */
    struct llm_call *calls; /* only in an answer */
    size_t call_n;
    json_t *raw;              /* only in an answer: as the server sent it, or NULL */
    char *call_id, *call_for; /* only in a result: the call's id and the tool's name */
    bool failed;              /* only in a result: the call failed */
};

struct llm_messages {
    struct llm_message *at;
    size_t n, room;
};

struct llm_answer;

/* All of them copy their arguments. Start with {0}. */
void llm_say(struct llm_messages *messages, enum llm_role role, const char *text);
void llm_say_answer(struct llm_messages *messages, const struct llm_answer *answer);
/* Cuts the last message, if it is an answer without calls, to its first n bytes,
 * unless only white space follows. */
void llm_cut_answer(struct llm_messages *messages, size_t n);
void llm_say_result(struct llm_messages *messages, const struct llm_call *call, const char *text,
                    bool failed);
void llm_messages_done(struct llm_messages *messages);

/* ---- one request ---- */

struct llm_tool {
    const char *name, *description;
    const json_t *parameters; /* JSON schema of an object */
};

struct llm_request {
    const char *component; /* the asking part, for the usage: "generate", "review" */
    const struct llm_messages *messages;
    const struct llm_tool *tools;
    size_t tool_n;
    /* The answer must be JSON of this form (llm/schema.h lists what a schema may contain). The
     * schema is sent to servers that have a field for it, and the answer is checked here in any
     * case. */
    const json_t *schema;
    /* The model runs code on its provider's side. ERR_UNSUPPORTED if the provider has no such tool.
     * Such an answer is not streamed. */
    bool builtin;
    bool lenient; /* an answer of another form is not a failure: it has no `value` */
    bool has_temperature;
    double temperature;      /* 0 to 2 */
    const char *const *stop; /* at most 4 strings, NULL-terminated; or NULL */
    int64_t max_tokens;      /* maximum length of the answer; 0: as in the settings */
    bool stream;             /* the answer is streamed, so that watch->text can show it */
};

/* The caller's side while a model answers. All zero except cancel_fd = -1: no callbacks, no limits.
 */
struct llm_watch {
    int cancel_fd;       /* readable: cancel; -1 for none */
    int64_t deadline_ms; /* of clock_mono_ms(); 0: only the settings' timeout */
    void (*text)(void *ctx, struct str piece); /* a chunk of a streamed answer, valid UTF-8 */
    void (*note)(void *ctx, const char *what); /* a line: a retry and its reason */
    void *ctx;
};

enum llm_finish {
    LLM_FINISH_UNKNOWN, /* a word that we do not know, or none */
    LLM_FINISH_STOP,    /* complete, or ended by a stop string */
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
    json_t *value;     /* with a schema: the text parsed as JSON of this form */
    json_t *raw;       /* for llm_say_answer */
    json_t *runs;      /* with builtin: the runs of code, as llm_run_json makes them; else NULL */
    struct llm_usage usage;
    int attempts; /* number of requests that were sent */
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

/* Finds provider, address, key and prices; sends nothing yet. -1 with ERR_USAGE (no model, no key,
 * an address in plain HTTP) or ERR_UNSUPPORTED (glovebox-fetch is missing). The settings must
 * outlive the llm. One thread at a time may use it. */
int llm_open(const struct model_settings *settings, struct llm **ret, struct err *err);
void llm_close(struct llm *llm); /* NULL is fine; wipes the key */

/* "openai" and so on; the model's name as the server knows it. */
const char *llm_provider_name(const struct llm *llm);
const char *llm_model(const struct llm *llm);
/* The base address of requests: from the settings, a variable, or the provider. */
const char *llm_address(const struct llm *llm);
/* The maximum length of an answer in tokens, from the settings; 0: the service decides. */
int64_t llm_max_tokens(const struct llm *llm);
/* True if models of this provider can be expected to call tools. */
bool llm_has_tools(const struct llm *llm);
/* True if the price table has this model, so that its cost can be counted. */
bool llm_price_known(const struct llm *llm);
/* True if the last llm_ask failed because of its cancel descriptor. */
bool llm_cancelled(const struct llm *llm);
/* The usage of all requests so far, by component. */
const struct llm_usage_table *llm_usage_of(const struct llm *llm);
/* Adds the usage of the other connection to this one's. */
void llm_usage_take(struct llm *llm, const struct llm *other);

#endif
