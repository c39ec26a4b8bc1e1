/* SPDX-License-Identifier: Apache-2.0
 *
 * The kinds of values that options have: reading, writing, keeping. Used by opt.c.
 */
#ifndef OPTIONS_OPT_VALUE_H
#define OPTIONS_OPT_VALUE_H

#include "options/opt.h"

/* One value outside its settings; its holder owns the string or the list. */
union opt_value {
    bool flag;
    char *string;
    struct opt_list list;
    uint64_t size;
    int64_t number;
    int choice;
};

/* Reads a value from strings; only a list takes more or fewer than one. The message does not name
 * the option. */
int opt_value_read(const struct opt *row, const struct str *texts, size_t n, union opt_value *ret,
                   struct err *err);
void opt_value_free(const struct opt *row, union opt_value *v);
/* Moves the items of *more to the end of *list. */
void opt_value_join(union opt_value *list, union opt_value *more);

/* Reads the member of the settings as a plain copy: its ownership does not change. */
union opt_value opt_value_get(const struct opt *row, const void *settings);
void opt_value_put(const struct opt *row, void *settings, const union opt_value *v);

/* True if limit a allows more than limit b, 0 being no limit. False for kinds that are not numbers.
 */
bool opt_value_is_more(const struct opt *row, const union opt_value *a, const union opt_value *b);

/* False for a flag that is off, which contradicts no other option. */
bool opt_value_is_on(const struct opt *row, const union opt_value *v);

#endif
