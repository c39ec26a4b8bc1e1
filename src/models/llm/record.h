/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of exchanges: written by --record, read by --replay (the format is in exchange.h).
 */
#ifndef LLM_RECORD_H
#define LLM_RECORD_H

#include "llm/exchange.h"

struct llm_record;
/* A new file that only its owner can read, or an existing one made empty. */
int llm_record_open(const char *path, struct llm_record **ret, struct err *err);
/* Writes a line. If the server sent the key or a part of it back, the line has "[key]" there. */
int llm_record_add(struct llm_record *record, const struct llm_place *place,
                   const struct llm_exchange *x, struct err *err);
void llm_record_close(struct llm_record *record); /* NULL is fine */

struct llm_replay;
int llm_replay_open(const char *path, struct llm_replay **ret, struct err *err);
const char *llm_replay_first_model(const struct llm_replay *replay);
/* Returns the first answer that is not used yet and belongs to the same request in the same
 * protocol. -1 with ERR_USAGE and the first difference from the next request of the file. */
int llm_replay_answer(struct llm_replay *replay, const struct llm_place *place,
                      struct llm_exchange *x, struct err *err);
void llm_replay_close(struct llm_replay *replay); /* NULL is fine */

#endif
