/* SPDX-License-Identifier: Apache-2.0 */
#include "e2b/execution.h"

#include <string.h>

#include "base/json_get.h"
#include "base/mem.h"
#include "e2b/json.h"

static const struct {
    const char *type;
    enum execution_kind kind;
} kinds[] = {
    {"number_of_executions", EXECUTION_COUNT},
    {"stdout", EXECUTION_OUTPUT},
    {"stderr", EXECUTION_OUTPUT},
    {"result", EXECUTION_RESULT},
    {"error", EXECUTION_ERROR},
    {"end_of_execution", EXECUTION_END},
    {"unexpected_end_of_execution", EXECUTION_END},
};

static enum execution_kind kind_of(struct str type)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (str_is(type, kinds[i].type))
            return kinds[i].kind;
    return EXECUTION_OTHER;
}

static struct str member(const json_t *line, const char *key)
{
    return json_str(json_object_get(line, key));
}

int execution_event_read(struct str text, struct execution_event *ret, struct err *err)
{
    json_t *line = e2b_json_read(text, JSON_ALLOW_NUL, "a line", err);

    *ret = (struct execution_event){.line = line};
    if (!line)
        return -1;
    if (!json_is_object(line)) {
        execution_event_done(ret);
        return err_set(err, ERR_GUEST, "a line that is no JSON object");
    }
    struct str type = member(line, "type");
    ret->kind = kind_of(type);
    ret->count = json_get_int(line, "execution_count");
    ret->stream = str_is(type, "stderr") ? 2 : 1;
    ret->text = member(line, "text");
    ret->name = member(line, "name");
    ret->value = member(line, "value");
    ret->trace = member(line, "traceback");
    return 0;
}

void execution_event_done(struct execution_event *event)
{
    json_decref(event->line);
    event->line = NULL;
}

/* Best first: a reader shows the first that it can. */
static const struct {
    const char *key, *media_type;
} forms[] = {
    {"jpeg", "image/jpeg"},        {"png", "image/png"},
    {"chart", "e2b/chart"},        {"data", "e2b/data"},
    {"html", "text/html"},         {"javascript", "application/javascript"},
    {"json", "application/json"},  {"latex", "text/latex"},
    {"markdown", "text/markdown"}, {"pdf", "application/pdf"},
    {"svg", "image/svg+xml"},      {"text", "text/plain"},
};

static void put(json_t *data, const char *media_type, json_t *value)
{
    if (value && !json_is_null(value) && !json_object_get(data, media_type))
        json_object_set_nocheck(data, media_type, value);
}

json_t *execution_data(const struct execution_event *event)
{
    json_t *data = json_object(), *value;
    const size_t last = ARRAY_LEN(forms) - 1;
    const char *media_type;

    for (size_t i = 0; i < last; i++)
        put(data, forms[i].media_type, json_object_get(event->line, forms[i].key));
    json_object_foreach(json_object_get(event->line, "extra"), media_type, value)
        put(data, media_type, value);
    put(data, forms[last].media_type, json_object_get(event->line, forms[last].key));
    return data;
}

bool execution_is_value(const struct execution_event *event)
{
    return json_get_true(event->line, "is_main_result");
}
