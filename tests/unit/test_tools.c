/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "session/tool_parameters.h"
#include "session/tools.h"
#include "tap.h"

static int answer(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    enum err_kind *kind = ctx;

    (void)call;
    if (*kind != ERR_NONE)
        return err_set(err, *kind, "no \"answer\"\n");
    *ret = json_pack("{s:O, s:O}", "args", call->args, "kwargs", call->kwargs);
    return 0;
}

static int fail_in_words(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    (void)call;
    (void)ret;
    return err_set(err, ERR_SYSTEM, "%s", (const char *)ctx);
}

static int nothing(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    (void)ctx;
    (void)call;
    (void)ret;
    (void)err;
    return 0;
}

static int slow(void *ctx, const struct tool_call *call, json_t **ret, struct err *err)
{
    (void)ctx;
    (void)err;
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    *ret = json_integer(call->timeout_ms);
    return 0;
}

static void test_names(void)
{
    static const char *const wrong[] = {"",     "1a",           "a b",      "a.b",  "class",
                                        "None", "__init__",     "a-b",      "a\nb", "a=b",
                                        "(a)",  "final_answer", "\xC3\xA9", "x ",   "lambda"};
    enum err_kind none = ERR_NONE;
    struct tool_set set;
    struct err err;

    tool_set_init(&set);
    set.final_answer = true;
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        OK(tool_set_add(&set, &(struct tool_new){.name = wrong[i], .fn = answer, .ctx = &none},
                        &err) < 0 &&
               err.kind == ERR_USAGE,
           "no name: number %zu", i);
    EQ_INT(tool_set_add(&set, &(struct tool_new){.name = "find", .fn = answer, .ctx = &none}, &err),
           0);
    OK(tool_set_add(&set, &(struct tool_new){.name = "find", .fn = answer, .ctx = &none}, &err) < 0,
       "a name twice");
    EQ_INT(set.count, 1);
    OK(tool_set_find(&set, "find") && !tool_set_find(&set, "a"), "what is there is found");
    tool_set_done(&set);
    EQ_INT(set.count, 0);
}

/* What becomes of a tool's parameters: their normal form, or the message. */
static void parameters(const char *given, const char *want)
{
    json_t *read = json_loads(given, JSON_DECODE_ANY, NULL), *list = NULL;
    struct err err = {0};
    char *text = NULL;

    if (tool_parameters_read("t", read, &list, &err) == 0)
        text = list ? json_dumps(list, JSON_COMPACT) : xstrdup("unknown");
    EQ_STR(text ? text : err.msg, want);
    free(text);
    json_decref(list);
    json_decref(read);
}

#define EITHER ",\"kind\":\"positional_or_keyword\""

/* Each property is looked up in the list of those that must be given. */
static void test_large_schema(void)
{
    enum { MANY = 100000 };
    AUTO_BUF struct buf text = {0};

    buf_init(&text, (size_t)MANY * 40);
    (void)buf_adds(&text, "{\"type\":\"object\",\"properties\":{\"p\":{}");
    for (int i = 0; i < MANY; i++)
        (void)buf_addf(&text, ",\"p%d\":{}", i);
    (void)buf_adds(&text, "},\"required\":[\"q\"");
    for (int i = 0; i < MANY; i++)
        (void)buf_addf(&text, ",\"q%d\"", i);
    (void)buf_adds(&text, "]}");
    EQ_INT(text.overflow, 0);
    alarm(20);
    parameters(text.p, "tool t: has more than 100 parameters");
    alarm(0);
}

/* `n` parameters with a text of this length as the member `key`. */
static void long_texts(int n, const char *key, int length, const char *want)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, (size_t)n * (size_t)(length + 100) + 100);
    (void)buf_addc(&text, '[');
    for (int i = 0; i < n; i++)
        (void)buf_addf(&text, "%s{\"name\":\"p%d\",\"%s\":\"%0*d\"}", i ? "," : "", i, key, length,
                       0);
    (void)buf_addc(&text, ']');
    EQ_INT(text.overflow, 0);
    parameters(text.p, want);
}

static void test_long_texts(void)
{
    long_texts(1, "default", 1000000, "[{\"name\":\"p0\"" EITHER ",\"optional\":true}]");
    long_texts(11, "default", 9990, "tool t: its parameters have more than 100000 bytes");
    long_texts(11, "description", 9990, "tool t: its parameters have more than 100000 bytes");
}

static void test_parameters(void)
{
    parameters("null", "unknown");
    parameters("[]", "[]");
    parameters("[\"a\"]", "[{\"name\":\"a\"" EITHER ",\"optional\":true}]");
    parameters("[{\"name\":\"a\",\"type\":\"int\",\"default\":null}]",
               "[{\"name\":\"a\"" EITHER ",\"default\":null,\"type\":\"int\"}]");
    parameters("{\"type\":\"object\",\"properties\":{\"n\":{\"type\":[\"integer\",\"null\"]},"
               "\"q\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"d\"}},"
               "\"required\":[\"q\"]}",
               "[{\"name\":\"q\"" EITHER ",\"type\":\"list[str]\",\"description\":\"d\"},"
               "{\"name\":\"n\"" EITHER ",\"optional\":true,\"type\":\"int | None\"}]");
    parameters("{\"type\":\"object\"}", "[]");
    parameters("{\"type\":\"string\"}",
               "tool t: a schema of parameters must have \"type\": \"object\"");
    parameters("1", "tool t: parameters must be a list of names or of objects, or a JSON Schema");
    parameters("[1]", "tool t: '' is not a valid parameter name");
    parameters("[\"def\"]", "tool t: 'def' is not a valid parameter name");
    parameters("[\"a\",\"a\"]", "tool t: two parameters have the name a");
    parameters("[\"a\",{\"name\":\"b\"}]",
               "tool t: the parameter b is required, but follows an optional one");
    parameters("[{\"name\":\"a\",\"kind\":\"var_keyword\"},\"b\"]",
               "tool t: the parameter b cannot follow a var_keyword parameter");
    parameters("[{\"name\":\"a\",\"kind\":\"any\"}]",
               "tool t: a parameter's kind must be positional_only, positional_or_keyword, "
               "var_positional, keyword_only or var_keyword");
    parameters("[{\"name\":\"a\",\"typ\":1}]", "tool t: a parameter has no 'typ'");
    parameters("[{\"name\":\"a\",\"type\":1}]",
               "tool t: a parameter's type must be a string of at most 500 bytes");
    parameters("{\"properties\":{\"a b\":{}}}", "tool t: 'a b' is not a valid parameter name");
    parameters("{\"properties\":[]}", "tool t: \"properties\" must be an object");
}

static void test_changes(void)
{
    struct tool_set set, other;
    struct err err;

    tool_set_init(&set);
    for (size_t i = 0; i < 3; i++)
        (void)tool_set_add(&set,
                           &(struct tool_new){.name = (const char *[]){"a", "b", "c"}[i],
                                              .description = "d",
                                              .returns = "int",
                                              .fn = nothing},
                           &err);
    tool_set_copy(&other, &set);
    OK(tool_set_remove(&set, "b") && !tool_set_remove(&set, "b"), "a tool is removed once");
    OK(set.count == 2 && tool_set_find(&set, "a") && tool_set_find(&set, "c"), "... it alone");
    OK(other.count == 3 && strcmp(tool_set_find(&other, "b")->returns, "int") == 0,
       "... and not from a copy");
    tool_set_done(&set);
    tool_set_done(&other);
}

/* The answer to a call with [1] and {"k": 2}. */
static char *call(const struct tool_set *set, const char *name)
{
    struct tool_call c = {.name = name,
                          .args = json_pack("[i]", 1),
                          .kwargs = json_pack("{s:i}", "k", 2),
                          .cancel_fd = -1};
    char *text = tool_set_call(set, &c);

    json_decref(c.args);
    json_decref(c.kwargs);
    return text;
}

static void answers(const struct tool_set *set, const char *name, const char *want)
{
    AUTO_FREE char *got = call(set, name);

    EQ_STR(got, want);
}

static void test_calls(void)
{
    enum err_kind kind = ERR_NONE;
    struct tool_set set;
    struct err err;

    tool_set_init(&set);
    (void)tool_set_add(&set, &(struct tool_new){.name = "t", .fn = answer, .ctx = &kind}, &err);
    (void)tool_set_add(&set, &(struct tool_new){.name = "n", .fn = nothing}, &err);
    (void)tool_set_add(&set, &(struct tool_new){.name = "slow", .fn = slow}, &err);
    answers(&set, "t", "{\"ok\":{\"args\":[1],\"kwargs\":{\"k\":2}}}");
    answers(&set, "n", "{\"ok\":null}");
    answers(&set, "u",
            "{\"error\":{\"type\":\"NameError\",\"message\":\"there is no tool "
            "'u'\"}}");
    kind = ERR_SYSTEM;
    answers(&set, "t",
            "{\"error\":{\"type\":\"RuntimeError\",\"message\":\"no \\\"answer\\\"\\n\"}}");
    kind = ERR_GUEST;
    answers(&set, "t", "{\"error\":{\"type\":\"TypeError\",\"message\":\"no \\\"answer\\\"\\n\"}}");
    kind = ERR_TIMEOUT;
    answers(&set, "t",
            "{\"error\":{\"type\":\"TimeoutError\",\"message\":\"no \\\"answer\\\"\\n\"}}");
    answers(&set, "slow", "{\"ok\":30000}");
    set.items[2].timeout_ms = 5;
    answers(&set, "slow",
            "{\"error\":{\"type\":\"TimeoutError\",\"message\":\"slow took longer than 5 ms\"}}");
    kind = ERR_NONE;
    set.max_bytes = 20;
    answers(&set, "t",
            "{\"error\":{\"type\":\"RuntimeError\",\"message\":\"t answered with 36 bytes, more "
            "than 20\"}}");
    tool_set_done(&set);
}

/* The type of an exception is named before a colon. */
static void test_error_types(void)
{
    static const char *const rows[][3] = {
        {"ValueError: no: really", "ValueError", "no: really"},
        {"KeyError: ", "KeyError", ""},
        {"QuotaException: none left", "QuotaException", "none left"},
        {"ValueError:no", "RuntimeError", "ValueError:no"},
        {"an Error: no", "RuntimeError", "an Error: no"},
        {"HTTP: 404", "RuntimeError", "HTTP: 404"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char want[200];
        struct tool_set set;
        struct err err;
        tool_set_init(&set);
        (void)tool_set_add(
            &set, &(struct tool_new){.name = "t", .fn = fail_in_words, .ctx = (void *)rows[i][0]},
            &err);
        snprintf(want, sizeof want, "{\"error\":{\"type\":\"%s\",\"message\":\"%s\"}}", rows[i][1],
                 rows[i][2]);
        answers(&set, "t", want);
        tool_set_done(&set);
    }
}

static int read_source(struct tool_set *set, const char *path, const char *text, size_t n,
                       struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0 || fd_write_all(fd, text, n) < 0)
        abort();
    return tool_set_read(set, path, err);
}

static void test_source(void)
{
    char folder[] = "/tmp/test-tools-XXXXXX";
    struct tool_set set;
    struct err err;

    if (!mkdtemp(folder))
        abort();
    AUTO_FREE char *path = xasprintf("%s/tools.py", folder);
    tool_set_init(&set);
    OK(read_source(&set, path, "def f(:\n", 8, &err) < 0 && err.kind == ERR_USAGE &&
           strstr(err.msg, "line 1: SyntaxError"),
       "what cannot be read is refused: %s", err.msg);
    OK(read_source(&set, path, "x\0y", 3, &err) < 0, "a NUL");
    OK(!set.source, "nothing is kept of them");
    EQ_INT(read_source(&set, path, "def f(): pass\n", 14, &err), 0);
    EQ_INT(read_source(&set, path, "def g(): pass\n", 14, &err), 0);
    EQ_STR(set.source, "def f(): pass\n\n\ndef g(): pass\n");
    unlink(path);
    OK(tool_set_read(&set, path, &err) < 0 && err.kind == ERR_USAGE, "a file that is missing");
    tool_set_done(&set);
    rmdir(folder);
}

int main(void)
{
    RUN(test_names());
    RUN(test_parameters());
    RUN(test_large_schema());
    RUN(test_long_texts());
    RUN(test_changes());
    RUN(test_calls());
    RUN(test_error_types());
    RUN(test_source());
    return tap_done();
}
