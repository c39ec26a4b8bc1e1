/* SPDX-License-Identifier: Apache-2.0 */
#include "e2b/execution.h"

#include <stdlib.h>

#include "base/json_write.h"
#include "base/mem.h"
#include "tap.h"

static struct execution_event read_line(const char *line)
{
    struct execution_event event;
    struct err err;

    if (execution_event_read(str_from(line), &event, &err) < 0)
        event.kind = EXECUTION_OTHER;
    return event;
}

static void test_events(void)
{
    struct execution_event e =
        read_line("{\"type\":\"number_of_executions\",\"execution_count\":4}");

    OK(e.kind == EXECUTION_COUNT && e.count == 4, "the cell's number");
    execution_event_done(&e);
    e = read_line("{\"type\":\"stderr\",\"text\":\"\\u00e9\\u0000\"}");
    OK(e.kind == EXECUTION_OUTPUT && e.stream == 2 && e.text.n == 3, "output, with a NUL");
    execution_event_done(&e);
    e = read_line("{\"type\":\"error\",\"name\":\"E\",\"value\":\"v\",\"traceback\":\"t\"}");
    OK(e.kind == EXECUTION_ERROR && str_is(e.name, "E") && str_is(e.value, "v") &&
           str_is(e.trace, "t"),
       "an error");
    execution_event_done(&e);
    e = read_line("{\"type\":\"end_of_execution\"}");
    OK(e.kind == EXECUTION_END, "the end");
    execution_event_done(&e);
    e = read_line("{\"type\":\"unexpected_end_of_execution\"}");
    OK(e.kind == EXECUTION_END, "another end");
    execution_event_done(&e);
    e = read_line("{\"type\":7,\"text\":[],\"execution_count\":\"x\"}");
    OK(e.kind == EXECUTION_OTHER && !e.text.n, "a type that is none");
    execution_event_done(&e);
}

static void test_bad_lines(void)
{
    static const char *const lines[] = {"", "x", "[]", "7", "{\"type\":", "{} {}"};
    struct execution_event e;
    struct err err;

    for (size_t i = 0; i < ARRAY_LEN(lines); i++)
        OK(execution_event_read(str_from(lines[i]), &e, &err) < 0 && err.kind == ERR_GUEST, "'%s'",
           lines[i]);
}

static void test_order(void)
{
    struct execution_event e = read_line(
        "{\"type\":\"result\",\"text\":\"t\",\"html\":\"h\",\"markdown\":\"m\",\"svg\":\"s\","
        "\"png\":\"p\",\"jpeg\":\"j\",\"pdf\":\"d\",\"latex\":\"l\",\"json\":{\"a\":1},"
        "\"javascript\":\"x\",\"data\":{},\"chart\":{},\"extra\":{\"a/b\":\"z\",\"text/"
        "html\":\"no\"},"
        "\"is_main_result\":true}");
    json_t *data = execution_data(&e);
    AUTO_FREE char *text = json_write(data, false);

    EQ_STR(text, "{\"image/jpeg\":\"j\",\"image/png\":\"p\",\"e2b/chart\":{},\"e2b/data\":{},"
                 "\"text/html\":\"h\",\"application/javascript\":\"x\","
                 "\"application/json\":{\"a\":1},\"text/latex\":\"l\",\"text/markdown\":\"m\","
                 "\"application/pdf\":\"d\",\"image/svg+xml\":\"s\",\"a/b\":\"z\","
                 "\"text/plain\":\"t\"}");
    OK(execution_is_value(&e), "the last expression's value");
    json_decref(data);
    execution_event_done(&e);
    e = read_line("{\"type\":\"result\",\"text\":null,\"extra\":null}");
    data = execution_data(&e);
    EQ_INT(json_object_size(data), 0);
    OK(!execution_is_value(&e), "one that was displayed");
    json_decref(data);
    execution_event_done(&e);
}

int main(void)
{
    test_events();
    test_bad_lines();
    test_order();
    return tap_done();
}
