/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "python/parse_parts.h"

/* Joins the names from `first` on, with `dots` dots between them, into one name. */
static struct name *join_names(struct parser *p, const struct token *first, size_t dots)
{
    size_t length = dots, at = 0;

    for (size_t i = 0; i <= dots; i++)
        length += first[2 * i].name->n;
    char *text = arena_alloc(p->arena, length);
    for (size_t i = 0; i <= dots; i++) {
        const struct name *part = first[2 * i].name;
        if (i > 0)
            text[at++] = '.';
        memcpy(text + at, part->text, part->n);
        at += part->n;
    }
    return name_get_plain(p->tree, (struct str){text, length});
}

/* dotted_name: dotted_name '.' NAME | NAME */
static struct name *dotted_name(struct parser *p)
{
    const struct token *first = p->at;
    size_t dots = 0;

    if (!accept(p, T_NAME))
        return NULL;
    while (accept(p, T_DOT)) {
        if (!accept(p, T_NAME))
            return NULL;
        dots++;
    }
    return dots ? join_names(p, first, dots) : first->name;
}

static struct node *alias(struct parser *p, const struct token *first, struct name *name)
{
    struct node *n = start(p, N_ALIAS, first);

    n->alias.name = name;
    return n;
}

/* ['as' NAME]; makes an alias and pushes it */
static bool alias_rest(struct parser *p, const struct token *first, struct name *name)
{
    struct node *n = alias(p, first, name);

    if (accept(p, T_AS) && !(n->alias.asname = name_token(p)))
        return false;
    push(p, finish(p, n));
    return true;
}

/* import_name: 'import' ','.(dotted_name ['as' NAME])+ */
struct node *import_name(struct parser *p)
{
    struct node *n = start(p, N_IMPORT, p->at++);
    size_t mark = p->list_n;

    do {
        const struct token *first = p->at;
        struct name *name = dotted_name(p);
        if (!name || !alias_rest(p, first, name))
            return NULL;
    } while (accept(p, T_COMMA));
    list_take(p, mark, n, &n->import.names);
    return finish(p, n);
}

/* import_from_as_names: ','.(NAME ['as' NAME])+; a ',' after the last only before a ')' */
static bool import_from_as_names(struct parser *p, bool parentheses)
{
    do {
        const struct token *first = p->at;
        if (!accept(p, T_NAME) || !alias_rest(p, first, first->name))
            return false;
    } while (accept(p, T_COMMA) && !(parentheses && p->at->kind == T_RPAR));
    return true;
}

/* import_from_targets: '(' import_from_as_names [','] ')' | import_from_as_names !',' | '*' */
static bool import_from_targets(struct parser *p)
{
    const struct token *first = p->at;

    if (accept(p, T_STAR)) {
        push(p, finish(p, alias(p, first, name_get_plain(p->tree, STR("*")))));
        return true;
    }
    if (accept(p, T_LPAR))
        return import_from_as_names(p, true) && accept(p, T_RPAR);
    return import_from_as_names(p, false);
}

/* import_from: 'from' ('.' | '...')* dotted_name 'import' import_from_targets
 * | 'from' ('.' | '...')+ 'import' import_from_targets */
struct node *import_from(struct parser *p)
{
    struct node *n = start(p, N_IMPORT_FROM, p->at++);
    size_t mark = p->list_n;

    for (; p->at->kind == T_DOT || p->at->kind == T_ELLIPSIS; p->at++)
        n->import.level += p->at->kind == T_DOT ? 1 : 3;
    if (n->import.level == 0 || p->at->kind == T_NAME) {
        n->import.module = dotted_name(p);
        if (!n->import.module)
            return NULL;
    }
    if (!accept(p, T_IMPORT) || !import_from_targets(p))
        return NULL;
    list_take(p, mark, n, &n->import.names);
    return finish(p, n);
}
