/* SPDX-License-Identifier: Apache-2.0
 *
 * The small programs that live inside the wall, embedded as text by tools/embed.
 */
#ifndef GUESTS_GUESTS_H
#define GUESTS_GUESTS_H

extern const char guest_python_runner_py[];

#endif
