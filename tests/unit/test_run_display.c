/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/num.h"
#include "run/run_display.h"
#include "tap.h"

/* ---- which programs get a pipe ---- */

static const struct {
    const char *code;
    bool wanted;
} programs[] = {
    {"", false},
    {"print(1)", false},
    {"import os, sys, json as j\nfrom collections import deque, OrderedDict", false},
    {"from os import path\nimport numpy as np, math\nfrom scipy import stats", false},
    {"import xml.etree.ElementTree as ET", false},
    {"important = 1; display_name = imported = 2; x.display()", false},
    {"raise ValueError from None", false},
    {"import", false},
    {"from", false},
    {"from x", false},
    {"import ,", false},
    {"import os,\\\n  matplotlib", true},
    {"import matplotlib.pyplot as plt", true},
    {"from matplotlib import pyplot", true},
    {"import os, math as m , pandas", true},
    {"import os as o, sys as s, PIL.Image as i", true},
    {"if x: import seaborn", true},
    {"import helper", true},
    {"from helper import *", true},
    {"display(1)", true},
    {"try:\n  display\nexcept NameError: pass", true},
    {"__import__('matplot' + 'lib')", true},
    {"importlib.import_module(name)", true},
    {"exec(open('plot.py').read())", true},
    {"runpy.run_path('plot.py')", true},
    {"x = 'ü'; import größe", true},
};

static void test_wanted(void)
{
    const struct language *python = language_find(NULL, STR("python"));
    const struct language *bash = language_find(NULL, STR("bash"));

    for (size_t i = 0; i < ARRAY_LEN(programs); i++)
        OK(run_display_wanted(python, str_from(programs[i].code)) == programs[i].wanted, "%d: %zu",
           programs[i].wanted, i);
    OK(!run_display_wanted(bash, STR("display x.png")), "a language that shows nothing");
    /* Whatever follows the end is not read. */
    OK(!run_display_wanted(python, (struct str){"import osmatplotlib", 9}), "the end of the text");
}

/* ---- what comes out of it ---- */

struct sender {
    struct result result;
    struct run_watch watch;
    struct reporter reporter;
    struct run_display display;
    int to, events;
};

static void on_event(void *ctx, const struct run_event *event)
{
    ((struct sender *)ctx)->events += event->kind == RUN_DISPLAY && event->bundle;
}

static void begin(struct sender *s)
{
    int ends[2];
    struct err err;

    *s = (struct sender){.events = 0};
    result_init(&s->result, 1000);
    s->watch = (struct run_watch){.event = on_event, .ctx = s, .cancel_fd = -1};
    s->reporter = (struct reporter){&s->watch, &s->result};
    run_display_init(&s->display, &s->reporter);
    if (fd_pipe(ends, &err) < 0 || fd_nonblock(ends[0], true) < 0)
        exit(1);
    s->display.from = ends[0];
    s->to = ends[1];
}

/* While somebody listens. */
static void send(struct sender *s, const void *p, size_t n)
{
    const char *at = p;

    while (n && s->display.from >= 0) {
        size_t part = n < 30000 ? n : 30000;
        if (write(s->to, at, part) != (ssize_t)part)
            exit(1);
        at += part;
        n -= part;
        run_display_receive(&s->display);
    }
}

static void send_text(struct sender *s, const char *text)
{
    send(s, text, strlen(text));
}

static void send_frame(struct sender *s, const char *json)
{
    AUTO_FREE char *frame = xasprintf("display 0 %zu\n%s", strlen(json), json);

    send_text(s, frame);
}

/* How many it has, without the last, which says what was left out; and that. */
static size_t end(struct sender *s, const char **ret_why)
{
    fd_close(&s->to);
    run_display_end(&s->display);
    size_t n = json_array_size(s->result.results);
    const json_t *last = n ? json_array_get(s->result.results, n - 1) : NULL;
    const json_t *dropped = json_array_get(json_object_get(last, "dropped"), 0);
    const char *why = json_string_value(json_object_get(dropped, "why"));
    bool is_word = why && !json_object_size(json_object_get(last, "data"));
    *ret_why = is_word ? why : "";
    OK(s->events == (int)n, "each was told");
    OK(s->display.from < 0, "and nobody listens any more");
    return n - is_word;
}

static void done(struct sender *s)
{
    run_display_done(&s->display);
    result_done(&s->result);
    fd_close(&s->to);
}

#define GOOD "{\"kind\": \"display\", \"data\": {\"text/plain\": \"x\"}}"

static const struct {
    const char *name, *bytes, *why;
    size_t kept;
} sendings[] = {
    {"nothing", "", "", 0},
    {"garbage", "garbage", "incomplete", 0},
    {"more garbage", "garbage that is longer than any header could be\n", "1 not valid", 0},
    {"a message of another kind",
     "call 1 2\n{}display 0 32\n{\"data\": {\"text/plain\": \"more\"}}", "another kind", 1},
    {"no JSON", "display 0 3\nxyzdisplay 0 32\n{\"data\": {\"text/plain\": \"more\"}}",
     "1 not valid: its JSON cannot be read", 1},
    {"nothing in it", "display 0 2\n{}", "an empty display", 0},
    {"a list", "display 0 2\n[]", "an empty display", 0},
    {"half a frame", "display 0 31\n{\"data\": {\"text/plain\": ", "incomplete", 0},
    {"half a header", "display 0", "incomplete", 0},
    {"a frame too large", "display 0 4000000000\n", "a frame of 4000000000 bytes", 0},
    {"a number that is none", "display 0 -1\n", "not a frame", 0},
    {"bytes that are no text", "display 0 9\n{\"\xff\xfe\": 1}", "cannot be read", 0},
};

static void test_sendings(void)
{
    for (size_t i = 0; i < ARRAY_LEN(sendings); i++) {
        struct sender s;
        const char *why;
        size_t n;
        begin(&s);
        send_frame(&s, GOOD);
        send_text(&s, sendings[i].bytes);
        n = end(&s, &why);
        OK(n == sendings[i].kept + 1, "%s: what is good is kept", sendings[i].name);
        OK(strstr(why, sendings[i].why) && (*sendings[i].why || !*why), "%s: %s", sendings[i].name,
           why);
        done(&s);
    }
}

static void test_many(void)
{
    struct sender s;
    const char *why;
    size_t n;

    begin(&s);
    for (int i = 0; i < 1000; i++)
        send_frame(&s, GOOD);
    n = end(&s, &why);
    OK(n == 64 && strstr(why, "936 more"), "1000: %s", why);
    done(&s);
    begin(&s);
    for (int i = 0; i < 20000; i++)
        send_frame(&s, GOOD);
    OK(s.display.from < 0 && s.display.frames < 11000, "without end: not for ever");
    n = end(&s, &why);
    OK(n == 64 && strstr(why, "more left out"), "without end: %s", why);
    done(&s);
}

/* {"data": {"text/plain": "xxx..."}} */
static char *large(size_t n)
{
    AUTO_FREE char *inside = xcalloc(n + 1, 1);

    memset(inside, 'x', n);
    return xasprintf("{\"data\": {\"text/plain\": \"%s\"}}", inside);
}

static void test_large(void)
{
    struct sender s;
    const char *why;
    size_t n;
    AUTO_FREE char *ten = large(10 << 20), *fifty = large(50 << 20);

    begin(&s);
    send_frame(&s, fifty);
    for (int i = 0; i < 5; i++)
        send_frame(&s, ten);
    send_frame(&s, GOOD);
    n = end(&s, &why);
    OK(n == 4 && strstr(why, "3 more"), "more than 32 MiB: %s", why);
    done(&s);
    begin(&s);
    for (int i = 0; i < 10; i++)
        send_frame(&s, fifty);
    OK(s.display.from < 0, "more than anybody reads");
    n = end(&s, &why);
    OK(n == 0 && strstr(why, "more left out"), "500 MiB: %s", why);
    done(&s);
}

/* Small for the guest, large for us. */
static void test_values(void)
{
    enum { N = 600000 };
    struct sender s;
    const char *why;
    size_t n;
    AUTO_BUF struct buf list = {0}, deep = {0};

    buf_init(&list, 4 << 20);
    buf_init(&deep, 4 << 20);
    (void)buf_adds(&list, "{\"data\": {\"application/json\": [1");
    (void)buf_adds(&deep, "{\"data\": {\"application/json\": ");
    for (int i = 0; i < N; i++) {
        (void)buf_adds(&list, ",1");
        (void)buf_adds(&deep, "[");
    }
    (void)buf_adds(&list, "]}}");
    begin(&s);
    send_frame(&s, list.p);
    send_frame(&s, list.p);
    send_frame(&s, GOOD);
    n = end(&s, &why);
    OK(n == 2 && strstr(why, "1 more"), "too many values: %s", why);
    done(&s);
    begin(&s);
    send_frame(&s, deep.p);
    send_frame(&s, GOOD);
    n = end(&s, &why);
    OK(n == 1 && strstr(why, "nested deeper"), "too deep: %s", why);
    done(&s);
}

static void test_start(void)
{
    struct sender s;
    const struct language *python = language_find(NULL, STR("python"));
    AUTO_BUF struct buf text = {0};
    struct err err;
    int64_t sizes[3] = {0};

    begin(&s);
    buf_init(&text, 1 << 20);
    OK(run_display_open(&s.display, python, &err) == 0, "it can be opened again");
    OK(fd_read_all(s.display.guest[0], &text) == 0, "the guest's texts");
    struct str rest = str_slice(buf_str(&text), 0, 64), word;
    OK(str_next(&rest, ' ', &word) && word.n, "the magic number");
    for (int i = 0; i < 3; i++)
        OK(str_next(&rest, ' ', &word) && num_int64(word, &sizes[i]), "sizes");
    rest = str_slice(buf_str(&text), 64 + (size_t)(sizes[0] + sizes[1]), text.n);
    OK(str_starts(rest, "# SPDX"), "how it begins");
    OK(str_starts(str_slice(rest, (size_t)sizes[2], rest.n), "# SPDX"), "and the rest");
    OK(write(s.display.guest[1], GOOD, 4) == 4, "and a pipe");
    run_display_started(&s.display);
    OK(s.display.guest[0] < 0 && s.display.guest[1] < 0, "which are the guest's");
    done(&s);
}

int main(void)
{
    RUN(test_wanted());
    RUN(test_sendings());
    RUN(test_many());
    RUN(test_large());
    RUN(test_values());
    RUN(test_start());
    return tap_done();
}
