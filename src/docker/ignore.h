/* SPDX-License-Identifier: Apache-2.0
 *
 * A .dockerignore file: patterns of paths that are no part of a build's context.
 *
 * A line is a pattern: '?' and '*' match inside a name, "**" also across slashes, [a-z] and [^a-z]
 * one character, '\' takes the next character as it is. A line that begins with '!' takes paths in
 * again, one with '#' is a comment. The last line that matches a path or a folder above it decides.
 */
#ifndef DOCKER_IGNORE_H
#define DOCKER_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum { IGNORE_TEXT_MAX = 1 << 20, IGNORE_LINE_MAX = 1024 };

struct ignore {
    char *text;
    struct ignore_rule {
        struct str pattern;
        bool takes_in;
    } * rules;
    size_t count;
    bool takes_in; /* one of the rules does */
};

/* ERR_USAGE for a line that is no pattern. */
int ignore_read(struct ignore *ignore, struct str text, struct err *err);
void ignore_done(struct ignore *ignore); /* after {0}, too */
/* `path` is relative to the context, without a slash at its ends. */
bool ignore_matches(const struct ignore *ignore, struct str path);

#endif
