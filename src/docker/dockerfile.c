/* SPDX-License-Identifier: Apache-2.0 */
#include "docker/dockerfile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

enum { STAGES_MAX = 100, ARGS_MAX = 100, NAME_MAX_BYTES = 512, LINE_BYTES = 64 << 10 };

#define BLANKS " \t"

struct reading {
    struct str rest;
    char escape;     /* at the end of a line, joins it with the next one */
    struct buf line; /* joined */
    char *stages[STAGES_MAX];
    size_t stage_count;
    char *args[ARGS_MAX]; /* NAME=VALUE */
    size_t arg_count;
    bool begun; /* a FROM came */
    struct dockerfile_images *images;
};

/* ---- lines ---- */

/* "# escape=`", at the very top. */
static void read_directives(struct reading *r)
{
    struct str rest = r->rest, line;

    while (str_next_line(&rest, &line) && str_starts(line = str_trim(line), "#")) {
        line = str_trim(str_slice(line, 1, line.n));
        long equals = str_find(line, STR("="));
        if (equals < 0)
            return;
        struct str value = str_trim(str_slice(line, (size_t)equals + 1, line.n));
        if (str_is_nocase(str_trim(str_slice(line, 0, (size_t)equals)), "escape") && value.n == 1)
            r->escape = value.p[0];
    }
}

/* Comments and empty lines do not end a line that is continued. */
static bool next_line(struct reading *r)
{
    struct str line;
    bool continued = true;

    buf_clear(&r->line);
    while (continued && str_next_line(&r->rest, &line)) {
        line = str_trim(line);
        if (!line.n || line.p[0] == '#')
            continue;
        continued = line.p[line.n - 1] == r->escape;
        (void)buf_add_str(&r->line, str_slice(line, 0, line.n - continued));
        (void)buf_addc(&r->line, ' ');
    }
    return r->line.n > 0;
}

static struct str next_word(struct str *rest)
{
    size_t from = 0, to;

    while (from < rest->n && strchr(BLANKS, rest->p[from]))
        from++;
    for (to = from; to < rest->n && !strchr(BLANKS, rest->p[to]);)
        to++;
    struct str word = str_slice(*rest, from, to);
    *rest = str_slice(*rest, to, rest->n);
    return word;
}

/* ---- variables ---- */

static struct str value_of(const struct reading *r, struct str name)
{
    for (size_t i = r->arg_count; i-- > 0;) {
        size_t n = strcspn(r->args[i], "=");
        if (str_eq((struct str){r->args[i], n}, name))
            return str_from(r->args[i] + n + (r->args[i][n] == '='));
    }
    return STR("");
}

static size_t name_length(struct str s)
{
    size_t n = 0;

    while (n < s.n && (isalnum((unsigned char)s.p[n]) || s.p[n] == '_'))
        n++;
    return n;
}

/* "NAME", "NAME:-other" or "NAME:+other", from between braces. */
static struct str braced(const struct reading *r, struct str inside)
{
    size_t n = name_length(inside);
    struct str value = value_of(r, str_slice(inside, 0, n));
    struct str how = str_slice(inside, n, n + 2), other = str_slice(inside, n + 2, inside.n);

    if (str_is(how, ":-"))
        return value.n ? value : other;
    if (str_is(how, ":+"))
        return value.n ? other : value;
    return value;
}

/* The value of the variable whose '$' stands before s; *ret_n bytes of s belong to it. */
static struct str variable(const struct reading *r, struct str s, size_t *ret_n)
{
    long end = s.n && s.p[0] == '{' ? str_find(s, STR("}")) : -1;

    if (end > 0) {
        *ret_n = (size_t)end + 1;
        return braced(r, str_slice(s, 1, (size_t)end));
    }
    *ret_n = name_length(s);
    return value_of(r, str_slice(s, 0, *ret_n));
}

/* Without quotes. The caller frees; NULL for a text that is too long. */
static char *expand(const struct reading *r, struct str s)
{
    struct buf out;
    size_t n;

    buf_init(&out, NAME_MAX_BYTES);
    while (s.n) {
        char c = s.p[0];
        s = str_slice(s, 1, s.n);
        if (c == '$') {
            (void)buf_add_str(&out, variable(r, s, &n));
            s = str_slice(s, n, s.n);
        } else if (c != '"' && c != '\'') {
            (void)buf_addc(&out, c);
        }
    }
    if (!out.overflow)
        return buf_take(&out);
    buf_done(&out);
    return NULL;
}

/* ---- instructions ---- */

/* Whether it is a stage's number, or its name. */
static bool is_stage(const struct reading *r, const char *name)
{
    if (!name[strspn(name, "0123456789")])
        return true;
    for (size_t i = 0; i < r->stage_count; i++)
        if (strcasecmp(r->stages[i], name) == 0)
            return true;
    return false;
}

/* Takes the name over. */
static void add_image(struct reading *r, char *name)
{
    struct dockerfile_images *images = r->images;
    bool known = !name || !*name || is_stage(r, name) || strcmp(name, "scratch") == 0;

    for (size_t i = 0; i < images->n && !known; i++)
        known = strcmp(images->names[i], name) == 0;
    if (known || images->n == DOCKERFILE_IMAGES_MAX)
        free(name);
    else
        images->names[images->n++] = name;
}

/* FROM [--platform=P] IMAGE [AS NAME] */
static void read_from(struct reading *r, struct str rest)
{
    struct str word;

    while (str_starts(word = next_word(&rest), "--"))
        ;
    add_image(r, expand(r, word));
    r->begun = true;
    if (str_is_nocase(next_word(&rest), "as") && r->stage_count < STAGES_MAX) {
        struct str name = next_word(&rest);
        r->stages[r->stage_count++] = xstrndup(name.p, name.n);
    }
}

/* ARG NAME[=VALUE]...: those before the first FROM hold for every FROM. */
static void read_arg(struct reading *r, struct str rest)
{
    struct str word;

    while (!r->begun && r->arg_count < ARGS_MAX && (word = next_word(&rest)).n) {
        char *arg = expand(r, word);
        if (arg)
            r->args[r->arg_count++] = arg;
    }
}

/* COPY --from=IMAGE */
static void read_copy(struct reading *r, struct str rest)
{
    static const char flag[] = "--from=";
    struct str word;

    while (str_starts(word = next_word(&rest), "--"))
        if (str_starts(word, flag))
            add_image(r, xstrndup(word.p + sizeof flag - 1, word.n - (sizeof flag - 1)));
}

static void read_line(struct reading *r)
{
    static const struct {
        const char *name;
        void (*read)(struct reading *r, struct str rest);
    } instructions[] = {{"from", read_from}, {"arg", read_arg}, {"copy", read_copy}};
    struct str rest = buf_str(&r->line), word = next_word(&rest);

    for (size_t i = 0; i < ARRAY_LEN(instructions); i++)
        if (str_is_nocase(word, instructions[i].name))
            instructions[i].read(r, rest);
}

void dockerfile_images(struct str text, struct dockerfile_images *ret)
{
    struct reading r = {.rest = text, .escape = '\\', .images = ret};

    *ret = (struct dockerfile_images){0};
    buf_init(&r.line, LINE_BYTES);
    read_directives(&r);
    while (next_line(&r))
        read_line(&r);
    for (size_t i = 0; i < r.stage_count; i++)
        free(r.stages[i]);
    for (size_t i = 0; i < r.arg_count; i++)
        free(r.args[i]);
    buf_done(&r.line);
}

void dockerfile_images_done(struct dockerfile_images *images)
{
    for (size_t i = 0; i < images->n; i++)
        free(images->names[i]);
    images->n = 0;
}
