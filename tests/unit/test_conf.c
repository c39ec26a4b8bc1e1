/* SPDX-License-Identifier: Apache-2.0 */
#include "options/conf.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "options/user_file.h"
#include "tap.h"

/* Each item as "section|key@line=<value><value>;", arrays with "[]" before their values. */
static int note(void *ctx, const struct conf_item *item, struct err *err)
{
    struct buf *b = ctx;

    if (str_is(item->key, "stop"))
        return err_set(err, ERR_POLICY, "stopped");
    (void)buf_add_str(b, item->section);
    (void)buf_addf(b, "|%.*s@%zu=%s", (int)item->key.n, item->key.p, item->line,
                   item->array ? "[]" : "");
    for (size_t i = 0; i < item->n; i++) {
        (void)buf_addc(b, '<');
        (void)buf_add_str(b, item->values[i]);
        (void)buf_addc(b, '>');
    }
    return buf_addc(b, ';');
}

/* What the text says, or the error's message. Lives until the next call. */
static const char *parse(struct str text)
{
    static char out[4096];
    struct err err = {0};
    AUTO_BUF struct buf b = {0};

    buf_init(&b, sizeof out - 1);
    const char *said = conf_parse(text, "f.conf", note, &b, &err) == 0 ? b.p : err.msg;
    snprintf(out, sizeof out, "%s", said);
    return out;
}

static const struct {
    const char *text, *want;
} good[] = {
    {"", ""},
    {"\n\n  # only a comment\n", ""},
    {"timeout = 30s", "|timeout@1=<30s>;"},
    {"timeout=30s\n", "|timeout@1=<30s>;"},
    {"\t timeout\t=\t30s \t\n", "|timeout@1=<30s>;"},
    {"a = two words  # comment\nb = 1 # c", "|a@1=<two words>;|b@2=<1>;"},
    {"a = true\nb_c = -1.5\nd.e+f = K=V", "|a@1=<true>;|b_c@2=<-1.5>;|d.e+f@3=<K=V>;"},
    {"a = \"x # y\"# z", "|a@1=<x # y>;"},
    {"a = \"\"", "|a@1=<>;"},
    {"a = ''", "|a@1=<>;"},
    {"a = \"q\\\"b\\\\n\\nt\\tr\\r\"", "|a@1=<q\"b\\n\nt\tr\r>;"},
    {"a = \"\\u0041\\u00e9\\u20AC\"", "|a@1=<A\xC3\xA9\xE2\x82\xAC>;"},
    {"a = 'no \\n escapes \"here\"'", "|a@1=<no \\n escapes \"here\">;"},
    {"a = \xFFz\xC3\xA9", "|a@1=<\xFFz\xC3\xA9>;"},
    {"a = []", "|a@1=[];"},
    {"a = [ ]\nb = [x]", "|a@1=[];|b@2=[]<x>;"},
    {"a = [one two, \"three\", 'four',] # c", "|a@1=[]<one two><three><four>;"},
    {"a = [\n  one, # first\n\n  two # second\n]\nb = 1", "|a@1=[]<one><two>;|b@6=<1>;"},
    {"[s]\na = 1\n[ s.t ] # c\na = 2", "s|a@2=<1>;s.t|a@4=<2>;"},
    {"a = 1\r\n[c++]\r\nb = [\r\n2,\r\n3]\r\n", "|a@1=<1>;c++|b@3=[]<2><3>;"},
    {"\xEF\xBB\xBF"
     "a = 1",
     "|a@1=<1>;"},
    {"a = 1\r", "|a@1=<1>;"},
    {"a = \"1\"\r", "|a@1=<1>;"},
};

static const struct {
    const char *text, *want;
} bad[] = {
    {"a = 1\n\ntimeout 30s", "f.conf:3: expected '=' after 'timeout'"},
    {"timeout", "f.conf:1: expected '=' after 'timeout'"},
    {"timeout =", "f.conf:1: expected a value after 'timeout ='"},
    {"timeout = # none\n", "f.conf:1: expected a value after 'timeout ='"},
    {"= 3", "f.conf:1: expected a key or [section], found '='"},
    {"\xC3\xA9 = 3", "f.conf:1: expected a key or [section], found byte 0xC3"},
    {"a = \"x", "f.conf:1: expected '\"' before the line's end"},
    {"a = \"x\n\"", "f.conf:1: expected '\"' before the line's end"},
    {"a = \"x\\", "f.conf:1: expected one of n t r u \" \\ after '\\', found the line's end"},
    {"a = \"\\q\"", "f.conf:1: expected one of n t r u \" \\ after '\\', found 'q'"},
    {"a = \"\\u12\"", "f.conf:1: \\u needs four hexadecimal digits"},
    {"a = \"\\u0000\"", "f.conf:1: \\u0000 cannot be part of a value"},
    {"a = \"\\ud83d\"", "f.conf:1: \\uD83D is half a character; write the character itself"},
    {"a = 'x\ny'", "f.conf:1: expected \"'\" before the line's end"},
    {"a = \"x\" y", "f.conf:1: expected the line's end after the value, found 'y'"},
    {"a = \"\"\"x\"\"\"", "f.conf:1: expected the line's end after the value, found '\"'"},
    {"a = b\"c\"", "f.conf:1: a value with '\"' in it needs quotes around the whole of it"},
    {"a = it's", "f.conf:1: a value with ''' in it needs quotes around the whole of it"},
    {"a = http://x/#y", "f.conf:1: a value with '#' in it needs quotes around the whole of it"},
    {"a = {b = 1}", "f.conf:1: a value with '{' in it needs quotes around the whole of it"},
    {"\na = [1\n, 2\n", "f.conf:4: the array of line 2 is not closed"},
    {"a = [", "f.conf:1: the array of line 1 is not closed"},
    {"a = [1 2\n3]", "f.conf:2: expected ',' or ']' after a value, found '3'"},
    {"a = [\"1\" x]", "f.conf:1: expected ',' or ']' after a value, found 'x'"},
    {"a = [,]", "f.conf:1: expected a value before ','"},
    {"a = [1,,2]", "f.conf:1: expected a value before ','"},
    {"a = [[1]]", "f.conf:1: an array cannot hold another"},
    {"a = [1] x", "f.conf:1: expected the line's end after the value, found 'x'"},
    {"[]", "f.conf:1: expected a section's name after '[', found ']'"},
    {"[[a]]", "f.conf:1: expected a section's name after '[', found '['"},
    {"[a", "f.conf:1: expected ']' after 'a', found the line's end"},
    {"[a b]", "f.conf:1: expected ']' after 'a', found 'b'"},
    {"[a] b", "f.conf:1: expected the line's end after a section's name, found 'b'"},
    {"[.a]", "f.conf:1: '.a' has an empty part"},
    {"[a.]", "f.conf:1: 'a.' has an empty part"},
    {"[a..b]", "f.conf:1: 'a..b' has an empty part"},
    {"a = 1\nb = 2\na = 3", "f.conf:3: key 'a' is already in line 1"},
    {"[s]\na = 1\na = 2", "f.conf:3: key 'a' is already in line 2"},
    {"[s]\n[t]\n[s]", "f.conf:3: section 's' is already in line 1"},
    {"a = 1\nb = \x1B[31m", "f.conf:2: control character 0x1B; write it as \\u001B in quotes"},
    {"a = 1\rb = 2", "f.conf:1: control character 0x0D; write it as \\u000D in quotes"},
    {"a = \x7F", "f.conf:1: control character 0x7F; write it as \\u007F in quotes"},
    {"a = 1\nstop = 1\nb", "stopped"},
};

static void test_limits(void)
{
    AUTO_BUF struct buf b = {0};

    EQ_STR(parse((struct str){"a = 1\0", 6}),
           "f.conf:1: control character 0x00; write it as \\u0000 in quotes");

    buf_init(&b, 4 << 20);
    for (int i = 0; i < CONF_MAX_LINE - 4; i++)
        (void)buf_addc(&b, i ? 'v' : '\n');
    (void)buf_adds(&b, "\na = ");
    for (int i = 0; i < CONF_MAX_LINE - 4; i++)
        (void)buf_addc(&b, 'v');
    EQ_STR(parse(buf_str(&b)),
           "f.conf:2: expected '=' after "
           "'vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
           "vvvvvvvv'");
    (void)buf_addc(&b, 'v');
    EQ_STR(parse(buf_str(&b)), "f.conf:3: the line is longer than 65536 bytes");

    buf_clear(&b);
    for (int i = 0; i < CONF_MAX_KEYS; i++)
        (void)buf_addf(&b, "k%d = 1\n", i);
    struct err err = {0};
    AUTO_BUF struct buf items = {0};
    buf_init(&items, 1 << 20);
    EQ_INT(conf_parse(buf_str(&b), "f.conf", note, &items, &err), 0);
    (void)buf_adds(&b, "more = 1");
    buf_clear(&items);
    EQ_INT(conf_parse(buf_str(&b), "f.conf", note, &items, &err), -1);
    EQ_STR(err.msg, "f.conf:1001: more than 1000 keys");

    buf_clear(&b);
    while (b.n < CONF_MAX_BYTES)
        (void)buf_addc(&b, '\n');
    EQ_STR(parse(buf_str(&b)), "");
    (void)buf_addc(&b, '\n');
    EQ_STR(parse(buf_str(&b)), "f.conf: larger than 1048576 bytes");
}

static int count(void *ctx, const struct conf_item *item, struct err *err)
{
    (void)err;
    *(size_t *)ctx += item->n;
    return 0;
}

/* A file made to be slow: `unit` over and over up to the limit. The bound is some hundred times
 * what a linear parser needs, and far below what a quadratic one would. */
static void hostile(const char *what, const char *start, const char *unit)
{
    size_t values = 0;
    struct err err;
    AUTO_BUF struct buf b = {0};

    buf_init(&b, CONF_MAX_BYTES);
    (void)buf_adds(&b, start);
    while (buf_adds(&b, unit) == 0)
        ;
    int64_t began = clock_mono_ms();
    (void)conf_parse(buf_str(&b), "f.conf", count, &values, &err);
    OK(clock_mono_ms() - began < 3000, "1 MiB of %s takes linear time", what);
}

static void test_hostile(void)
{
    hostile("values", "a = [", "1,\n");
    hostile("escapes", "a = [", "\"\\u0041\\n\",\n");
    hostile("lines in an array", "a = [", "\n");
    hostile("comments in an array", "a = [", "#\n");
    hostile("empty values", "a = [", "'',\n");
    hostile("lines", "", "\n");
    hostile("blank lines", "", " \r\n");
    hostile("open headings", "", "[a\n");
    hostile("brackets", "a = [", "[");
    hostile("one key", "", "a=1\n");

    AUTO_BUF struct buf b = {0};
    size_t values = 0;
    struct err err;
    buf_init(&b, CONF_MAX_BYTES);
    for (int i = 0; i < 999; i++)
        (void)buf_addf(&b, "%01000d = 1\n", i);
    int64_t began = clock_mono_ms();
    EQ_INT(conf_parse(buf_str(&b), "f.conf", count, &values, &err), 0);
    EQ_INT(values, 999);
    OK(clock_mono_ms() - began < 3000, "long keys that differ at their ends");
}

static const char *written(const char *value)
{
    static char out[256];
    AUTO_BUF struct buf b = {0};

    buf_init(&b, sizeof out - 1);
    (void)conf_add_value(&b, str_from(value));
    memcpy(out, b.p, b.n + 1);
    return out;
}

static int same_value(void *ctx, const struct conf_item *item, struct err *err)
{
    (void)err;
    return item->n == 1 && str_eq(item->values[0], *(struct str *)ctx) ? 0 : 1;
}

static void test_writing(void)
{
    struct err err;
    AUTO_BUF struct buf b = {0};

    EQ_STR(written("30s"), "30s");
    EQ_STR(written("/usr/bin/x-1.2_3"), "/usr/bin/x-1.2_3");
    EQ_STR(written("A=b@c:d%e+"), "A=b@c:d%e+");
    EQ_STR(written(""), "\"\"");
    EQ_STR(written("two words"), "\"two words\"");
    EQ_STR(written("a#b"), "\"a#b\"");
    EQ_STR(written("a,b"), "\"a,b\"");
    EQ_STR(written("[x"), "\"[x\"");
    EQ_STR(written("q\"b\\n\nt\tr\r"), "\"q\\\"b\\\\n\\nt\\tr\\r\"");
    EQ_STR(written("\x1B\x7F"), "\"\\u001B\\u007F\"");
    EQ_STR(written("\xC3\xA9\xFF"), "\"\xC3\xA9\xFF\"");

    int wrong = 0;
    buf_init(&b, 1 << 16);
    for (int c = 1; c < 256; c++) {
        char bytes[3] = {'a', (char)c, 'b'};
        struct str value = {bytes + (c & 1), 3 - (c & 1) - (c >> 1 & 1)};
        buf_clear(&b);
        (void)buf_adds(&b, "k = ");
        (void)conf_add_value(&b, value);
        wrong += conf_parse(buf_str(&b), "f", same_value, &value, &err) != 0;
        (void)buf_adds(&b, "\nl = [");
        (void)conf_add_value(&b, value);
        (void)buf_adds(&b, "]");
        wrong += conf_parse(buf_str(&b), "f", same_value, &value, &err) != 0;
    }
    OK(wrong == 0, "every byte but NUL is written so that it reads back");

    AUTO_BUF struct buf tiny = {0};
    buf_init(&tiny, 4);
    EQ_INT(conf_add_value(&tiny, STR("a b c d")), -1);
}

static void test_paths(void)
{
    setenv("HOME", "/home/ann", 1);
    unsetenv("XDG_CONFIG_HOME");
    AUTO_FREE char *home = user_file_config("glovebox.conf");
    EQ_STR(home, "/home/ann/.config/glovebox/glovebox.conf");
    setenv("XDG_CONFIG_HOME", "/etc/ann", 1);
    AUTO_FREE char *xdg = user_file_config("glovebox.conf");
    EQ_STR(xdg, "/etc/ann/glovebox/glovebox.conf");
    setenv("XDG_CONFIG_HOME", "relative", 1);
    AUTO_FREE char *ignored = user_file_config("x");
    EQ_STR(ignored, "/home/ann/.config/glovebox/x");
    unsetenv("XDG_STATE_HOME");
    AUTO_FREE char *state = user_file_state("x");
    EQ_STR(state, "/home/ann/.local/state/glovebox/x");
    unsetenv("HOME");
    AUTO_FREE char *none = user_file_config("x");
    EQ_STR(none, NULL);
}

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        EQ_STR(parse(str_from(good[i].text)), good[i].want);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        EQ_STR(parse(str_from(bad[i].text)), bad[i].want);
    struct err err = {0};
    AUTO_BUF struct buf b = {0};
    buf_init(&b, 100);
    EQ_INT(conf_parse(STR("stop = 1"), "f", note, &b, &err), -1);
    EQ_INT(err.kind, ERR_POLICY);
    EQ_INT(conf_parse(STR("x"), "f", note, &b, &err), -1);
    EQ_INT(err.kind, ERR_USAGE);
    RUN(test_limits());
    RUN(test_hostile());
    RUN(test_writing());
    RUN(test_paths());
    return tap_done();
}
