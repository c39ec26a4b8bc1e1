/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's variables in a context. The interpreter puts those of a sandbox into cells without
 * quoting them, so a value with a quote would break every cell. A cell of ours sets them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "e2b/json.h"
#include "far/e2b_relay_parts.h"

static const char *value_of(const struct e2b_relay *r, const char *pair, size_t name_n)
{
    for (char **known = r->plan.env; known && *known; known++)
        if (strncmp(*known, pair, name_n) == 0 && (*known)[name_n] == '=')
            return *known + name_n + 1;
    return NULL;
}

/* The value may be a secret, so no error has it. */
static int add_variable(json_t *object, const char *name, const char *value, struct err *err)
{
    if (e2b_json_check("--env: the name", name, err) < 0)
        return -1;
    if (json_object_set_new(object, name, json_string(value)) == 0)
        return 0;
    return err_set(err, ERR_USAGE, "--env %s: the value is not UTF-8, which E2B's protocol needs",
                   name);
}

json_t *relay_variables(const struct e2b_relay *r, struct err *err)
{
    json_t *object = json_object();

    for (char **pair = r->own_env; pair && *pair; pair++) {
        size_t n = strcspn(*pair, "=");
        AUTO_FREE char *name = xstrndup(*pair, n);
        const char *value = value_of(r, name, n);
        if (value && add_variable(object, name, value, err) < 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

/* The texts around the JSON of the variables, as a string in double quotes. */
static const struct {
    const char *language, *before, *after;
} setters[] = {
    {"python", "__import__(\"os\").environ.update(__import__(\"json\").loads(", "))"},
    {"javascript", "void Object.assign(process.env, JSON.parse(", "))"},
    {"typescript", "void Object.assign(process.env, JSON.parse(", "))"},
    {"r", "invisible(do.call(Sys.setenv, as.list(jsonlite::fromJSON(", "))))"},
};

/* JSON with nothing but ASCII is a string in all of these languages. */
static void put_quoted(struct buf *code, const json_t *variables)
{
    AUTO_FREE char *text = json_dumps(variables, JSON_ENSURE_ASCII | JSON_COMPACT);
    json_t *string = json_string(text);
    AUTO_FREE char *quoted = json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);

    json_decref(string);
    (void)buf_adds(code, quoted);
}

static void put_exports(struct buf *code, const json_t *variables)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)variables, name, value)
    {
        (void)buf_addf(code, "export %s='", name);
        for (const char *p = json_string_value(value); *p; p++)
            if (*p == '\'')
                (void)buf_adds(code, "'\\''");
            else
                (void)buf_addc(code, *p);
        (void)buf_adds(code, "'\n");
    }
}

static bool is_shell_name(const char *name)
{
    return *name &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
               strlen(name);
}

static int put_shell(struct buf *code, const json_t *variables, struct err *err)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)variables, name, value) if (!is_shell_name(name)) return err_set(
        err, ERR_USAGE, "--env: Bash has no variable of the name '%.100s'", name);
    put_exports(code, variables);
    return 0;
}

static int put_variables(const struct e2b_relay *r, struct buf *code, const json_t *variables,
                         struct err *err)
{
    if (strcmp(r->kernel, "bash") == 0)
        return put_shell(code, variables, err);
    for (size_t i = 0; i < ARRAY_LEN(setters); i++)
        if (strcmp(r->kernel, setters[i].language) == 0) {
            (void)buf_adds(code, setters[i].before);
            put_quoted(code, variables);
            (void)buf_adds(code, setters[i].after);
            return 0;
        }
    return err_set(err, ERR_UNSUPPORTED, "--env: the code interpreter sets no variables for %s",
                   r->kernel);
}

int relay_put_variables(const struct e2b_relay *r, struct buf *code, struct err *err)
{
    json_t *variables = relay_variables(r, err);
    if (!variables)
        return -1;
    int result = json_object_size(variables) ? put_variables(r, code, variables, err) : 0;

    json_decref(variables);
    return result;
}
