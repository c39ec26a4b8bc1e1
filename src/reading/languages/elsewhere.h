/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds another Python on this host that has a module which the run's Python lacks: advice for the
 * user.
 */
#ifndef LANGUAGES_ELSEWHERE_H
#define LANGUAGES_ELSEWHERE_H

#include "base/str.h"

/* Returns a value for --python: the active virtual environment, a .venv, venv or env in the current
 * folder, or another Python that python_find knows. NULL if none of them has the module, or if the
 * name, which may come from a guest, is not a module's. The caller frees. */
char *python_elsewhere(struct str module);

#endif
