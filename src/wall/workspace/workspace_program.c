/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds a path for the program's own text among the user's files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "workspace/workspace_parts.h"

enum { NAMES_MAX = 1000 };

static bool file_holds(int fd, struct str text)
{
    char piece[16384];
    size_t at = 0;

    while (at < text.n) {
        ssize_t n = TEMP_FAILURE_RETRY(read(fd, piece, sizeof piece));
        if (n <= 0 || (size_t)n > text.n - at || memcmp(piece, text.p + at, (size_t)n) != 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

static bool entry_holds(const struct lay_list *list, const struct lay_entry *entry, struct str text)
{
    struct lay_place place;

    if (entry->is_dir || entry->size != text.n)
        return false;
    if (entry->bytes)
        return memcmp(entry->bytes, text.p, text.n) == 0;
    lay_place_init(&place, list->sources[entry->source].dirfd);
    AUTO_CLOSE int fd = lay_open_source(list, entry, &place);
    bool holds = fd >= 0 && file_holds(fd, text);
    lay_place_done(&place);
    return holds;
}

/* "a.tar.py" and 2 give "a.tar_2.py". */
static char *numbered(struct str name, unsigned number)
{
    const char *dot = memrchr(name.p, '.', name.n);
    size_t stem = dot > name.p ? (size_t)(dot - name.p) : name.n;

    if (!number)
        return xstrndup(name.p, name.n);
    return xasprintf("%.*s_%u%.*s", (int)stem, name.p, number, (int)(name.n - stem), name.p + stem);
}

/* Replaces the entry's content with the bytes. */
static void workspace_program_replace(struct lay_list *list, struct lay_entry *entry,
                                      struct str bytes)
{
    lay_uncount(list, entry);
    entry->origin = ORIGIN_GIVEN;
    lay_count(list, entry, bytes.n);
    free(entry->bytes);
    entry->bytes = xstrndup(bytes.p, bytes.n);
}

int lay_add_program(struct lay_list *list, struct str name, struct str bytes, struct str own,
                    char **ret_name, struct err *err)
{
    for (unsigned number = 0; number < NAMES_MAX; number++) {
        AUTO_FREE char *candidate = numbered(name, number);
        struct lay_entry *entry = lay_find(list, str_from(candidate));
        if (entry && !entry_holds(list, entry, own))
            continue;
        if (entry)
            workspace_program_replace(list, entry, bytes);
        else if (lay_add_bytes(list, str_from(candidate), bytes, 0644, err) < 0)
            return -1;
        *ret_name = mem_take(&candidate);
        return lay_check(list, err);
    }
    return err_set(
        err, ERR_USAGE,
        "every name for the program, from '%.*s' on, is a file of the inputs; rename one",
        (int)name.n, name.p);
}
