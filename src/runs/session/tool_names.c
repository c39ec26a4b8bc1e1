/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of a session's tools, for its reviewer.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "python/python.h"
#include "session/tools.h"

static void tool_names_add(struct tool_names *names, struct str name)
{
    names->at = xrealloc_array(names->at, names->n + 1, sizeof *names->at);
    names->at[names->n++] = xstrndup(name.p, name.n);
}

/* Adds the functions at the top level of the source. */
static void add_functions(struct tool_names *names, const char *source)
{
    struct python_tree tree;

    if (python_parse(str_from(source), &(struct python_options){0}, &tree) == 0) {
        const struct node_list *body = &tree.module->module.body;
        for (size_t i = 0; i < body->n; i++)
            if (body->at[i]->kind == N_FUNCTION_DEF || body->at[i]->kind == N_ASYNC_FUNCTION_DEF)
                tool_names_add(names, str_from(body->at[i]->function.name->text));
    }
    python_tree_done(&tree);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct tool_names *names)
{
    if (names->n)
        qsort(names->at, names->n, sizeof *names->at, by_name);
}

void tool_set_names(const struct tool_set *set, struct tool_names *ret)
{
    *ret = (struct tool_names){0};
    for (size_t i = 0; i < set->count; i++)
        if (!set->items[i].is_input)
            tool_names_add(ret, str_from(set->items[i].name));
    if (set->final_answer)
        tool_names_add(ret, STR("final_answer"));
    if (set->source)
        add_functions(ret, set->source);
    sort(ret);
}

int tool_names_read(struct str list, struct tool_names *ret, struct err *err)
{
    struct str name;

    *ret = (struct tool_names){0};
    while (str_next(&list, ',', &name)) {
        name = str_trim(name);
        if (name.n && !python_is_variable(name))
            return err_set(err, ERR_USAGE, "'%.*s' is not a valid tool name",
                           (int)(name.n < 80 ? name.n : 80), name.p);
        if (name.n)
            tool_names_add(ret, name);
    }
    sort(ret);
    return 0;
}

void tool_names_done(struct tool_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->at[i]);
    free(names->at);
    *names = (struct tool_names){0};
}
