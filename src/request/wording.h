/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts of ours name a setting as an option of the command line: "--timeout", with a value
 * "--net=host". The users of another front door write settings in another way. An answer for them
 * gets their spelling here, by the names of request.def. Only texts of ours are changed, never what
 * the guest or the caller wrote: neither their data, nor their words in quotes, nor an option
 * that stands in their data beside the same word, nor a line of the program.
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
/* Of "fields", "options", "python"; fields for any other name. */
enum wording wording_find(struct str name);

/* Appends the spelling of an option, whose name comes without dashes, with the value that was
 * written behind it, or an empty one. false: it stays as it is. */
typedef bool wording_speller(const void *ctx, struct str option, struct str value, struct buf *b);
/* The text with all options spelled by `spell`, as a new reference. */
json_t *wording_text(struct str text, wording_speller *spell, const void *ctx);

/* What a front door does with one text; a new reference. */
typedef json_t *wording_rewrite(const void *ctx, struct str text);
struct wording_rules {
    wording_rewrite *advice; /* hints, feedback, summaries, notes */
    wording_rewrite *error;  /* the message of an error */
    const void *ctx;
};
/* Rewrites the texts of ours in the document of a run, a cell, a check, a test or an error. */
void wording_document(json_t *document, const struct wording_rules *rules);
/* The same for a front door whose spellings come from request.def. */
void wording_use(json_t *document, enum wording wording);

#endif
