/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of src/models/llm/ that need no server.
 */
#include "llm/llm.h"

#include <stdlib.h>

#include "base/mem.h"
#include "formats/hide_key.h"
#include "formats/json_mem.h"
#include "llm/place.h"
#include "llm/prices.h"
#include "llm/retry.h"
#include "llm/schema.h"
#include "llm/sse.h"
#include "net/url.h"
#include "tap.h"

/* ---- events ---- */

struct seen {
    struct buf all; /* each event and a bar */
};

static int on_event(void *ctx, struct str data, struct err *err)
{
    struct seen *seen = ctx;

    if (str_is(data, "stop"))
        return err_set(err, ERR_GUEST, "stopped");
    (void)buf_addf(&seen->all, "%.*s|", (int)data.n, data.p);
    return 0;
}

static char *read_events(struct str text, size_t step)
{
    struct seen seen = {0};
    struct sse sse;
    struct err err;

    buf_init(&seen.all, 4096);
    sse_init(&sse, 64, on_event, &seen);
    int status = 0;
    for (size_t i = 0; i < text.n && status == 0; i += step)
        status = sse_feed(&sse, str_slice(text, i, i + step), &err);
    if (status == 0)
        status = sse_end(&sse, &err);
    if (status < 0)
        (void)buf_adds(&seen.all, err.msg);
    sse_done(&sse);
    return buf_take(&seen.all);
}

static void check_events(const char *text, const char *want)
{
    for (size_t step = 1; step < 8; step++) {
        AUTO_FREE char *got = read_events(str_from(text), step);
        EQ_STR(got, want);
    }
}

static void test_events(void)
{
    check_events("data: a\n\ndata: b\n\n", "a|b|");
    check_events("data: a\r\n\r\ndata:b\r\n\r\n", "a|b|");
    check_events("data: a\r\rdata: b\r\r", "a|b|");
    check_events("\xef\xbb\xbf"
                 "data: a\n\n",
                 "a|");
    check_events(": comment\nevent: x\nid: 1\nretry: 5\ndata: a\n\n\n\n", "a|");
    check_events("data: a\ndata:  b\ndata\n\n", "a\n b\n|");
    check_events("data: a\n\ndata: last", "a|last|");
    check_events("database: a\n\nevent: only\n\n", "");
    check_events("data: a\n\ndata: stop\n\ndata: b\n\n", "a|stopped");
    check_events("data: 0123456789012345678901234567890123456789012345678901234567890123456789\n",
                 "one event of the stream is too long");
}

/* ---- schemas ---- */

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":\"boolean\",\"description\":\"d\"},"
    "\"why\":{\"type\":[\"string\",\"null\"],\"maxLength\":3},"
    "\"list\":{\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":1},\"maxItems\":2},"
    "\"kind\":{\"enum\":[\"a\",\"b\"]}},\"required\":[\"ok\"],\"additionalProperties\":false}";

static void check_value(const char *text, const char *want)
{
    json_t *schema = json_loads(schema_text, 0, NULL);
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    struct err err = {0};

    int status = schema_check(schema, value, &err);
    OK(status == (want ? -1 : 0) && (!want || strstr(err.msg, want)), "%s: %s", text, err.msg);
    json_decref(schema);
    json_decref(value);
}

static void test_schema(void)
{
    struct err err = {0};

    check_value("{\"ok\":true}", NULL);
    check_value("{\"ok\":false,\"why\":null,\"list\":[1,2],\"kind\":\"b\"}", NULL);
    check_value("{\"ok\":true,\"why\":\"\xc3\xa9\xc3\xa9\xc3\xa9\"}", NULL);
    check_value("{}", "answer has no 'ok'");
    check_value("[]", "answer is not of the type 'object'");
    check_value("{\"ok\":1}", "answer.ok is not of the type 'boolean'");
    check_value("{\"ok\":\"true\"}", "answer.ok");
    check_value("{\"ok\":true,\"why\":\"long\"}", "answer.why is too large");
    check_value("{\"ok\":true,\"list\":[1,0]}", "answer.list.1 is too small");
    check_value("{\"ok\":true,\"list\":[1,1.5]}", "answer.list.1 is not of the type");
    check_value("{\"ok\":true,\"list\":[1,2,3]}", "answer.list is too large");
    check_value("{\"ok\":true,\"kind\":\"c\"}", "answer.kind is none of");
    check_value("{\"ok\":true,\"more\":1}", "not expected");
    json_t *unknown = json_loads("{\"pattern\":\"x\"}", 0, NULL);
    EQ_INT(schema_check(unknown, unknown, &err), -1);
    OK(err.kind == ERR_BUG, "an unknown word is not ignored: %s", err.msg);
    json_decref(unknown);
}

/* ---- retries, prices, addresses, keys ---- */

static void test_retries(void)
{
    OK(!retry_worth(400, STR(""), NULL) && !retry_worth(408, STR(""), NULL), "4xx are final");
    OK(retry_worth(429, STR(""), NULL) && retry_worth(529, STR(""), NULL), "429 and 5xx are not");
    EQ_INT(retry_asked_ms(STR("Retry-After: 3\r\n"), NULL), 3000);
    EQ_INT(retry_asked_ms(STR("Retry-After: 0.25\r\n"), NULL), 250);
    EQ_INT(retry_asked_ms(STR("Retry-After: -3\r\n"), NULL), -1);
    EQ_INT(retry_asked_ms(STR("Retry-After: 99999999999999999999\r\n"), NULL), -1);
    OK(retry_asked_ms(STR("Retry-After: 9999999999999\r\n"), NULL) > RETRY_WAIT_MAX_MS, "long");
    EQ_INT(retry_asked_ms(STR("Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n"), NULL), 0);
    EQ_INT(retry_asked_ms(STR("Retry-After: Fri, 31 Dec 1999 23:59:59 CET\r\n"), NULL), -1);
    EQ_INT(retry_backoff_ms(1, 0), 500);
    EQ_INT(retry_backoff_ms(3, 0), 2000);
    EQ_INT(retry_backoff_ms(99, 0), 8000);
    OK(retry_backoff_ms(1, 999) > 370 && retry_backoff_ms(1, 999) < 380, "less a quarter");
}

static void test_prices(void)
{
    struct llm_usage usage = {.requests = 1, .prompt_tokens = 10, .tokens_known = true};
    struct err err = {0};

    OK(llm_prices_check(str_from(llm_prices_txt), "ours", &err) == 0, "ours: %s", err.msg);
    EQ_INT(llm_prices_check(STR("a 1 2\nb 1\n"), "file", &err), -1);
    OK(strstr(err.msg, "file:2:"), "%s", err.msg);
    llm_prices_apply(STR("m* 1 1\np/m 3 1\nm 2 1\n"), "p", "m", &usage);
    OK(usage.cost_known && usage.cost > 29e-6 && usage.cost < 31e-6, "the provider's own line");
    usage.cost_known = usage.tokens_known = false;
    llm_prices_apply(STR("m 2 1\n"), "p", "m", &usage);
    OK(!usage.cost_known, "no tokens, no cost");
    struct llm_usage sum = {.requests = 1, .tokens_known = true, .cost_known = true};
    llm_usage_add(&sum, &usage);
    OK(sum.requests == 2 && !sum.tokens_known && !sum.cost_known, "unknown once one is");
}

static void test_addresses(void)
{
    static const char *const ours[] = {"http://localhost:1/x", "http://127.0.0.1",
                                       "http://LOCALHOST", "https://[::1]:8/",
                                       "http://u:p@127.1.2.3/"};
    static const char *const others[] = {"http://127.0.0.1.example/",
                                         "http://localhost@example/",
                                         "http://example/127.0.0.1",
                                         "http://128.0.0.1",
                                         "http://",
                                         "http://127.example",
                                         "http://example\\@localhost/",
                                         "http://localhost\\@example/",
                                         "http://127.0.0.1\\",
                                         "example/?u=http://localhost/"};
    AUTO_BUF struct buf shown = {0};

    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        OK(url_is_loopback(str_from(ours[i])), "%s", ours[i]);
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        OK(!url_is_loopback(str_from(others[i])), "%s", others[i]);
    buf_init(&shown, 1000);
    url_add_shown(&shown, STR("https://user:secret@example.org/a/b?key=secret#secret"));
    EQ_STR(shown.p, "https://example.org/a/b");
}

static void check_ollama(const char *value, const char *want)
{
    char model[] = "ollama/m";
    const struct model_settings settings = {.model = model, .plain_http = true};
    struct llm_place place;
    struct err err = {0};

    setenv("OLLAMA_HOST", value, 1);
    OK(llm_place_find(&settings, NULL, true, &place, &err) == 0, "%s: %s", value, err.msg);
    EQ_STR(place.base, want);
    llm_place_done(&place);
}

/* As Ollama's own programs read it. */
static void test_ollama_host(void)
{
    check_ollama("box", "http://box:11434/v1");
    check_ollama("box/", "http://box:11434/v1");
    check_ollama("box:80", "http://box:80/v1");
    check_ollama("[::1]", "http://[::1]:11434/v1");
    check_ollama("[::1]:8", "http://[::1]:8/v1");
    check_ollama("0.0.0.0", "http://127.0.0.1:11434/v1");
    check_ollama("http://0.0.0.0:11434", "http://127.0.0.1:11434/v1");
    check_ollama("0.0.0.0.example", "http://0.0.0.0.example:11434/v1");
    check_ollama("http://box", "http://box/v1");
    check_ollama("https://box/", "https://box/v1");
    check_ollama("http://box/path", "http://box/path/v1");
    unsetenv("OLLAMA_HOST");
}

static void test_keys(void)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1000);
    hide_key(&b, STR("a sk-0123456789 b sk-0123 c 23456789 d 2345678"), "sk-0123456789");
    EQ_STR(b.p, "a [key] b sk-0123 c [key] d 2345678");
    buf_clear(&b);
    hide_key(&b, STR("short word"), "word");
    EQ_STR(b.p, "short [key]");
    buf_clear(&b);
    hide_key(&b, STR("nothing"), NULL);
    EQ_STR(b.p, "nothing");
    buf_clear(&b);
    hide_key(&b, STR("sk-01234sk-01234 1sk-01234567892"), "sk-0123456789");
    EQ_STR(b.p, "[key][key] 1[key]2");
}

/* A server knows the key: it can send what is nearly a piece, again and again. */
static void test_hard_text(void)
{
    enum { KEY = 8000, TEXT = 16 << 20 };
    AUTO_FREE char *key = xmalloc(KEY + 1);
    AUTO_FREE char *text = xmalloc(TEXT);
    AUTO_BUF struct buf b = {0};

    for (size_t i = 0; i < KEY; i++)
        key[i] = (char)(i % 7 == 6 ? 'b' + i % 20 : 'a');
    key[KEY] = '\0';
    memset(text, 'a', TEXT);
    memcpy(text + TEXT - 20, key, 20);
    buf_init(&b, TEXT);
    hide_key(&b, (struct str){text, TEXT}, key);
    EQ_INT(b.n, TEXT - 20 + strlen("[key]"));
    OK(str_ends(buf_str(&b), "a[key]"), "a piece at the end");
}

/* ---- conversations with tools ---- */

static const struct protocol *const protocols[] = {&protocol_openai, &protocol_anthropic,
                                                   &protocol_gemini};

/* Answers with two calls, one of them with arguments that are no object. */
static const char *const with_calls[] = {
    "{\"choices\":[{\"finish_reason\":\"stop\",\"message\":{\"content\":null,\"tool_calls\":[{"
    "\"id\":"
    "\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"x\\\":1}\"}},{\"id\":\"a\","
    "\"function\":"
    "{\"name\":\"g\",\"arguments\":\"broken\"}}]}}]}",
    "{\"stop_reason\":\"tool_use\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\","
    "\"signature\":\"s\"},{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{\"x\":1}},"
    "{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"g\",\"input\":\"broken\"}]}",
    "{\"candidates\":[{\"finishReason\":\"STOP\",\"content\":{\"parts\":[{\"functionCall\":{"
    "\"name\":"
    "\"f\",\"args\":{\"x\":1}},\"thoughtSignature\":\"s\"},{\"functionCall\":{\"name\":\"g\"}}]}}]"
    "}",
};

static void read_calls(const struct protocol *protocol, const char *text, struct llm_answer *answer)
{
    struct reading r;
    struct err err = {0};
    json_t *document = json_loads(text, 0, NULL);

    reading_init(&r, answer, NULL);
    OK(protocol->whole(&r, document, &err) == 0 && reading_finish(&r, &err) == 0, "%s: read: %s",
       protocol->name, err.msg);
    reading_done(&r);
    json_decref(document);
}

static void check_tools(const struct protocol *protocol, const char *text)
{
    struct llm_messages messages = {0};
    struct llm_answer answer = {0};
    json_t *parameters = json_loads("{\"type\":\"object\"}", 0, NULL);
    const struct llm_tool tool = {"f", "does f", parameters};
    const struct llm_request request = {.messages = &messages, .tools = &tool, .tool_n = 1};
    const struct llm_asking asking = {.request = &request, .model = "m"};

    read_calls(protocol, text, &answer);
    OK(answer.call_n == 2 && answer.finish == LLM_FINISH_CALLS, "two calls");
    EQ_STR(answer.calls[0].arguments, "{\"x\":1}");
    OK(strcmp(answer.calls[0].id, answer.calls[1].id) != 0, "with ids of their own");
    llm_say(&messages, LLM_USER, "task \xff");
    llm_say_answer(&messages, &answer);
    llm_say_result(&messages, &answer.calls[0], "first result", false);
    llm_say_result(&messages, &answer.calls[1], "second result", true);
    json_t *body = protocol->body(&asking);
    AUTO_FREE char *sent = json_dumps(body, JSON_COMPACT);
    OK(sent && strstr(sent, "does f"), "the tool is sent");
    OK(strstr(sent, "first result") && strstr(sent, "second result"), "the results are sent");
    OK(protocol == &protocol_openai || strstr(sent, "ignature\":\"s\""), "signatures go back");
    json_t *list = json_object_get(body, protocol == &protocol_gemini ? "contents" : "messages");
    EQ_INT(json_array_size(list), protocol == &protocol_openai ? 4 : 3);
    json_decref(body);
    json_decref(parameters);
    llm_answer_done(&answer);
    llm_messages_done(&messages);
}

static void test_tools(void)
{
    for (size_t i = 0; i < ARRAY_LEN(protocols); i++)
        check_tools(protocols[i], with_calls[i]);
}

int main(void)
{
    json_mem_init();
    RUN(test_events());
    RUN(test_schema());
    RUN(test_retries());
    RUN(test_prices());
    RUN(test_addresses());
    RUN(test_ollama_host());
    RUN(test_keys());
    RUN(test_hard_text());
    RUN(test_tools());
    return tap_done();
}
