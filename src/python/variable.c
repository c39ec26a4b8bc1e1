/* SPDX-License-Identifier: Apache-2.0 */
#include "python/variable.h"

#include "base/buf.h"
#include "python/python.h"

bool python_is_variable(struct str name)
{
    AUTO_BUF struct buf text = {0};
    struct python_tree tree;

    if (!name.n || name.n > 200 || str_starts(name, "__"))
        return false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    buf_init(&text, name.n + 8);
    (void)buf_add_str(&text, name);
    (void)buf_adds(&text, " = 0\n");
    bool good = python_parse(buf_str(&text), &(struct python_options){0}, &tree) == 0 &&
                python_check(&tree) == 0;
    python_tree_done(&tree);
    return good;
}
