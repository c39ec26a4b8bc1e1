/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/json_shape.h"

/* The end of the string that begins at `at`. */
static size_t skip_string(struct str s, size_t at)
{
    for (at++; at < s.n && s.p[at] != '"'; at++)
        if (s.p[at] == '\\')
            at++;
    return at;
}

size_t json_count_values(struct str text)
{
    size_t n = 1;

    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '"')
            i = skip_string(text, i);
        else
            n += text.p[i] == ',' || text.p[i] == '[' || text.p[i] == '{';
    return n;
}

int json_check_shape(struct str text, size_t depth_max, size_t values_max, struct err *err)
{
    size_t depth = 0;

    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '"')
            i = skip_string(text, i);
        else if (c == ']' || c == '}')
            depth -= depth > 0;
        else if ((c == '[' || c == '{') && ++depth > depth_max)
            return err_set(err, ERR_GUEST, "its JSON is nested deeper than %zu", depth_max);
    }
    if (json_count_values(text) > values_max)
        return err_set(err, ERR_GUEST, "its JSON has more than %zu values", values_max);
    return 0;
}
