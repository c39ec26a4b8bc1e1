/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the answer of a model's server: the first byte says in which protocol, and whether
 * the lines are events or the text is one document. What is read must fit into the next request.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "llm/provider.h"
#include "llm/retry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct protocol *const protocols[] = {&protocol_openai, &protocol_anthropic,
                                                   &protocol_gemini, &protocol_responses};

static int read_document(const struct protocol *p, bool event, struct reading *r, struct str text)
{
    struct err err;
    json_t *document = reading_parse(text, &err);

    if (!document)
        return -1;
    int status = event ? p->event(r, document, &err) : p->whole(r, document, &err);
    (void)reading_error(document);
    (void)retry_asked_ms((struct str){"", 0}, document);
    (void)retry_worth(429, (struct str){"", 0}, document);
    json_decref(document);
    return status;
}

static int read_all(const struct protocol *p, bool events, struct reading *r, struct str text)
{
    struct str line;

    if (!events || !p->event)
        return read_document(p, false, r, text);
    while (str_next_line(&text, &line))
        if (read_document(p, true, r, line) < 0)
            return -1;
    return 0;
}

/* The conversation continues with what was read. */
static void send_back(const struct protocol *p, const struct llm_answer *answer)
{
    struct llm_messages messages = {0};
    const struct llm_request request = {.messages = &messages, .builtin = p->runs != NULL};
    const struct llm_asking asking = {.request = &request, .model = "m"};

    llm_say(&messages, LLM_USER, "task");
    llm_say_answer(&messages, answer);
    for (size_t i = 0; i < answer->call_n; i++)
        llm_say_result(&messages, &answer->calls[i], "result", false);
    json_t *body = p->body(&asking);
    char *sent = json_dumps(body, 0);
    assert(sent);
    free(sent);
    json_decref(body);
    llm_messages_done(&messages);
}

/* Runs on the model's side, and the reply after them. */
static void read_runs(const struct protocol *p, const struct llm_answer *answer)
{
    json_t *runs = json_array();
    struct buf last;

    buf_init(&last, READING_TEXT_MAX);
    if (p->runs)
        p->runs(answer->raw, runs);
    llm_last_text(answer->raw, &last);
    for (size_t i = 0; i < json_array_size(runs); i++)
        assert(json_is_string(json_object_get(json_array_get(runs, i), "code")));
    buf_done(&last);
    json_decref(runs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct protocol *p = protocols[(n ? data[0] : 0) / 2 % 4];
    struct llm_answer answer = {0};
    struct reading r;
    struct err err;

    reading_init(&r, &answer, NULL);
    if (read_all(p, n && data[0] & 1, &r,
                 (struct str){n ? (const char *)data + 1 : "", n ? n - 1 : 0}) == 0 &&
        reading_finish(&r, &err) == 0) {
        assert(utf8_valid(buf_str(&answer.text)) && !memchr(answer.text.p, 0, answer.text.n));
        read_runs(p, &answer);
        send_back(p, &answer);
    }
    reading_done(&r);
    llm_answer_done(&answer);
    return 0;
}
