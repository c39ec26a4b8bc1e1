/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides whether a failed request gets another attempt, and when.
 */
#ifndef LLM_RETRY_H
#define LLM_RETRY_H

#include <jansson.h>
#include <stdint.h>

#include "base/str.h"

/* if a server asks for a longer wait, there is no further attempt */
enum { RETRY_WAIT_MAX_MS = 60000 };

/* True for 429 and 5xx, unless the server reports that no attempt can help (x-should-retry: false,
 * or a quota that is used up). Other 4xx are errors of the request. */
bool retry_worth(unsigned status, struct str header_lines, const json_t *document);
/* The wait that the server asks for, in milliseconds: retry-after-ms, Retry-After as seconds or as
 * a date (compared with the server's own clock if it sent one), or Gemini's RetryInfo; -1 for
 * nothing. */
int64_t retry_asked_ms(struct str header_lines, const json_t *document);
/* The wait if the server asks for none: 0.5 s, doubled for each attempt up to 8 s, then shortened
 * by up to a quarter that `random` decides. */
int64_t retry_backoff_ms(int attempt, unsigned random);

#endif
