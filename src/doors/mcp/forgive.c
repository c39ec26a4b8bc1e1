/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/forgive.h"

#include <string.h>

#include "agent/work_places.h"
#include "base/mem.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "text/blocks.h"

struct name_pair {
    const char *other, *ours;
};

static const struct name_pair tool_names[] = {
    {"python", "execute_code"},
    {"run_python", "execute_code"},
    {"execute_python", "execute_code"},
    {"python_interpreter", "execute_code"},
    {"run_code", "execute_code"},
    {"code_interpreter", "execute_code"},
    {"code_execution", "execute_code"},
    {"run_python_code", "execute_code"},
    {"bash", "run_command"},
    {"shell", "run_command"},
    {"execute_command", "run_command"},
    {"run_shell", "run_command"},
    {"terminal", "run_command"},
    {"run_bash", "run_command"},
    {"test", "test_code"},
    {"run_tests", "test_code"},
    {"new_session", "create_session"},
    {"open_session", "create_session"},
    {"ls", "list_files"},
    {"list_directory", "list_files"},
};

static const struct name_pair argument_names[] = {
    {"source", "code"},
    {"script", "code"},
    {"program", "code"},
    {"python_code", "code"},
    {"source_code", "code"},
    {"command", "code"},
    {"cmd", "command"},
    {"shell_command", "command"},
    {"code", "command"},
    {"lang", "language"},
    {"session", "session_id"},
    {"sessionId", "session_id"},
    {"file", "path"},
    {"filename", "path"},
    {"file_path", "path"},
    {"filepath", "path"},
    {"name", "path"},
    {"contents", "content"},
    {"text", "content"},
    {"data", "content"},
    {"file_text", "content"},
    {"input", "stdin"},
    {"input_files", "files"},
    {"tests", "cases"},
    {"test_cases", "cases"},
    {"function", "func"},
    {"function_name", "func"},
    {"entry_point", "func"},
    {"cwd", "working_directory"},
    {"workdir", "working_directory"},
    {"work_dir", "working_directory"},
    {"working_dir", "working_directory"},
    {"workingDirectory", "working_directory"},
    {"directory", "working_directory"},
    {"timeout_seconds", "timeout"},
    {"timeout_s", "timeout"},
    {"timeoutSeconds", "timeout"},
};

struct str forgive_tool(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(tool_names); i++)
        if (str_is_nocase(name, tool_names[i].other))
            return str_from(tool_names[i].ours);
    return name;
}

static bool tool_has(const struct mcp_tool *tool, const char *field)
{
    struct ask_walk walk = {0};
    const struct setting *row;

    while ((row = ask_next(&tool->form, &walk)))
        if (strcmp(row->field, field) == 0)
            return true;
    return false;
}

static bool is_absent(const json_t *arguments, const char *name)
{
    const json_t *value = json_object_get(arguments, name);

    return !value || json_is_null(value);
}

/* Gives an argument its name here, if the tool has one of this name that the call lacks. */
static void rename_argument(const struct mcp_tool *tool, json_t *arguments, const char *other,
                            const char *ours, double scale)
{
    json_t *value = json_object_get(arguments, other);

    if (!value || tool_has(tool, other) || !tool_has(tool, ours) || !is_absent(arguments, ours))
        return;
    if (scale < 1 && !json_is_number(value))
        return; /* the error then names the argument that was sent */
    if (scale < 1)
        json_object_set_new(arguments, ours, json_real(json_number_value(value) * scale));
    else
        json_object_set(arguments, ours, value);
    json_object_del(arguments, other);
}

/* ---- fences ---- */

static void forgive_fences(const struct mcp_tool *tool, json_t *arguments, const char *name)
{
    struct str text = str_trim(json_str(json_object_get(arguments, name)));
    struct code_blocks blocks;

    if (!str_starts(text, "```") || !tool_has(tool, name))
        return;
    blocks_read(text, &blocks);
    if (blocks.n == 1) { /* of several, one alone would be another program */
        struct str language = blocks.at[0].language;
        if (language.n && tool_has(tool, "language") && is_absent(arguments, "language") &&
            is_absent(arguments, "session_id"))
            json_object_set_new(arguments, "language", json_text(language));
        json_object_set_new(arguments, name, json_text(blocks.at[0].code));
    }
    blocks_done(&blocks);
}

/* ---- paths ---- */

static void forgive_path(json_t *object, const char *name)
{
    struct str path = json_str(json_object_get(object, name)), rest = work_place_rest(path);

    if (rest.n && rest.n < path.n)
        json_object_set_new(object, name, json_text(rest));
}

/* Unlike that of a file, the path of a folder may be all of a place. */
static void forgive_folder(json_t *arguments)
{
    struct str path = json_str(json_object_get(arguments, "working_directory")),
               rest = work_place_rest(path);

    if (rest.n < path.n)
        json_object_set_new(arguments, "working_directory", json_text(rest));
}

/* The members keep their order. */
static json_t *forgive_names(json_t *files)
{
    json_t *ours = json_object(), *content;
    const char *name;

    json_object_foreach(files, name, content)
    {
        struct str rest = work_place_rest(str_from(name));
        json_object_set(ours, rest.n ? rest.p : name, content);
    }
    return ours;
}

static void forgive_files(json_t *arguments)
{
    json_t *files = json_object_get(arguments, "files"), *file;
    size_t i;

    json_array_foreach(files, i, file)
    {
        forgive_path(file, "name");
        forgive_path(file, "path");
    }
    if (json_is_object(files))
        json_object_set_new(arguments, "files", forgive_names(files));
}

void forgive_arguments(const struct mcp_tool *tool, json_t *arguments)
{
    for (size_t i = 0; i < ARRAY_LEN(argument_names); i++)
        rename_argument(tool, arguments, argument_names[i].other, argument_names[i].ours, 1);
    rename_argument(tool, arguments, "timeout_ms", "timeout", 0.001);
    forgive_fences(tool, arguments, "code");
    forgive_fences(tool, arguments, "command");
    forgive_path(arguments, "path");
    forgive_folder(arguments);
    forgive_files(arguments);
}
