/* SPDX-License-Identifier: Apache-2.0 */
#include "server/mcp_line_settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "server/handle_parts.h"
#include "server/mcp_calls.h"

enum { SESSIONS = 16, MESSAGE_BYTES = 8 << 20, MESSAGE_BYTES_MIN = 64 << 10 };

#define AT(member) offsetof(struct line_fields, member)

static const struct field own_fields[] = {
    {.name = "language",
     .kind = FIELD_WORD,
     .code = CODE_NONE,
     .offset = AT(run.language),
     .initial = "auto",
     .help = "The language of calls that name none."},
    {.name = "files",
     .kind = FIELD_FILES,
     .code = CODE_READ,
     .offset = AT(run.files),
     .items = file_fields,
     .help = "Files that every sandbox begins with."},
    {.name = "languages",
     .kind = FIELD_WORDS,
     .code = CODE_NONE,
     .offset = AT(language_names),
     .help = "The only languages that are offered, the first by default."},
    {.name = "sessions",
     .kind = FIELD_COUNT,
     .offset = AT(sessions),
     .initial = "16",
     .help = "The maximum of open sessions of this connection."},
    {.name = "message_limit_bytes",
     .kind = FIELD_BYTES,
     .offset = AT(message_bytes),
     .initial = "8388608",
     .help = "The size of the longest answer."},
    {0},
};

const struct field *const line_tables[] = {own_fields,     work_fields,  wall_fields,
                                           policy_fields,  guard_fields, limit_fields,
                                           session_fields, NULL};

/* ---- fields ---- */

static int take_languages(struct line_settings *s, struct err *err)
{
    const json_t *names = s->fields.language_names;
    size_t n = json_array_size(names);

    s->languages = n ? xcalloc(n + 1, sizeof *s->languages) : NULL;
    for (size_t i = 0; i < n; i++) {
        s->languages[i] = (char *)(uintptr_t)json_string_value(json_array_get(names, i));
        if (!language_find(&s->config->settings.common.languages, str_from(s->languages[i])))
            return err_set(err, ERR_USAGE, "'languages': the language '%.40s' is not known",
                           s->languages[i]);
    }
    return 0;
}

static int take_numbers(struct line_fields *f, struct err *err)
{
    if (f->sessions < 0)
        f->sessions = SESSIONS;
    if (f->message_bytes < 0)
        f->message_bytes = MESSAGE_BYTES;
    if (f->sessions < 1)
        return err_set(err, ERR_USAGE, "'sessions' must be at least 1");
    if (f->message_bytes < MESSAGE_BYTES_MIN || f->message_bytes > MCP_MESSAGE_MAX)
        return err_set(err, ERR_POLICY,
                       "'message_limit_bytes': a daemon's answers have %d KiB to %d MiB",
                       MESSAGE_BYTES_MIN >> 10, MCP_MESSAGE_MAX >> 20);
    return 0;
}

/* The tools of a session are the client's, and not functions of a cell. */
static int refuse_tools(const struct settings *s, struct err *err)
{
    return s->tools_text.p ? err_set(err, ERR_USAGE, "'tools_source' has no effect here") : 0;
}

static int read_fields(struct line_settings *s, struct err *err)
{
    struct settings *settings = &s->fields.run.request.settings;
    struct run_request request;

    run_fields_init(&s->fields.run, &s->rules, &s->parts);
    if (fields_read(line_tables, s->doc, &s->rules, &s->fields, err) < 0 ||
        refuse_tools(settings, err) < 0 || take_languages(s, err) < 0 ||
        take_numbers(&s->fields, err) < 0)
        return -1;
    if (s->fields.run.language)
        settings->lang = (char *)(uintptr_t)s->fields.run.language;
    return request_accept(s->config, &s->rules, &s->fields.run, &s->parts, &request, err);
}

/* ---- life ---- */

static int make(struct line_settings *s, struct err *err)
{
    const struct settings *settings = &s->fields.run.request.settings;

    if (read_fields(s, err) < 0)
        return -1;
    s->rules.defaults = settings;
    s->rules.manual = NULL;
    return mcp_service_open(&s->service, &s->rules, s->languages,
                            settings->idle ? settings->idle : s->config->settings.session_idle_ms,
                            err);
}

struct line_settings *line_settings_new(struct config *config, const struct request_rules *rules,
                                        json_t *doc, struct err *err)
{
    struct line_settings *s = xcalloc(1, sizeof *s);

    atomic_init(&s->references, 1);
    s->config = config_hold(config);
    s->rules = *rules;
    s->doc = doc;
    request_parts_init(&s->parts);
    if (make(s, err) == 0)
        return s;
    line_settings_drop(s);
    return NULL;
}

struct line_settings *line_settings_hold(struct line_settings *s)
{
    atomic_fetch_add(&s->references, 1);
    return s;
}

void line_settings_drop(struct line_settings *s)
{
    if (!s || atomic_fetch_sub(&s->references, 1) != 1)
        return;
    mcp_service_close(&s->service);
    request_parts_done(&s->parts);
    free(s->languages);
    json_decref(s->doc);
    config_drop(s->config);
    free(s);
}

/* ---- files ---- */

void line_settings_add_files(const struct line_settings *s, struct request_parts *p,
                             struct run_request *request)
{
    size_t own = s->parts.input_count, all = own + p->input_count;

    /* A build has a network: what a model sends with a call is only for the program. */
    request->build_files = s->parts.inputs;
    request->build_file_count = own;
    if (!own)
        return;
    p->inputs = xrealloc_array(p->inputs, all, sizeof *p->inputs);
    p->contents = xrealloc_array(p->contents, all, sizeof *p->contents);
    memcpy(p->inputs + p->input_count, s->parts.inputs, own * sizeof *p->inputs);
    memset(p->contents + p->input_count, 0, own * sizeof *p->contents);
    p->input_count = all;
    request->inputs = p->inputs;
    request->input_count = all;
}
