/* SPDX-License-Identifier: Apache-2.0
 *
 * A run's result as text for the model that wrote the program.
 *
 *     struct finished run;
 *     if (finished_read(document, &run, &err) == 0)
 *         format_result(&run, FORMAT_MARKDOWN, &text);
 *     finished_done(&run);
 *
 * Output may hold what ends a block. In Markdown the fence is then longer than any in the output.
 * The adk profile's fence is fixed: there a line of the output that begins with a fence, behind any
 * number of spaces, gets one space more, and format_extract takes it off again.
 */
#ifndef TEXT_FORMAT_H
#define TEXT_FORMAT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "text/blocks.h"

struct finished_file {
    struct str name, mime;
    int64_t size;
};

/* What `glovebox run --json` says, as far as texts need it. All strings are the document's. */
struct finished {
    struct str out, err;
    bool success, timed_out, out_of_memory;
    bool refused; /* by the guard or a policy; `error` says why */
    int64_t exit_code, signal;
    struct str error;          /* nothing ran, or what came of it is not known */
    struct str exception_type; /* empty for none */
    struct str exception_message, exception_traceback, hint;
    bool reported_beside; /* E2B's interpreter reports an exception beside the output */
    struct str exception_file, exception_statement;
    int64_t exception_line;
    const json_t *value; /* of the last expression, or the final answer; NULL for none */
    struct finished_file *files;
    size_t file_n;
    int64_t duration_ms, timeout_ms; /* 0: not said */
    double memory_mb;
    /* Of `glovebox test`; NULL for a run. */
    const json_t *tests;
    int64_t total, passed, unjudged;
    bool all_passed;
};

/* Fields that are missing are as after a run that said nothing. -1 with ERR_USAGE when it is no
 * result at all. */
int finished_read(const json_t *document, struct finished *ret, struct err *err);
void finished_done(struct finished *run);

enum format_profile {
    FORMAT_MARKDOWN,   /* ours */
    FORMAT_ADK,        /* adk-go: in ```tool_output */
    FORMAT_ADK_INLINE, /* adk-go: one line, as good as it goes */
    FORMAT_SMOLAGENTS, /* the observation after a step */
    FORMAT_KODEAGENT,  /* the same */
    FORMAT_CHAPTER,    /* what it printed, up to 10000 characters */
    FORMAT_AGENTOS,    /* its result as JSON */
    FORMAT_COUNT,
};

/* -1 at the buffer's ceiling. */
int format_result(const struct finished *run, enum format_profile profile, struct buf *out);
/* adk: the text of the result part that parts_result wraps. */
void format_adk_part(const struct finished *run, struct buf *out);
/* chapter: "Problem: ..." with the program and its result, or that it failed. */
void format_solution(const struct finished *run, struct str problem, struct str code,
                     struct buf *out);

/* The outputs in text that format_result made in the markdown or adk profile, each calling back. */
void format_extract(struct str text, enum format_profile profile,
                    void (*each)(void *ctx, struct str output), void *ctx);

extern const struct block_pair format_adk_pair;

/* The names, in the order of enum format_profile, and a NULL. */
extern const char *const format_profile_names[FORMAT_COUNT + 1];

/* agentos: the result as a document; `strict` says that a run, not a test, which writes to standard
 * error has failed. chapter: what came of tests. */
json_t *format_agentos_json(const struct finished *run, bool strict);
/* Whether the chapter profile has cut the output; `text` is what it wrote. */
bool format_chapter_cuts(struct str text);
json_t *format_chapter_tests(const struct finished *run);

/* ---- for the profiles ---- */

/* `text` between fences that it cannot end. A last line that does not end is closed. */
void format_fenced(struct buf *out, struct str info, struct str text);
/* Why it failed, in a few words: "exit status 1", "out of memory". */
void format_reason(const struct finished *run, struct buf *out);

#endif
