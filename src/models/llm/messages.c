/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "llm/llm.h"

/* Returns a copy that is valid UTF-8, as JSON needs it. The caller frees. */
static char *clean_text(const char *text)
{
    struct str s = str_from(text);
    AUTO_BUF struct buf clean = {0};

    buf_init(&clean, 3 * s.n + 1);
    (void)utf8_add_clean(&clean, s);
    return buf_take(&clean);
}

static struct llm_message *messages_add(struct llm_messages *messages, enum llm_role role,
                                        const char *text)
{
    if (messages->n == messages->room)
        messages->at = mem_grow(messages->at, &messages->room, sizeof *messages->at);
    struct llm_message *message = &messages->at[messages->n++];
    *message = (struct llm_message){.role = role, .text = clean_text(text)};
    return message;
}

void llm_say(struct llm_messages *messages, enum llm_role role, const char *text)
{
    (void)messages_add(messages, role, text);
}

void llm_say_answer(struct llm_messages *messages, const struct llm_answer *answer)
{
    struct llm_message *message = messages_add(messages, LLM_ASSISTANT, answer->text.p);

    message->raw = json_incref(answer->raw);
    message->calls = xcalloc(answer->call_n + 1, sizeof *message->calls);
    for (size_t i = 0; i < answer->call_n; i++)
        message->calls[message->call_n++] =
            (struct llm_call){.id = xstrdup(answer->calls[i].id),
                              .name = xstrdup(answer->calls[i].name),
                              .arguments = xstrdup(answer->calls[i].arguments)};
}

void llm_cut_answer(struct llm_messages *messages, size_t n)
{
    struct llm_message *last = messages->n ? &messages->at[messages->n - 1] : NULL;

    if (!last || last->role != LLM_ASSISTANT || last->call_n || strlen(last->text) <= n ||
        !str_trim(str_from(last->text + n)).n)
        return;
    last->text[n] = '\0';
    json_decref(last->raw); /* the whole answer */
    last->raw = NULL;
}

void llm_say_result(struct llm_messages *messages, const struct llm_call *call, const char *text,
                    bool failed)
{
    struct llm_message *message = messages_add(messages, LLM_RESULT, text);

    message->call_id = xstrdup(call->id);
    message->call_for = xstrdup(call->name);
    message->failed = failed;
}

static void calls_done(struct llm_call *calls, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(calls[i].id);
        free(calls[i].name);
        free(calls[i].arguments);
    }
    free(calls);
}

void llm_messages_done(struct llm_messages *messages)
{
    for (size_t i = 0; i < messages->n; i++) {
        struct llm_message *message = &messages->at[i];
        calls_done(message->calls, message->call_n);
        json_decref(message->raw);
        free(message->text);
        free(message->call_id);
        free(message->call_for);
    }
    free(messages->at);
    *messages = (struct llm_messages){0};
}

void llm_answer_done(struct llm_answer *answer)
{
    buf_done(&answer->text);
    calls_done(answer->calls, answer->call_n);
    free(answer->finish_word);
    json_decref(answer->value);
    json_decref(answer->raw);
    json_decref(answer->runs);
    *answer = (struct llm_answer){0};
}

const char *llm_finish_name(enum llm_finish finish)
{
    static const char *const names[] = {"unknown", "stop", "length", "calls", "paused", "refused"};

    return names[finish];
}
