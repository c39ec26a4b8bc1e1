/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_E2B_H
#define BACKENDS_E2B_H

#include "backends/backend.h"

extern const struct backend e2b_backend, e2b_interpreter_backend;

#endif
