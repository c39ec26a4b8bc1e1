/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "formats/json_get.h"
#include "remote/cmd_session.h"
#include "report/report.h"

enum { FILES_PER_CELL_MAX = 1000 };

static void save_all(struct cell_show *show, const json_t *data)
{
    for (const struct bundle_form *form = bundle_forms; form->mime; form++) {
        AUTO_BUF struct buf bytes = {0};
        char stem[40];
        if (!form->document || bundle_bytes(data, form, &bytes) < 0 ||
            show->saved == FILES_PER_CELL_MAX)
            continue;
        snprintf(stem, sizeof stem, "cell%u-%u", show->cell, ++show->saved);
        show_save(&show->place, show->out_fd, stem, form->end, buf_str(&bytes));
    }
}

void cell_show_bundle(struct cell_show *show, const json_t *bundle)
{
    const json_t *data = json_object_get(bundle, "data");
    const json_t *text = json_object_get(data, "text/plain");
    AUTO_BUF struct buf png = {0};

    if (show->out_fd >= 0)
        save_all(show, data);
    if (show->place.printer->mode != PRINT_OUTPUT)
        return;
    bool shown = bundle_bytes(data, &bundle_forms[0], &png) == 0 &&
                 show_picture(&show->place, buf_str(&png));
    if (!shown && json_is_string(text))
        show_text(&show->place, (struct str){json_string_value(text), json_string_length(text)});
    show_dropped(&show->place, bundle);
}

void cell_show_value(struct cell_show *show, const json_t *results)
{
    json_t *bundle;
    size_t i;

    json_array_foreach(results, i, bundle)
    {
        const char *kind = json_string_value(json_object_get(bundle, "kind"));
        if (kind && strcmp(kind, "value") == 0)
            cell_show_bundle(show, bundle);
    }
}

static bool is_dropped(const json_t *cell)
{
    const char *attempt = json_get_text(cell, "attempt");

    return attempt && strcmp(attempt, cell_attempt_name(CELL_DROPPED)) == 0;
}

bool cell_ended_session(const json_t *doc)
{
    const json_t *cell = json_object_get(doc, "cell");
    const char *ended = json_get_text(cell, "ended");

    return ended && !is_dropped(cell) &&
           (strcmp(ended, cell_end_name(CELL_KILLED)) == 0 ||
            strcmp(ended, cell_end_name(CELL_DIED)) == 0);
}

void cell_report(const struct cli_settings *settings, struct printer *printer, const json_t *doc)
{
    const json_t *cell = json_object_get(doc, "cell");
    AUTO_FREE char *shown = xasprintf("<cell %lld>", (long long)json_get_int(cell, "number"));
    const struct report how = {.settings = settings, .shown = shown, .begin_ns = clock_mono_ns()};

    report_result(&how, printer, doc);
    if (is_dropped(cell) && !settings->json && !settings->common.events)
        report_say(settings, "nothing of the cell is kept: the session is as it was before");
}
