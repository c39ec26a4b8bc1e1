/* SPDX-License-Identifier: Apache-2.0
 *
 * The small programs that live inside the wall, embedded as text by tools/embed.
 */
#ifndef GUESTS_GUESTS_H
#define GUESTS_GUESTS_H

extern const char guest_python_runner_py[];
/* What Python is started with (-c): runs the runner, which is the first argument, from bytecode if
 * there is some for this version. Made by tools/embed-bytecode. */
extern const char guest_python_boot[];

#endif
