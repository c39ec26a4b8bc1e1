/* SPDX-License-Identifier: Apache-2.0 */
#include "report/run_show.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "report/report.h"
#include "workspace/workspace.h"

void run_show_bundle(struct run_show *show, const json_t *bundle)
{
    const json_t *data = json_object_get(bundle, "data");
    const json_t *text = json_object_get(data, "text/plain");
    AUTO_BUF struct buf bytes = {0};

    if (show->place.printer->mode != PRINT_OUTPUT)
        return;
    const struct bundle_form *form = bundle_best(data, &bytes);
    bool png = form && strcmp(form->end, "png") == 0;
    bool shown = png && show_picture(&show->place, buf_str(&bytes));
    if (form && form->picture && !shown)
        show->unseen++;
    if (!shown && json_is_string(text) && !(form && form->picture && !isatty(STDOUT_FILENO)))
        show_text(&show->place, (struct str){json_string_value(text), json_string_length(text)});
    show_dropped(&show->place, bundle);
}

static void save_all(const struct run_show *show, const json_t *results)
{
    struct err err;
    AUTO_CLOSE int folder = workspace_open_dir(show->place.settings->common.out, true, &err);
    json_t *bundle;
    size_t i;

    if (folder < 0) {
        report_say(show->place.settings, err.msg);
        return;
    }
    json_array_foreach(results, i, bundle)
    {
        AUTO_BUF struct buf bytes = {0};
        const struct bundle_form *form = bundle_best(json_object_get(bundle, "data"), &bytes);
        char stem[40];
        snprintf(stem, sizeof stem, "display-%zu", i + 1);
        if (form)
            show_save(&show->place, folder, stem, form->end, buf_str(&bytes));
    }
}

void run_show_end(struct run_show *show, const json_t *results)
{
    const struct cli_settings *settings = show->place.settings;

    if (settings->common.out && json_array_size(results)) {
        save_all(show, results);
    } else if (show->unseen) {
        AUTO_FREE char *line =
            show->unseen == 1
                ? xstrdup("a picture could not be shown here; --out FOLDER saves it")
                : xasprintf("%zu pictures could not be shown here; --out FOLDER saves them",
                            show->unseen);
        report_say(settings, line);
    }
}
