/* SPDX-License-Identifier: Apache-2.0 */
#include "e2b_api/envelope.h"

#include <string.h>

#include "base/mem.h"
#include "tap.h"

static int next(const char *bytes, size_t n, struct str *ret, size_t *ret_taken)
{
    struct err err;

    return envelope_next((struct str){bytes, n}, ret, ret_taken, &err);
}

static void test_envelopes(void)
{
    const char two[] = "\0\0\0\0\2{}\2\0\0\0\3{ }";
    struct str content;
    size_t taken = 0;

    for (size_t n = 0; n < 7; n++)
        EQ_INT(next(two, n, &content, &taken), ENVELOPE_PART);
    EQ_INT(next(two, 7, &content, &taken), ENVELOPE_MESSAGE);
    OK(str_is(content, "{}") && taken == 7, "a message");
    EQ_INT(next(two + 7, 8, &content, &taken), ENVELOPE_END);
    OK(str_is(content, "{ }") && taken == 8, "the last one");
}

static void test_bad_envelopes(void)
{
    struct str content;
    size_t taken;

    EQ_INT(next("\1\0\0\0\1x", 6, &content, &taken), -1);
    EQ_INT(next("\4\0\0\0\1x", 6, &content, &taken), -1);
    EQ_INT(next("\0\xff\xff\xff\xffx", 6, &content, &taken), -1);
}

static void test_round_trip(void)
{
    AUTO_BUF struct buf b = {0};
    struct str content;
    size_t taken;
    json_t *message = json_pack("{s:s}", "a", "b");

    buf_init(&b, 100);
    envelope_put(&b, message);
    json_decref(message);
    EQ_INT(next(b.p, b.n, &content, &taken), ENVELOPE_MESSAGE);
    OK(str_is(content, "{\"a\":\"b\"}") || str_is(content, "{\"a\": \"b\"}"), "what was put");
}

static int read_event(const char *text, struct process_event *ret, struct buf *output)
{
    struct err err;

    buf_clear(output);
    return process_event_read(str_from(text), ret, output, &err);
}

static void test_events(void)
{
    AUTO_BUF struct buf out = {0};
    struct process_event e;

    buf_init(&out, 1000);
    OK(read_event("{\"event\":{\"start\":{\"pid\":7}}}", &e, &out) == 0 &&
           e.kind == PROCESS_STARTED && e.pid == 7,
       "a start");
    OK(read_event("{\"event\":{\"data\":{\"stdout\":\"aGkK\"}}}", &e, &out) == 0 &&
           e.kind == PROCESS_OUTPUT && e.stream == 1 && str_is(buf_str(&out), "hi\n"),
       "output");
    OK(read_event("{\"event\":{\"data\":{\"stderr\":\"/w==\"}}}", &e, &out) == 0 && e.stream == 2 &&
           out.n == 1 && out.p[0] == '\xff',
       "errors, of any bytes");
    OK(read_event("{\"event\":{\"end\":{\"exitCode\":3,\"exited\":true}}}", &e, &out) == 0 &&
           e.kind == PROCESS_ENDED && e.exit_code == 3 && e.exited,
       "an end");
    OK(read_event("{\"event\":{\"end\":{\"status\":\"signal: killed\"}}}", &e, &out) == 0 &&
           !e.exited,
       "an end by a signal");
    OK(read_event("{\"event\":{\"keepalive\":{}}}", &e, &out) == 0 && e.kind == PROCESS_OTHER,
       "a sign of life");
}

static void test_odd_events(void)
{
    static const char *const bad[] = {"", "{", "\xff",
                                      "{\"event\":{\"data\":{\"stdout\":\"a*\"}}}"};
    static const char *const empty[] = {"{}",
                                        "[]",
                                        "{\"event\":[]}",
                                        "{\"event\":{\"data\":7}}",
                                        "{\"event\":{\"data\":{\"stdout\":{}}}}",
                                        "{\"event\":{\"start\":3}}"};
    AUTO_BUF struct buf out = {0};
    struct process_event e;

    buf_init(&out, 1000);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        EQ_INT(read_event(bad[i], &e, &out), -1);
    for (size_t i = 0; i < ARRAY_LEN(empty); i++)
        OK(read_event(empty[i], &e, &out) == 0 && e.kind == PROCESS_OTHER, "no event: %s",
           empty[i]);
}

static void test_ends(void)
{
    json_t *owner;
    const char *code;
    struct str text;

    EQ_INT(envelope_end_read(STR("{}"), &owner, &code, &text), 0);
    json_decref(owner);
    EQ_INT(envelope_end_read(STR("{\"error\":{\"code\":\"not_found\",\"message\":\"no\"}}"), &owner,
                             &code, &text),
           -1);
    OK(strcmp(code, "not_found") == 0 && str_is(text, "no"), "the error of an end");
    json_decref(owner);
    EQ_INT(envelope_end_read(STR("x"), &owner, &code, &text), -1);
    json_decref(owner);
}

int main(void)
{
    test_envelopes();
    test_bad_envelopes();
    test_round_trip();
    test_events();
    test_odd_events();
    test_ends();
    return tap_done();
}
