/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes requests through libcurl, one after the other; connections stay open in between.
 */
#ifndef FETCH_TRANSFER_H
#define FETCH_TRANSFER_H

#include "net/fetch_wire.h"

struct transfer;

/* While a request runs, the program exits when `in` has something to read or is closed. It also
 * exits when `out` cannot be written. */
struct transfer *transfer_open(int in, int out);
/* Makes one request, and writes the frames of its answer. */
void transfer_run(struct transfer *t, const struct fetch_order *order);
void transfer_close(struct transfer *t);

#endif
