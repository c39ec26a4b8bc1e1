/* SPDX-License-Identifier: Apache-2.0 */
#include "run/first.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "python/python.h"
#include "values/value.h"

#define NODE_FILE  ".glovebox-data.cjs"
#define DATA_MAX   (64u << 20)
#define TABLES_MAX 100
/* The text is an argument, and Linux limits an argument to 128 KiB. */
#define TEXT_MAX   (100u << 10)

/* ---- --data ---- */

static int check_json(struct str text, bool node, struct err *err)
{
    bool special;

    if (value_check_json(text, &special, err) < 0)
        return -1;
    if (node && special)
        return err_set(err, ERR_USAGE, "holds NaN or Infinity, which only Python reads");
    return 0;
}

static int read_json(const char *path, bool node, struct buf *ret, struct err *err)
{
    buf_init(ret, DATA_MAX);
    if (fd_read_file(path, ret, err) < 0) {
        if (err->sys == EFBIG)
            err_set(err, ERR_USAGE, "%s: is larger than %u MiB", path, DATA_MAX >> 20);
        err->kind = ERR_USAGE;
        return -1;
    }
    if (str_starts(buf_str(ret), "\xef\xbb\xbf"))
        buf_drop(ret, 3);
    if (check_json(buf_str(ret), node, err) == 0)
        return 0;
    return data_is_table(str_from(path))
               ? err_set(err, ERR_USAGE,
                         "%s: is a table, not JSON; --optimize-data --file %s loads it", path, path)
               : err_wrap(err, "%s: is not JSON", path);
}

struct binder {
    bool node;
    struct str folder; /* of the workspace: the program's */
    struct lay_list *laid;
    struct data_binding *bindings;
    char **files; /* their names inside */
    size_t n;
};

/* The path of a file beside the program. */
static char *path_beside(struct str folder, const char *name)
{
    return xasprintf("%.*s%s%s", (int)folder.n, folder.p, folder.n ? "/" : "", name);
}

static int first_bind(struct binder *b, struct str name, struct str json, struct err *err)
{
    if (!python_is_variable(name))
        return err_set(err, ERR_USAGE, "'%.*s' is not a valid variable name",
                       (int)(name.n < 80 ? name.n : 80), name.p);
    for (size_t i = 0; i < b->n; i++)
        if (str_eq(b->bindings[i].name, name))
            return err_set(err, ERR_USAGE, "%.*s is given twice", (int)name.n, name.p);
    b->files[b->n] = xasprintf(".glovebox-data-%zu.json", b->n + 1);
    struct str file = str_from(b->files[b->n]);
    bool typed = str_find(json, STR("\"$type\"")) >= 0;
    b->bindings[b->n++] = (struct data_binding){name, file, typed};
    AUTO_FREE char *path = path_beside(b->folder, file.p);
    return lay_add_bytes(b->laid, str_from(path), json, 0644, err);
}

/* Accepts NAME=@FILE, as curl does, unless a file has a name that begins with @. */
static const char *first_path_of(const char *text)
{
    return text[0] == '@' && text[1] && access(text, F_OK) < 0 ? text + 1 : text;
}

static int bind_file(struct binder *b, const char *spec, struct err *err)
{
    const char *equals = strchr(spec, '=');
    AUTO_BUF struct buf json = {0};

    if (!equals || !equals[1])
        return err_set(err, ERR_USAGE,
                       "write NAME=FILE, where FILE has JSON, such as data=sales.json");
    if (read_json(first_path_of(equals + 1), b->node, &json, err) < 0)
        return -1;
    return first_bind(b, (struct str){spec, (size_t)(equals - spec)}, buf_str(&json), err);
}

static int bind_value(struct binder *b, const struct named_bytes *value, struct err *err)
{
    if (check_json(value->bytes, b->node, err) < 0)
        return err_wrap(err, "%.*s", (int)(value->name.n < 80 ? value->name.n : 80), value->name.p);
    return first_bind(b, value->name, value->bytes, err);
}

static int bind_all(struct binder *b, const struct run_request *q, struct err *err)
{
    for (char *const *spec = q->workspace.data; spec && *spec; spec++)
        if (bind_file(b, *spec, err) < 0)
            return err_wrap(err, "--data");
    for (size_t i = 0; i < q->workspace.value_count; i++)
        if (bind_value(b, &q->workspace.values[i], err) < 0)
            return err_wrap(err, "'data'");
    return 0;
}

static int lay_node_file(const struct binder *b, struct first *first, struct err *err)
{
    AUTO_BUF struct buf text = {0};

    buf_init(&text, 1u << 20);
    if (data_bind_node(b->bindings, b->n, &text) < 0)
        return err_set(err, ERR_USAGE, "--data: is given too often");
    first->file = path_beside(b->folder, NODE_FILE);
    return lay_add_bytes(b->laid, str_from(first->file), buf_str(&text), 0644, err);
}

static int add_data(const struct run_request *q, struct lay_list *laid, bool node,
                    struct first *first, struct err *err)
{
    size_t n = q->workspace.value_count;

    for (char *const *spec = q->workspace.data; spec && *spec; spec++)
        n++;
    struct binder b = {.node = node,
                       .laid = laid,
                       .bindings = xcalloc(n + 1, sizeof *b.bindings),
                       .files = xcalloc(n + 1, sizeof *b.files)};
    int result = workspace_folder(str_from(q->workspace.cwd), &b.folder, err);
    result = result == 0 ? bind_all(&b, q, err) : result;
    if (result == 0 && node)
        result = lay_node_file(&b, first, err);
    else if (result == 0)
        (void)data_bind_python(b.bindings, b.n, &first->text);
    for (size_t i = 0; i < b.n; i++)
        free(b.files[i]);
    free(b.files);
    free(b.bindings);
    return result;
}

/* ---- --optimize-data ---- */

static struct str variable_of(struct str name, struct buf *b)
{
    buf_init(b, name.n + 2);
    data_variable(name, b);
    return buf_str(b);
}

/* Fails if two files would become the same variable. */
static int check_variable(const struct first *first, struct str name, struct err *err)
{
    AUTO_BUF struct buf mine = {0};
    struct str variable = variable_of(name, &mine);

    for (size_t i = 0; i < first->table_count; i++) {
        struct str other = first->tables[i].name;
        AUTO_BUF struct buf b = {0};
        if (str_eq(variable_of(other, &b), variable))
            return err_set(err, ERR_USAGE,
                           "--optimize-data: '%.*s' and '%.*s' would both be the variable %.*s; "
                           "rename one (--file SRC:NAME)",
                           (int)other.n, other.p, (int)name.n, name.p, (int)variable.n, variable.p);
    }
    return 0;
}

static int add_table(struct first *first, const struct run_request *q,
                     const struct context *context, struct str name, struct err *err)
{
    if (!data_is_table(name) || !utf8_valid(name))
        return 0;
    if (first->table_count == TABLES_MAX)
        return err_set(err, ERR_USAGE, "--optimize-data: more than %d CSV files", TABLES_MAX);
    if (check_variable(first, name, err) < 0)
        return -1;
    const char *invocation = q->context.invocation ? q->context.invocation : "";
    bool known = context && context_is_processed(context, invocation, name);
    first->tables[first->table_count++] = (struct data_table){name, !known};
    return 0;
}

static int add_tables(const struct run_request *q, const struct context *context,
                      const struct lay_list *laid, struct first *first, struct err *err)
{
    struct str name, folder;
    size_t at = 0;

    if (workspace_folder(str_from(q->workspace.cwd), &folder, err) < 0)
        return -1;
    if (folder.n)
        return err_set(err, ERR_USAGE,
                       "--optimize-data reads tables by their paths in the workspace, where the "
                       "program then starts: leave --cwd out");
    first->tables = xcalloc(TABLES_MAX, sizeof *first->tables);
    while (lay_list_next(laid, &at, &name))
        if (add_table(first, q, context, name, err) < 0)
            return -1;
    if (first->table_count)
        (void)data_explore_all(first->tables, first->table_count, &first->text);
    return 0;
}

/* ---- both ---- */

int first_make(const struct run_request *q, const struct language *language,
               const struct context *context, struct lay_list *laid, struct first *ret,
               struct err *err)
{
    enum language_first way = language->traits->first;
    bool runner = way == FIRST_BY_RUNNER && language_has_runner(language);
    bool data = (q->workspace.data && q->workspace.data[0]) || q->workspace.value_count;

    *ret = (struct first){0};
    buf_init(&ret->text, TEXT_MAX);
    if ((data || q->workspace.optimize_data) && way == FIRST_BY_RUNNER && !runner)
        return err_set(err, ERR_USAGE,
                       "%s runs before the program: that needs \"{runner}\" among the args of "
                       "[language.%s]",
                       data ? "--data" : "--optimize-data", language->name);
    if (data && way == FIRST_NOWHERE)
        return err_set(err, ERR_USAGE,
                       "--data binds variables of Python and JavaScript, not of %s; give the file "
                       "with --file",
                       language->name);
    ret->skips_annotations = runner && profile_skips_annotations(q);
    if (runner)
        profile_first(q, false, &ret->text);
    if (data && add_data(q, laid, way == FIRST_BY_FILE, ret, err) < 0)
        return -1;
    if (q->workspace.optimize_data && runner && add_tables(q, context, laid, ret, err) < 0)
        return -1;
    return !ret->text.overflow
               ? 0
               : err_set(err, ERR_USAGE,
                         "--data and --optimize-data: too many files, or names too long");
}

void first_done(struct first *first)
{
    buf_done(&first->text);
    free(first->tables);
    free(first->file);
    *first = (struct first){0};
    buf_init(&first->text, 0);
}
