/* SPDX-License-Identifier: Apache-2.0
 *
 * Bundles (backends/cell_wire.h) for people: which forms can be files, and how a terminal shows
 * them. Shared by the displays of plain programs (run_show.h) and of cells (cmd_session.h).
 *
 * A bundle comes from the guest. Text goes to a terminal only without its control characters, a
 * picture only decoded and encoded again (show_image.h), and a file never replaces an existing one.
 */
#ifndef REPORT_SHOW_BUNDLE_H
#define REPORT_SHOW_BUNDLE_H

#include <jansson.h>

#include "console/options.h"
#include "report/events.h"
#include "terminal/show_image.h"

struct bundle_form {
    const char *mime, *end; /* suffix of a file's name */
    enum { FORM_TEXT, FORM_BASE64, FORM_JSON } as;
    bool picture;
    bool document; /* written as a file also if there are other forms */
};

/* The best form is first; a row without a name ends the table. */
extern const struct bundle_form bundle_forms[];

/* Decodes a form of a bundle into *ret, which is initialised here. -1 when the bundle does not have
 * it, or when the content does not match its type. */
int bundle_bytes(const json_t *data, const struct bundle_form *form, struct buf *ret);
/* The first form that the bundle has; NULL for none. */
const struct bundle_form *bundle_best(const json_t *data, struct buf *ret);

/* The place where bundles are shown. */
struct show_place {
    const struct cli_settings *settings;
    struct printer *printer; /* shows nothing unless it prints output */
    bool asked;
    struct show_terminal terminal;
};

/* False when the terminal cannot show it, or there is no terminal. */
bool show_picture(struct show_place *place, struct str png);
/* Prints one line, or several. */
void show_text(struct show_place *place, struct str text);
/* Prints which parts of the bundle were left out. */
void show_dropped(const struct show_place *place, const json_t *bundle);

/* Writes the bytes to STEM.END in a folder, or to another name if that one is taken. Prints the
 * name, or the reason for a failure. */
void show_save(const struct show_place *place, int folder, const char *stem, const char *end,
               struct str bytes);

#endif
