/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/image_name.h"

#include "base/mem.h"
#include "tap.h"

static void test_repository(void)
{
    static const struct {
        const char *image, *want;
    } rows[] = {
        {"python", "python"},
        {"python:3.12-slim", "python"},
        {"library/python:3", "python"},
        {"docker.io/python@sha256:12", "python"},
        {"docker.io/library/python:3@sha256:12", "python"},
        {"index.docker.io/library/python", "python"},
        {"localhost/python:1", "python"},
        {"team/python:3", "team/python"},
        {"docker.io/team/python", "team/python"},
        {"localhost:5000/python:3", "localhost:5000/python"},
        {"r.example:5000/team/x:1", "r.example:5000/team/x"},
        {"", ""},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str found = image_repository(rows[i].image);
        AUTO_FREE char *name = xstrndup(found.p, found.n);
        EQ_STR(name, rows[i].want);
    }
}

int main(void)
{
    RUN(test_repository());
    return tap_done();
}
