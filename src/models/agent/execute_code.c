/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/execute_code.h"

#include <stdlib.h>
#include <string.h>

#include "agent/work_places.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "workspace/workspace.h"

enum {
    ARGUMENTS_MAX = 24 << 20, /* bytes; room for files */
    VARIABLES_MAX = 100,
    FILES_MAX = 100,
    SECONDS_MAX = 86400,
};

/* ---- the schema ---- */

static const struct {
    const char *name, *type, *description;
    bool required, in_task;
} fields[] = {
    {"code", "string", "The whole program. Print the results.", true, true},
    {"language", "string", "The program's language. It may be left out.", false, true},
    {"timeout_seconds", "number", "The time it may take. The sandbox's own limit may be lower.",
     false, true},
    {"execution_id", "string", "A name for the run; the reply repeats it.", false, false},
    {"working_directory", "string", "The folder to run in, such as src.", false, true},
    {"environment", "object", "Environment variables: names and strings.", false, false},
    {"input_files", "array", "Files for the current folder, beside the program.", false, false},
};

const char *execute_code_description(enum execute_schema which)
{
    return which == EXECUTE_IN_TASK
               ? "Runs a program in a sandbox and returns its output. Variables and files last "
                 "from "
                 "one call to the next for programs in the task's language; a program in another "
                 "language runs alone."
               : "Runs a program in a sandbox and returns its output and the files that it wrote. "
                 "Nothing lasts from one call to the next.";
}

static void execute_code_add_language(void *ctx, const struct language *language)
{
    json_array_append_new(ctx, json_string(language->name));
}

/* The list has "shell", too: some models use that name for Bash. */
static json_t *language_names(const struct language_table *languages)
{
    json_t *names = json_array();

    language_each(languages, execute_code_add_language, names);
    json_array_append_new(names, json_string("shell"));
    return names;
}

static json_t *file_schema(void)
{
    return json_pack(
        "{s:s, s:{s:{s:s, s:s}, s:{s:s, s:s}, s:{s:s, s:[s, s], s:s}, s:{s:s}}, s:[s, s]}", "type",
        "object", "properties", "name", "type", "string", "description",
        "Its path in the current folder.", "content", "type", "string", "description",
        "Text, or base64.", "encoding", "type", "string", "enum", "text", "base64", "description",
        "If absent, content that is valid base64 is read as base64, other content as "
        "text.",
        "mime_type", "type", "string", "required", "name", "content");
}

static json_t *field_schema(size_t i, const struct language_table *languages)
{
    json_t *field =
        json_pack("{s:s, s:s}", "type", fields[i].type, "description", fields[i].description);

    if (strcmp(fields[i].name, "language") == 0)
        json_object_set_new(field, "enum", language_names(languages));
    if (strcmp(fields[i].name, "timeout_seconds") == 0)
        json_object_set_new(field, "default", json_integer(30));
    if (strcmp(fields[i].name, "environment") == 0)
        json_object_set_new(field, "additionalProperties", json_pack("{s:s}", "type", "string"));
    if (strcmp(fields[i].name, "input_files") == 0)
        json_object_set_new(field, "items", file_schema());
    return field;
}

json_t *execute_code_schema(enum execute_schema which, const struct language_table *languages)
{
    json_t *properties = json_object(), *required = json_array();

    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        if (which == EXECUTE_IN_TASK && !fields[i].in_task)
            continue;
        json_object_set_new(properties, fields[i].name, field_schema(i, languages));
        if (fields[i].required)
            json_array_append_new(required, json_string(fields[i].name));
    }
    return json_pack("{s:s, s:o, s:o}", "type", "object", "properties", properties, "required",
                     required);
}

/* ---- a call ---- */

static int read_asked_code(struct execute_call *call, struct err *err)
{
    const json_t *code = json_object_get(call->arguments, "code");

    if (!code)
        return err_set(err, ERR_GUEST, "the argument 'code' is missing");
    if (!json_is_string(code))
        return err_set(err, ERR_GUEST, "the argument 'code' is not a string");
    call->code = json_str(code);
    if (str_trim(call->code).n == 0)
        return err_set(err, ERR_GUEST, "the argument 'code' is empty");
    return call->code.n <= RUN_SOURCE_MAX
               ? 0
               : err_set(err, ERR_GUEST, "the program is larger than %u MiB", RUN_SOURCE_MAX >> 20);
}

static int read_language(struct execute_call *call, const struct language_table *languages,
                         struct err *err)
{
    const json_t *given = json_object_get(call->arguments, "language");
    struct str name = str_trim(json_str(given));

    if (given && !json_is_null(given) && !json_is_string(given))
        return err_set(err, ERR_GUEST, "the argument 'language' is not a string");
    if (!name.n || str_is_nocase(name, "auto"))
        return 0;
    const struct language *language = language_find(languages, name);
    if (!language)
        return err_set(err, ERR_GUEST, "the language '%.*s' is not known; try python or bash",
                       (int)utf8_cut(name, 40), name.p);
    call->language = language->name;
    return 0;
}

static int read_time(struct execute_call *call, struct err *err)
{
    const json_t *given = json_object_get(call->arguments, "timeout_seconds");
    double seconds = json_number_value(given);

    if (!given || json_is_null(given))
        return 0;
    if (!json_is_number(given) || !(seconds > 0 && seconds <= SECONDS_MAX))
        return err_set(err, ERR_GUEST,
                       "the argument 'timeout_seconds' is not a number from 0.001 to %d",
                       SECONDS_MAX);
    call->wall_ms = (int64_t)(seconds * 1000);
    if (call->wall_ms < 1)
        call->wall_ms = 1;
    return 0;
}

/* Models write it by several names. */
static const json_t *asked_folder(const struct execute_call *call)
{
    static const char *const names[] = {"working_directory", "cwd",         "workdir",
                                        "work_dir",          "working_dir", "directory"};
    const json_t *given = NULL;

    for (size_t i = 0; i < ARRAY_LEN(names) && !given; i++)
        given = json_object_get(call->arguments, names[i]);
    return given;
}

static int read_folder(struct execute_call *call, struct err *err)
{
    const json_t *given = asked_folder(call);
    struct str name = work_place_rest(str_trim(json_str(given))), folder;

    if (!given || json_is_null(given))
        return 0;
    if (!json_is_string(given))
        return err_set(err, ERR_GUEST, "the argument 'working_directory' is not a string");
    if (workspace_folder(name, &folder, err) < 0) {
        err->kind = ERR_GUEST;
        return -1;
    }
    if (folder.n)
        call->cwd = xstrndup(folder.p, folder.n);
    return 0;
}

/* A name without a value would copy the variable from the host. */
static int read_environment(struct execute_call *call, struct err *err)
{
    json_t *given = json_object_get(call->arguments, "environment"), *value;
    const char *name;
    size_t n = 0;

    if (!given || json_is_null(given))
        return 0;
    if (!json_is_object(given) || json_object_size(given) > VARIABLES_MAX)
        return err_set(err, ERR_GUEST,
                       "the argument 'environment' is not an object with at most %d strings",
                       VARIABLES_MAX);
    call->env = xcalloc(json_object_size(given) + 1, sizeof *call->env);
    json_object_foreach(given, name, value)
    {
        struct str text = json_str(value);
        if (!*name || strchr(name, '=') || !json_is_string(value) || memchr(text.p, '\0', text.n) ||
            strlen(name) + text.n >= RUN_ARGUMENT_MAX)
            return err_set(err, ERR_GUEST, "the environment variable '%.40s' is not valid", name);
        call->env[n++] = xasprintf("%s=%s", name, text.p);
    }
    return 0;
}

/* "abcd" is valid as text and as base64: if the call names no encoding, it is read as base64. */
static int execute_code_read_content(const json_t *file, struct str *ret)
{
    struct str content = json_str(json_object_get(file, "content"));
    struct str encoding = json_str(json_object_get(file, "encoding"));
    char *bytes = xmalloc(content.n + 1);
    ssize_t n = str_is(encoding, "text") || (!encoding.n && content.n % 4)
                    ? -1
                    : base64_decode(content, bytes);

    if (n < 0 && str_is(encoding, "base64")) {
        free(bytes);
        return -1;
    }
    if (n < 0)
        memcpy(bytes, content.p, content.n);
    *ret = (struct str){bytes, n < 0 ? content.n : (size_t)n};
    return 0;
}

static int execute_code_read_file(struct execute_call *call, const json_t *file, struct err *err)
{
    struct str name = json_str(json_object_get(file, "name"));
    struct named_bytes *input = &call->inputs[call->input_count];

    if (!name.n || memchr(name.p, '\0', name.n) ||
        !json_is_string(json_object_get(file, "content")))
        return err_set(err, ERR_GUEST, "an input file needs the strings 'name' and 'content'");
    if (execute_code_read_content(file, &input->bytes) < 0)
        return err_set(err, ERR_GUEST, "the input file '%.*s' is not valid base64",
                       (int)utf8_cut(name, 100), name.p);
    input->name = name;
    call->input_count++;
    return 0;
}

static int read_files(struct execute_call *call, struct err *err)
{
    const json_t *given = json_object_get(call->arguments, "input_files"), *file;
    size_t i;

    if (!given || json_is_null(given))
        return 0;
    if (!json_is_array(given) || json_array_size(given) > FILES_MAX)
        return err_set(err, ERR_GUEST,
                       "the argument 'input_files' is not a list of at most %d files", FILES_MAX);
    call->inputs = xcalloc(json_array_size(given) + 1, sizeof *call->inputs);
    json_array_foreach(given, i, file)
    {
        if (execute_code_read_file(call, file, err) < 0)
            return -1;
    }
    return 0;
}

static int parse(struct execute_call *call, struct str arguments, struct err *err)
{
    json_error_t where;

    if (arguments.n > ARGUMENTS_MAX)
        return err_set(err, ERR_GUEST, "the arguments are larger than %d MiB", ARGUMENTS_MAX >> 20);
    call->arguments = json_loadb(arguments.p, arguments.n, JSON_REJECT_DUPLICATES, &where);
    if (!call->arguments)
        return err_set(err, ERR_GUEST, "the arguments are not valid JSON: line %d: %.160s",
                       where.line, where.text);
    return json_is_object(call->arguments)
               ? 0
               : err_set(err, ERR_GUEST, "the arguments are not a JSON object");
}

int execute_call_read(struct execute_call *call, struct str arguments,
                      const struct language_table *languages, struct err *err)
{
    *call = (struct execute_call){0};
    if (parse(call, arguments, err) < 0 || read_asked_code(call, err) < 0 ||
        read_language(call, languages, err) < 0 || read_time(call, err) < 0 ||
        read_folder(call, err) < 0 || read_environment(call, err) < 0 || read_files(call, err) < 0)
        return -1;
    call->id = json_get_text(call->arguments, "execution_id");
    return 0;
}

void execute_call_done(struct execute_call *call)
{
    for (char **pair = call->env; pair && *pair; pair++)
        free(*pair);
    for (size_t i = 0; i < call->input_count; i++)
        free((char *)(uintptr_t)call->inputs[i].bytes.p);
    free(call->cwd);
    free(call->env);
    free(call->all_env);
    free(call->inputs);
    json_decref(call->arguments);
    *call = (struct execute_call){0};
}

static size_t execute_code_count(char *const *list)
{
    size_t n = 0;

    while (list && list[n])
        n++;
    return n;
}

/* The request's own variables first, then those of the call. */
static char *const *join_env(struct execute_call *call, char *const *own)
{
    size_t own_n = execute_code_count(own), n = execute_code_count(call->env);

    free(call->all_env);
    call->all_env = xcalloc(own_n + n + 1, sizeof *call->all_env);
    for (size_t i = 0; i < own_n; i++)
        call->all_env[i] = own[i];
    for (size_t i = 0; i < n; i++)
        call->all_env[own_n + i] = call->env[i];
    return call->all_env;
}

void execute_call_apply(struct execute_call *call, struct run_request *request)
{
    int64_t *wall_ms = &request->limits.wall_ms;

    request->program.code = call->code;
    request->program.file = NULL;
    if (call->language)
        request->program.language = call->language;
    if (call->cwd)
        request->workspace.cwd = call->cwd;
    if (call->env)
        request->program.env = join_env(call, request->program.env);
    if (call->inputs) {
        request->workspace.inputs = call->inputs;
        request->workspace.input_count = call->input_count;
    }
    if (call->wall_ms && (!*wall_ms || call->wall_ms < *wall_ms))
        *wall_ms = call->wall_ms;
}

/* ---- the reply ---- */

json_t *execute_why(const json_t *run)
{
    AUTO_BUF struct buf text = {0};

    if (format_success(run))
        return json_null();
    buf_init(&text, 64 << 10);
    if (format_raised(run))
        format_add_exception(run, &text);
    else
        format_reason(run, &text);
    return json_text(buf_str(&text));
}

static json_t *files_of(const json_t *run)
{
    json_t *list = json_array();
    const json_t *file;
    size_t i;

    json_array_foreach(json_object_get(run, "files"), i, file) json_array_append_new(
        list, json_pack("{s:o, s:o, s:I}", "name", json_text(json_get_str(file, "path")),
                        "mime_type", json_text(json_get_str(file, "mime")), "size",
                        (json_int_t)json_get_int(file, "size")));
    return list;
}

json_t *execute_reply(const json_t *run, const char *id)
{
    if (!id)
        id = json_get_text(run, "id");
    return json_pack("{s:b, s:I, s:f, s:o?, s:o, s:o, s:o, s:O?, s:o}", "success",
                     format_success(run), "exit_code", (json_int_t)json_get_int(run, "exit_code"),
                     "execution_time", (double)json_get_int(run, "duration_ms") / 1000,
                     "execution_id", id ? json_text(str_from(id)) : NULL, "stdout",
                     json_text(json_get_str(run, "stdout")), "stderr",
                     json_text(json_get_str(run, "stderr")), "error", execute_why(run), "value",
                     format_value(run), "output_files", files_of(run));
}

json_t *execute_refusal(const char *why_not)
{
    return json_pack("{s:b, s:i, s:f, s:n, s:s, s:s, s:o, s:n, s:[]}", "success", 0, "exit_code",
                     -1, "execution_time", 0.0, "execution_id", "stdout", "", "stderr", "", "error",
                     json_text(str_from(why_not)), "value", "output_files");
}
