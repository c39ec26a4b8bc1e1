/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/flow_fields.h"

#include <stddef.h>
#include <string.h>

#define AT(member) offsetof(struct flow_fields, member)

const struct field flow_task_fields[] = {
    {.name = "task",
     .kind = FIELD_WORD,
     .offset = AT(task),
     .required = true,
     .help = "What is to be done, in words."},
    {0},
};

const struct field flow_language_fields[] = {
    {.name = "language",
     .kind = FIELD_WORD,
     .offset = AT(run.language),
     .initial = "python",
     .help = "The language of the program that the model writes."},
    {0},
};

const struct field flow_common_fields[] = {
    {.name = "temperature",
     .kind = FIELD_NUMBER,
     .offset = AT(temperature),
     .initial = "the service's",
     .help = "0 to 2."},
    {0},
};

static int choose_language(const struct flow_fields *f, struct agent_request *request,
                           struct err *err)
{
    const char *name = f->run.language;
    const struct language *language;

    if (!name || strcmp(name, "auto") == 0)
        name = "python";
    language = language_find(request->run->languages, str_from(name));
    if (!language)
        return err_set(err, ERR_USAGE, "'language': '%.60s' is not known", name);
    request->language = language->name;
    return 0;
}

int flow_fields_input(const struct flow *flow, const struct flow_fields *f, struct flow_input *ret,
                      struct agent_request *request, struct err *err)
{
    *ret = (struct flow_input){.task = f->task, .code = f->run.code, .file = f->run.filename};
    request->has_temperature = f->temperature >= 0;
    request->temperature = f->temperature;
    if (f->temperature > 2)
        return err_set(err, ERR_USAGE, "'temperature' must be from 0 to 2");
    return choose_language(f, request, err) < 0 ? -1 : flow_check(flow, ret, err);
}
