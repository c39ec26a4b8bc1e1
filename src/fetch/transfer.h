/* SPDX-License-Identifier: Apache-2.0
 *
 * One request after the other through libcurl; connections stay open between them.
 */
#ifndef FETCH_TRANSFER_H
#define FETCH_TRANSFER_H

#include "net/fetch_wire.h"

struct transfer;

/* The program ends (exit) when `in` has something to read or is closed while a request runs, and
 * when `out` cannot be written. */
struct transfer *transfer_open(int in, int out);
/* Writes the frames of one answer. */
void transfer_run(struct transfer *t, const struct fetch_order *order);
void transfer_close(struct transfer *t);

#endif
