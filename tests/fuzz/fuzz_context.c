/* SPDX-License-Identifier: Apache-2.0
 *
 * Text that becomes more than text, by its first byte: a context document, which is used and must
 * read back; a model's messages with data in them; JSON for a variable; an expression to compute.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "math/math.h"
#include "text/context.h"
#include "text/data_files.h"
#include "values/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void use(struct context *c)
{
    struct context_result result = {STR("code"), STR("out"), STR("\xff"), 1};
    struct context_input input;
    struct err err;

    for (size_t i = 0; i < context_input_count(c); i++) {
        (void)context_input_read(c, i, &input, &err);
        buf_done(&input.bytes);
    }
    context_set_execution_id(c, "i", context_execution_id(c, ""));
    context_add_processed(c, "i", STR("copy"));
    context_count_error(c, "i");
    context_add_result(c, "i", &result);
    assert(context_is_processed(c, "i", STR("copy")) && context_error_count(c, "i") > 0);
}

static char *dump(const struct context *c)
{
    struct buf b;
    struct err err;

    buf_init(&b, CONTEXT_MAX_BYTES);
    assert(context_write(c, &b, &err) == 0);
    return buf_take(&b);
}

static void try_context(struct str text)
{
    struct context c, again;
    struct err err = {0};

    if (context_read(text, &c, &err) < 0) {
        assert(err.kind == ERR_USAGE && err.msg[0]);
        return;
    }
    use(&c);
    char *first = dump(&c);
    assert(context_read(str_from(first), &again, &err) == 0);
    char *second = dump(&again);
    assert(strcmp(first, second) == 0);
    free(first);
    free(second);
    context_done(&again);
    context_done(&c);
}

/* What jansson reads, Python reads; but for jansson a NUL is the end. */
static void try_json(struct str text)
{
    bool special = false;
    struct err err = {0};
    json_error_t where;
    int good = value_check_json(text, &special, &err) == 0;
    json_t *value = json_loadb(text.p, text.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &where);

    assert(good || strncmp(err.msg, "line ", 5) == 0);
    if (value && !memchr(text.p, '\0', text.n))
        assert((good && !special) || strstr(err.msg, "nested"));
    json_decref(value);
}

static void try_math(struct str text)
{
    struct err err = {0};

    if (math_check(text, &err) < 0)
        assert(err.kind == ERR_USAGE || err.kind == ERR_POLICY || err.kind == ERR_LIMIT);
    else
        assert(text.n && !memchr(text.p, '"', text.n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static void (*const tries[])(struct str text) = {try_context, try_json, try_math};

    if (n)
        tries[data[0] % (sizeof tries / sizeof *tries)](
            (struct str){(const char *)data + 1, n - 1});
    return 0;
}
