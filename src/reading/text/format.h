/* SPDX-License-Identifier: Apache-2.0
 *
 * A run's result as text for the model that wrote the program.
 *
 *     if (format_check(document, &err) == 0)
 *         format_result(document, FORMAT_MARKDOWN, &text);
 *
 * Output may contain fences that would end its block. So in Markdown the fence is longer than any
 * in the output. The adk profile's fence is fixed: there, a line of the output that begins with a
 * fence, after any number of spaces, gets one more space, and format_extract removes it.
 */
#ifndef TEXT_FORMAT_H
#define TEXT_FORMAT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "text/blocks.h"

/* Checks that a document is a result: that of `glovebox run --json` or `glovebox test --json`. Any
 * member may be missing. -1 with ERR_USAGE if it is not a result at all. */
int format_check(const json_t *run, struct err *err);
bool format_success(const json_t *run);
/* True if the guard or a policy refused the program; format_error has the reason. */
bool format_refused(const json_t *run);
/* The reason why nothing ran, or why the outcome is unknown; "" if there is none. */
struct str format_error(const json_t *run);
/* True if the error says nothing about the program: something of this host failed or is missing. */
#define FORMAT_MACHINE "This is a failure of the machine, not of the program."
bool format_machine_failed(const json_t *run);
/* True if the program failed because it raised an exception. */
bool format_raised(const json_t *run);
/* Appends "NameError: name 'x' is not defined". */
void format_add_exception(const json_t *run, struct buf *out);
/* A member of the exception, or "". */
struct str format_exception(const json_t *run, const char *key);
/* The value of the last expression, or the final answer, or NULL. A borrowed reference. */
json_t *format_value(const json_t *run);

enum format_profile {
    FORMAT_MARKDOWN,   /* ours */
    FORMAT_ADK,        /* adk-go: in ```tool_output */
    FORMAT_ADK_INLINE, /* adk-go: one line, as far as that is possible */
    FORMAT_SMOLAGENTS, /* the observation after a step */
    FORMAT_KODEAGENT,  /* the same */
    FORMAT_CHAPTER,    /* the printed output, up to 10000 characters */
    FORMAT_AGENTOS,    /* its result as JSON */
    FORMAT_COUNT,
};

enum { FORMAT_MODEL_MAX = 32 << 10 }; /* bytes of a text in the markdown profile */
/* The text that a model reads after a run, by every door, of at most `limit` bytes: output, errors
 * without the frames of libraries, displays and the value, each with its head and tail if it is too
 * long; the reason of a failure with one piece of advice; the number of figures; up to 20 files. If
 * the document has "stdout_rest" or "stderr_rest", a shortened stream has that note about its rest.
 * -1 at the buffer's ceiling. */
int format_for_model(const json_t *run, size_t limit, struct buf *out);
/* Appends the one piece of advice for a model to an empty buffer: the exception's hint, or else the
 * first feedback that is not only about options. */
void format_advice(const json_t *run, struct buf *out);
/* As format_for_model with FORMAT_MODEL_MAX, or in the words of another system. -1 at the buffer's
 * ceiling. */
int format_result(const json_t *run, enum format_profile profile, struct buf *out);
/* adk: appends the text of the result part (parts_result). */
void format_adk_part(const json_t *run, struct buf *out);
/* chapter: appends "Problem: ..." with the program and its result, or that it failed. */
void format_solution(const json_t *run, struct str problem, struct str code, struct buf *out);

/* Calls `each` for each output in a text that format_result made in the markdown or adk profile. */
void format_extract(struct str text, enum format_profile profile,
                    void (*each)(void *ctx, struct str output), void *ctx);

extern const struct block_pair format_adk_pair;

/* The names, in the order of enum format_profile, NULL-terminated. */
extern const char *const format_profile_names[FORMAT_COUNT + 1];

/* agentos: the result as a document. With `strict`, a run (not a test) that writes to standard
 * error has failed. chapter: the results of tests. */
json_t *format_agentos_json(const json_t *run, bool strict);
/* True if the chapter profile cuts this output. */
bool format_chapter_cuts(struct str text);
json_t *format_chapter_tests(const json_t *run);

/* ---- for the profiles ---- */

/* Appends `text` between fences that it cannot end. A missing last line end is added. */
void format_fenced(struct buf *out, struct str info, struct str text);
/* Appends the reason of a failure, in a few words: "exit status 1", "out of memory". */
void format_reason(const json_t *run, struct buf *out);

#endif
