/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/flow_fields.h"

#include <stddef.h>
#include <string.h>

#include "agent/samples.h"
#include "agent/solve.h"
#include "session/check.h"

#define AT(member) offsetof(struct flow_fields, member)

const struct field flow_task_fields[] = {
    {.name = "task",
     .kind = FIELD_WORD,
     .code = CODE_NONE,
     .offset = AT(task),
     .required = true,
     .help = "What is to be done, in words."},
    {0},
};

const struct field flow_language_fields[] = {
    {.name = "language",
     .kind = FIELD_WORD,
     .code = CODE_NONE,
     .offset = AT(run.language),
     .initial = "python",
     .help = "The language of the programs that the model writes."},
    {0},
};

const struct field flow_cases_fields[] = {
    {.name = "cases",
     .kind = FIELD_CASES,
     .code = CODE_READ,
     .offset = AT(cases),
     .help = "What the program must pass, as in a case file."},
    {.name = "func",
     .kind = FIELD_WORD,
     .code = CODE_READ,
     .offset = AT(func),
     .help = "The function that the cases call, or Class.method."},
    {.name = "samples",
     .kind = FIELD_COUNT,
     .offset = AT(samples),
     .initial = "1",
     .help = "How many conversations are tried, four side by side; the first that passes wins."},
    {0},
};

const struct field flow_solve_fields[] = {
    {.name = "calls",
     .kind = FIELD_CHOICE,
     .offset = AT(calls),
     .choices = solve_calls_names,
     .initial = "auto",
     .help =
         "Programs come in calls of a tool or in blocks of code, by the provider (auto), or the "
         "model runs them itself (builtin)."},
    {.name = "style",
     .kind = FIELD_CHOICE,
     .offset = AT(style),
     .choices = solve_style_names,
     .initial = "auto",
     .help = "Replies and results are written as in this system; auto: as the profile's."},
    {.name = "one_shot",
     .kind = FIELD_BOOL,
     .offset = AT(one_shot),
     .initial = "false",
     .help = "Each program runs alone; the output of the first that succeeds is the answer."},
    {.name = "answer_check",
     .kind = FIELD_WORD,
     .code = CODE_READ,
     .offset = AT(answer_check),
     .help = "A Python expression over 'answer'; an answer for which it is false goes back."},
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

void flow_fields_init(struct flow_fields *f)
{
    fields_absent(flow_task_fields, f);
    fields_absent(flow_cases_fields, f);
    fields_absent(flow_solve_fields, f);
    fields_absent(flow_common_fields, f);
    f->case_file = (struct case_file){0};
}

static int choose_language(const struct flow_fields *f, struct agent_request *request,
                           struct err *err)
{
    struct run_request q = *request->run;
    const struct language *language = NULL;

    q.code = f->run.code;
    q.file = f->run.filename;
    q.language = f->run.language;
    if (!q.language && !q.code.p)
        q.language = "python";
    if (check_find_language(&q, &language, err) < 0)
        return err_wrap(err, "'language'");
    request->language = language->name;
    return 0;
}

static int read_cases(struct flow_fields *f, struct flow_input *ret, struct err *err)
{
    if (!f->cases)
        return f->func ? err_set(err, ERR_USAGE, "'func' is the function that 'cases' call") : 0;
    if (case_file_from_json(f->cases, &f->case_file, err) < 0)
        return err_wrap(err, "'cases'");
    if (f->case_file.n == 0)
        return err_set(err, ERR_USAGE, "'cases' is empty");
    f->judge =
        (struct judge_request){.cases = &f->case_file, .func = f->func, .compare = COMPARE_EXACT};
    ret->judge = &f->judge;
    return 0;
}

static int check_numbers(const struct flow_fields *f, struct err *err)
{
    if (f->temperature > 2)
        return err_set(err, ERR_USAGE, "'temperature' must be from 0 to 2");
    if (f->samples == 0 || f->samples > SAMPLES_MAX)
        return err_set(err, ERR_USAGE, "'samples' must be from 1 to %d", SAMPLES_MAX);
    return 0;
}

static int check_texts(const struct flow_fields *f, struct err *err)
{
    if (f->task && str_trim(str_from(f->task)).n == 0)
        return err_set(err, ERR_USAGE, "'task' is empty");
    if (f->run.code.p && str_trim(f->run.code).n == 0)
        return err_set(err, ERR_USAGE, "'code' is empty");
    return 0;
}

int flow_fields_input(const struct flow *flow, struct flow_fields *f, struct flow_input *ret,
                      struct agent_request *request, struct err *err)
{
    *ret = (struct flow_input){
        .task = f->task,
        .code = f->run.code,
        .samples = f->samples > 0 ? (int)f->samples : 1,
        .style = f->style ? f->style - 1 : 0,
        .calls = f->calls ? f->calls - 1 : 0,
        .one_shot = f->one_shot == TRI_TRUE,
        .check = f->answer_check,
    };
    request->has_temperature = f->temperature >= 0;
    request->temperature = f->temperature;
    if (check_numbers(f, err) < 0 || check_texts(f, err) < 0 || read_cases(f, ret, err) < 0)
        return -1;
    if (flow->needs_files && !request->run->input_count)
        return err_set(err, ERR_USAGE, "'files' is missing: they are the data");
    return choose_language(f, request, err);
}

void flow_fields_done(struct flow_fields *f)
{
    case_file_done(&f->case_file);
}
