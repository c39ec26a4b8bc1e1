/* SPDX-License-Identifier: Apache-2.0
 *
 * Bundles (session/cell_wire.h) for people: which forms can be files, and what a terminal gets of
 * them. Shared by what plain programs show (run_show.h) and what cells do (cmd_session.h).
 *
 * A bundle is the guest's. Text goes to a terminal only without its control characters, a picture
 * only decoded and encoded anew (show_image.h), a file never over one that is there.
 */
#ifndef CLI_SHOW_BUNDLE_H
#define CLI_SHOW_BUNDLE_H

#include <jansson.h>

#include "cli/events.h"
#include "cli/options.h"
#include "cli/show_image.h"

struct bundle_form {
    const char *mime, *end; /* a file's name's */
    enum { FORM_TEXT, FORM_BASE64, FORM_JSON } as;
    bool picture;
    bool document; /* worth a file also beside others */
};

/* The best first; a row without a name ends them. */
extern const struct bundle_form bundle_forms[];

/* What a bundle has in a form, into *ret, which is initialised here. -1 when it has none, or what
 * is not what its type says. */
int bundle_bytes(const json_t *data, const struct bundle_form *form, struct buf *ret);
/* The first form that it has; NULL for none. */
const struct bundle_form *bundle_best(const json_t *data, struct buf *ret);

/* Where it is shown. */
struct show_place {
    const struct cli_settings *settings;
    struct printer *printer; /* shows nothing unless it prints output */
    bool asked;
    struct show_terminal terminal;
};

/* False when the terminal cannot, or there is none. */
bool show_picture(struct show_place *place, struct str png);
/* A line, or several. */
void show_text(struct show_place *place, struct str text);
/* What the bundle had and was left out of it. */
void show_dropped(const struct show_place *place, const json_t *bundle);

/* Writes STEM.END into a folder, or under another name where there is something of that name; says
 * which, or why not. */
void show_save(const struct show_place *place, int folder, const char *stem, const char *end,
               struct str bytes);

#endif
