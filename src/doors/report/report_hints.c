/* SPDX-License-Identifier: Apache-2.0
 *
 * Advice for people, and for agents that call the command. JSON has the same in the result's
 * `feedback` and `files`.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "console/misspelt.h"
#include "explain/feedback.h"
#include "formats/encoded.h"
#include "formats/json_get.h"
#include "languages/elsewhere.h"
#include "registry/registry.h"
#include "report/report.h"
#include "run/prepare.h"

enum { NAMES_SHOWN = 3 };

static bool are_wanted(const struct cli_settings *settings)
{
    return !settings->json && !settings->common.events && hints_are_wanted();
}

/* Returns the module that the program's Python lacks; empty for another failure. */
static struct str missing_module(const json_t *doc)
{
    const json_t *e = json_object_get(doc, "exception");
    const char *type = json_string_value(json_object_get(e, "type"));
    struct str message = str_from(json_string_value(json_object_get(e, "message")));
    struct str lead = STR("No module named '");

    if (!type || strcmp(type, "ModuleNotFoundError") != 0 || !str_starts(message, lead.p) ||
        !str_ends(message, "'"))
        return STR("");
    return str_slice(message, lead.n, message.n - 1);
}

/* True if the program ran with an interpreter of this host. */
static bool ran_here(const json_t *doc)
{
    struct err err;
    const struct backend *backend = backend_find(json_get_str(doc, "backend"), &err);

    return backend && !backend->interpreter;
}

/* True if another Python of this host has the module; prints which one. */
static bool say_elsewhere(const struct report *how, const json_t *doc)
{
    struct str module = missing_module(doc);
    AUTO_FREE char *python = module.n && ran_here(doc) ? python_elsewhere(module) : NULL;

    if (!python)
        return false;
    AUTO_FREE char *line = xasprintf("hint: another Python has '%.*s': --python %s uses it",
                                     (int)module.n, module.p, python);
    report_say(how->settings, line);
    return true;
}

/* The first advice that is about the program's failure, not about a test that failed. */
static const char *first_advice(const json_t *doc)
{
    const json_t *text;
    size_t i;

    json_array_foreach(json_object_get(doc, "feedback"), i, text)
    {
        if (!str_starts(json_str(text), FEEDBACK_TEST))
            return json_string_value(text);
    }
    return NULL;
}

/* True if nothing is known about the error, so that the text is only the error itself. */
static bool repeats_error(const char *text, const json_t *doc)
{
    const char *type = json_get_text(json_object_get(doc, "exception"), "type");

    return type && *type && str_starts(str_from(text), type);
}

/* A refusal's findings have hints of their own, and the line about a limit names its option. */
static void say_advice(const struct report *how, const json_t *doc)
{
    const char *text = first_advice(doc);
    const char *type = json_string_value(json_object_get(doc, "error_type"));

    if (!text || !type || strcmp(type, "guest") != 0 || feedback_is_general(text) ||
        repeats_error(text, doc) || say_elsewhere(how, doc))
        return;
    AUTO_FREE char *line = xasprintf("hint: %.*s", (int)strcspn(text, "\n"), text);
    report_say(how->settings, line);
}

static void say_lost_files(const struct report *how, const json_t *doc)
{
    AUTO_BUF struct buf b = {0};
    const json_t *file;
    size_t i, n = 0;

    if (!how->files || how->settings->common.out || how->settings->common.work_dir)
        return;
    buf_init(&b, 16 << 10);
    (void)buf_adds(&b, "not kept: ");
    json_array_foreach(json_object_get(doc, "files"), i, file)
    {
        const char *change = json_string_value(json_object_get(file, "change"));
        const char *path = json_string_value(json_object_get(file, "path"));
        if (change && path && strcmp(change, "new") == 0 && ++n <= NAMES_SHOWN)
            (void)buf_addf(&b, "%s%s", n > 1 ? ", " : "", path);
    }
    if (n > NAMES_SHOWN)
        (void)buf_addf(&b, " and %zu more", n - NAMES_SHOWN);
    (void)buf_adds(&b, " (--out DIR keeps new files)");
    if (n)
        report_say(how->settings, b.p);
}

/* Not a hint: another version may give other results. */
static void say_other_python(const struct report *how, const json_t *doc)
{
    const json_t *warning;
    size_t i;

    json_array_foreach(json_object_get(doc, "warnings"), i, warning)
    {
        const char *text = json_string_value(warning);
        if (text && strncmp(text, PREPARE_PYTHON_WARNING, strlen(PREPARE_PYTHON_WARNING)) == 0)
            report_say(how->settings, text);
    }
}

void report_hints(const struct report *how, const json_t *doc)
{
    if (!how->settings->json && !how->settings->common.events)
        say_other_python(how, doc);
    if (!are_wanted(how->settings))
        return;
    if (json_is_true(json_object_get(doc, "success")))
        say_lost_files(how, doc);
    else
        say_advice(how, doc);
}
