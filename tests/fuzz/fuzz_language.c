/* SPDX-License-Identifier: Apache-2.0
 *
 * Up to three pieces with a NUL between: a project's config file with languages in it, a file's
 * name, and its text. Whatever they say, some language comes out, and no built-in one has changed
 * its meaning.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "languages/language.h"
#include "options/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int on_item(void *ctx, const struct conf_item *item, struct err *err)
{
    return language_configure(ctx, item->section, item, true, err);
}

static void check_row(void *ctx, const struct language *row)
{
    (void)ctx;
    assert(row->name && row->programs && row->programs[0] && row->args && row->extension);
}

static void check_builtin(const struct language_table *table)
{
    static const char *const names[] = {"python", "py", "javascript", "node", "r", "bash", "sh"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert(language_find(table, str_from(names[i])) == language_find(NULL, str_from(names[i])));
}

static void detect(const struct language_table *table, const char *file, struct str code)
{
    char name[300], small[3];

    const struct language *found = language_detect(table, file, code);
    check_row(NULL, found);
    assert(strncmp(language_main_name(found, code, name, sizeof name), "main", 4) == 0);
    assert(strlen(language_main_name(found, code, small, sizeof small)) < sizeof small);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct str rest = {n ? (const char *)data : "", n}, config = {"", 0}, file = {"", 0};
    struct language_table table = {0};
    struct err err = {0};
    char name[256] = "";

    (void)str_next(&rest, '\0', &config);
    (void)str_next(&rest, '\0', &file);
    if (file.n < sizeof name)
        memcpy(name, file.p, file.n);
    if (conf_parse(config, "fuzz", on_item, &table, &err) == 0 &&
        language_check(&table, &err) == 0) {
        language_each(&table, check_row, NULL);
        check_builtin(&table);
        detect(&table, name[0] ? name : NULL, rest);
    } else {
        assert(err.kind == ERR_USAGE && err.msg[0]);
    }
    language_table_done(&table);
    detect(NULL, name, rest);
    return 0;
}
