/* SPDX-License-Identifier: Apache-2.0
 *
 * Our texts name a setting as an option of the command line: "--timeout", with a value
 * "--net=host". Users of another front door write settings in another way, so an answer for them
 * gets their spelling here, by the names of request.def. Only our own texts are changed. Everything
 * that the guest or the caller wrote stays: their data, quotes of it, an option that is next to the
 * same word in their data, and lines of the program.
 */
#ifndef REQUEST_WORDING_H
#define REQUEST_WORDING_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

enum wording {
    WORDING_FIELDS,  /* 'timeout_ms', of a request over HTTP */
    WORDING_OPTIONS, /* --timeout */
    WORDING_PYTHON,  /* timeout= */
};
/* Returns the wording for "fields", "options" or "python"; WORDING_FIELDS for any other name. */
enum wording wording_find(struct str name);

/* Appends the spelling of an option: its name comes without dashes, `value` is what followed it
 * after the '=', or empty. False: the option stays unchanged. */
typedef bool wording_speller(const void *ctx, struct str option, struct str value, struct buf *b);
/* Returns the text with all options spelled by `spell`, as a new reference. */
json_t *wording_text(struct str text, wording_speller *spell, const void *ctx);

/* Returns one text in the wording of a front door, as a new reference. */
typedef json_t *wording_rewrite(const void *ctx, struct str text);
struct wording_rules {
    wording_rewrite *advice; /* hints, feedback, summaries, notes */
    wording_rewrite *error;  /* the message of an error */
    const void *ctx;
};
/* Rewrites our own texts in the document of a run, a cell, a check, a test or an error. */
void wording_document(json_t *document, const struct wording_rules *rules);
/* Does this for a front door whose spellings come from request.def. */
void wording_use(json_t *document, enum wording wording);

#endif
