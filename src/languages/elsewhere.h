/* SPDX-License-Identifier: Apache-2.0
 *
 * Where on this host a module is that the Python of a run lacks: advice for its user.
 */
#ifndef LANGUAGES_ELSEWHERE_H
#define LANGUAGES_ELSEWHERE_H

#include "base/str.h"

/* A value for --python: the active virtual environment, .venv, venv or env in the current folder,
 * or another Python of python_find. NULL when none of them has the module, or when this is no name
 * of one; it may come from a guest. The caller frees. */
char *python_elsewhere(struct str module);

#endif
