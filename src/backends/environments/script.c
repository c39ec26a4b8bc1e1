/* SPDX-License-Identifier: Apache-2.0 */
#include "environments/script.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "options/conf.h"

enum { BLOCK_MAX = 64 << 10 };

/* ---- the block ---- */

/* The text of a comment's line: "# x" or "#". */
static bool take_comment(struct str line, struct str *ret)
{
    if (!line.n || line.p[0] != '#' || (line.n > 1 && line.p[1] != ' '))
        return false;
    *ret = str_slice(line, line.n > 1 ? 2 : 1, line.n);
    return true;
}

/* Copies the block without the comment signs. Tables are for other tools. */
static int cut_block(struct str code, struct buf *ret, bool *ret_found, struct err *err)
{
    struct str line, text;
    bool inside = false, closed = false, in_table = false;

    while (str_next_line(&code, &line)) {
        if (!inside) {
            inside = str_is(line, "# /// script");
            if (inside && *ret_found)
                return err_set(err, ERR_USAGE, "the program has two blocks '# /// script'");
            *ret_found |= inside;
            continue;
        }
        if (!take_comment(line, &text)) {
            if (closed)
                inside = closed = false;
            else
                break;
            continue;
        }
        if (str_is(text, "///")) {
            closed = true;
        } else if (!closed) {
            in_table |= text.n && text.p[0] == '[';
            if (!in_table && (buf_add_str(ret, text) < 0 || buf_addc(ret, '\n') < 0))
                return err_set(err, ERR_LIMIT, "the program's block '# /// script' is too long");
        }
    }
    if (*ret_found && !closed && inside)
        return err_set(err, ERR_USAGE, "the program's block '# /// script' has no end, '# ///'");
    return 0;
}

static int take_item(void *ctx, const struct conf_item *item, struct err *err)
{
    struct env_script *s = ctx;

    if (str_is(item->key, "dependencies")) {
        for (size_t i = 0; i < item->n; i++)
            if (buf_add_str(&s->requirements, item->values[i]) < 0 ||
                buf_addc(&s->requirements, '\n') < 0)
                return err_set(err, ERR_LIMIT, "the program names too many packages");
    } else if (str_is(item->key, "requires-python") && item->n == 1) {
        if (item->values[0].n >= sizeof s->python)
            return err_set(err, ERR_USAGE, "requires-python is too long");
        snprintf(s->python, sizeof s->python, "%.*s", (int)item->values[0].n, item->values[0].p);
    }
    return 0;
}

int env_script_read(struct str code, struct env_script *ret, struct err *err)
{
    AUTO_BUF struct buf block = {0};

    *ret = (struct env_script){0};
    buf_init(&block, BLOCK_MAX);
    buf_init(&ret->requirements, BLOCK_MAX);
    if (cut_block(code, &block, &ret->found, err) < 0)
        return -1;
    return conf_parse(buf_str(&block), "# /// script", take_item, ret, err);
}

void env_script_done(struct env_script *script)
{
    buf_done(&script->requirements);
}

/* ---- versions ---- */

/* "3.12.1", "3.12.*" or "3": the second number, -1 for none; false for another major version. */
static bool read_minor(struct str version, int64_t *ret)
{
    struct str major, minor;

    *ret = -1;
    if (!str_next(&version, '.', &major) || !str_is(major, "3"))
        return false;
    return !str_next(&version, '.', &minor) || str_is(minor, "*") || num_int64(minor, ret);
}

static bool clause_fits(struct str clause, int64_t minor)
{
    static const char *const operators[] = {"===", "==", "~=", "!=", "<=", ">=", "<", ">"};
    size_t i = 0;
    int64_t than;

    while (i < ARRAY_LEN(operators) && !str_starts(clause, operators[i]))
        i++;
    if (i == ARRAY_LEN(operators))
        return false;
    const char *sign = operators[i];
    struct str version = str_trim(str_slice(clause, strlen(sign), clause.n));
    if (!read_minor(version, &than)) /* "<4" */
        return sign[0] == '<' && version.n && version.p[0] > '3';
    if (than < 0)
        return sign[0] != '<' && sign[0] != '!';
    switch (sign[0]) {
    case '=':
        return minor == than;
    case '!':
        return minor != than;
    case '<':
        return sign[1] ? minor <= than : minor < than;
    default: /* ">", ">=", "~=" */
        return minor >= than;
    }
}

bool env_script_fits(const char *versions, unsigned minor)
{
    struct str rest = str_from(versions), clause;

    while (str_next(&rest, ',', &clause))
        if (str_trim(clause).n && !clause_fits(str_trim(clause), minor))
            return false;
    return true;
}
