/* SPDX-License-Identifier: Apache-2.0 */
#include "request/run_fields.h"

#include <stddef.h>

#define AT(member) offsetof(struct run_fields, member)

static const char *const encodings[] = {"utf8", "utf-8", "base64", NULL};

const struct field file_fields[] = {
    {.name = "name",
     .kind = FIELD_WORD,
     .code = CODE_NONE,
     .help = "Path in the workspace, such as data/a.csv."},
    {.name = "path", .kind = FIELD_WORD, .code = CODE_NONE, .help = "The same as name."},
    {.name = "content",
     .kind = FIELD_TEXT,
     .code = CODE_READ,
     .required = true,
     .help = "What is in it."},
    {.name = "encoding",
     .kind = FIELD_CHOICE,
     .choices = encodings,
     .initial = "utf8",
     .help = "How content stands for bytes."},
    {0},
};

const struct field code_fields[] = {
    {.name = "code",
     .kind = FIELD_TEXT,
     .code = CODE_READ,
     .offset = AT(code),
     .required = true,
     .help = "The program."},
    {.name = "filename",
     .kind = FIELD_WORD,
     .code = CODE_NONE,
     .offset = AT(filename),
     .help = "Its name, for messages and to tell the language by."},
    {.name = "language",
     .kind = FIELD_WORD,
     .code = CODE_NONE,
     .offset = AT(language),
     .initial = "auto",
     .help = "python, javascript, bash, r, ...; auto looks at name and text."},
    {0},
};

const struct field program_fields[] = {
    {.name = "args",
     .kind = FIELD_WORDS,
     .code = CODE_NONE,
     .offset = AT(args),
     .help = "The program's own arguments."},
    {.name = "stdin",
     .kind = FIELD_TEXT,
     .code = CODE_NONE,
     .offset = AT(input),
     .help = "Its standard input."},
    {0},
};

const struct field input_fields[] = {
    {.name = "files",
     .kind = FIELD_FILES,
     .code = CODE_READ,
     .offset = AT(files),
     .items = file_fields,
     .help = "What lies in the workspace: a list of files, or an object of "
             "texts by name."},
    {.name = "data",
     .kind = FIELD_OBJECT,
     .code = CODE_NONE,
     .offset = AT(data),
     .help = "Values that are bound to variables by name, of a Python or "
             "JavaScript program or of a session."},
    {0},
};

const struct field context_fields[] = {
    {.name = "context",
     .kind = FIELD_OBJECT,
     .code = CODE_READ,
     .offset = AT(context),
     .help = "An agent's memory between runs, the document of --context: its input files go into "
             "the workspace. The result's context is a copy with this run in it."},
    {.name = "invocation",
     .kind = FIELD_WORD,
     .code = CODE_NONE,
     .offset = AT(invocation),
     .help = "The key of this run's errors and results in the context; after retries + 1 failures, "
             "further runs of it are refused."},
    {.name = "execution_id",
     .kind = FIELD_WORD,
     .code = CODE_NONE,
     .offset = AT(execution_id),
     .help = "Is written into the context."},
    {0},
};

/* The tables of request.def, without LOCAL rows. */
#define FIELD_ROW(id, text)                                                                        \
    {.name = (text),                                                                               \
     .kind = FIELD_SETTING,                                                                        \
     .offset = AT(request),                                                                        \
     .setting = &settings_all[SETTING_##id]},
#define SETTING(id, name, field, ...)  FIELD_ROW(id, field)
#define NEGATION(id, name, field, ...) FIELD_ROW(id, field)
#define LIMIT(id, name, field, ...)    FIELD_ROW(id, field)
#define TABLE(name)                    const struct field name##_fields[] = {
#define TABLE_END                                                                                  \
    {                                                                                              \
        0                                                                                          \
    }                                                                                              \
    }                                                                                              \
    ;
#include "request/request.def"

const struct field answer_fields[] = {
    {.name = "deadline_ms",
     .kind = FIELD_MS,
     .offset = AT(deadline_ms),
     .initial = "0 (none)",
     .help = "When an answer is no use any more, from the request's arrival "
             "on. A request that still "
             "waits for its turn then is answered 503, one that runs is ended "
             "and answered 504."},
    {0},
};

const struct field collect_fields[] = {
    {.name = "collect",
     .kind = FIELD_BOOL,
     .offset = AT(collect),
     .initial = "false",
     .help = "Return the content of new and changed files, as content_base64 "
             "in the result's files."},
    {.name = "collect_bytes",
     .kind = FIELD_BYTES,
     .offset = AT(collect_bytes),
     .initial = "what the daemon allows at most",
     .help = "Most that they may have together; what does not fit is left out "
             "and said."},
    {0},
};

void run_fields_init(struct run_fields *fields, const struct request_rules *rules,
                     struct request_parts *parts)
{
    static const struct field *const own[] = {code_fields,    program_fields, input_fields,
                                              context_fields, answer_fields,  collect_fields};

    fields->request = (struct request_settings){*rules->defaults, &parts->lent};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        fields_absent(own[i], fields);
}
