/* SPDX-License-Identifier: Apache-2.0
 *
 * When a request is worth another attempt, and when.
 */
#ifndef LLM_RETRY_H
#define LLM_RETRY_H

#include <jansson.h>
#include <stdint.h>

#include "base/str.h"

enum { RETRY_WAIT_MAX_MS = 60000 }; /* a server that asks for more gets no further attempt */

/* 429 and 5xx, unless the server says that no attempt can help (x-should-retry: false, a quota that
 * is used up). Other 4xx are errors of the request. */
bool retry_worth(unsigned status, struct str header_lines, const json_t *document);
/* What the server asks for, in milliseconds: retry-after-ms, Retry-After as seconds or as a date
 * (of the server's own clock, if it sent one), or Gemini's RetryInfo; -1 for nothing. */
int64_t retry_asked_ms(struct str header_lines, const json_t *document);
/* 0.5 s, then twice as long each time up to 8 s, less up to a quarter, by `random`. */
int64_t retry_backoff_ms(int attempt, unsigned random);

#endif
