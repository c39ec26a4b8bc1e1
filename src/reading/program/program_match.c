/* SPDX-License-Identifier: Apache-2.0
 *
 * The names that a match statement binds, each to a part of its subject.
 */
#include "program/program_parts.h"

struct names {
    struct program *p;
    const struct scope *scope;
};

static void bind_name(struct names *w, const struct name *name, const struct match_part *part)
{
    struct binding b = {.kind = part ? BIND_MATCHED : BIND_OPAQUE, .part = part, .scope = w->scope};

    if (name)
        program_bind(w->p, w->scope, name, b);
}

enum { PATTERNS_DEEP = 16 }; /* deeper patterns are opaque */

struct pattern {
    const struct match_part *of; /* NULL: unknown */
    unsigned depth;
};

static void bind_pattern(struct names *w, const struct node *n, struct pattern in);

static void bind_part(struct names *w, const struct node *n, struct pattern in,
                      struct match_part part)
{
    struct match_part *kept = NULL;

    if (in.of && in.depth < PATTERNS_DEEP) {
        kept = arena_alloc(&w->p->arena, sizeof *kept);
        part.of = in.of;
        *kept = part;
    }
    bind_pattern(w, n, (struct pattern){kept, in.depth + 1});
}

/* After a star, positions count from the end, so a part may be any item. */
static void bind_sequence(struct names *w, struct node_list list, struct pattern in)
{
    bool starred = false;

    for (size_t i = 0; i < list.n; i++) {
        bool star = list.at[i]->kind == N_MATCH_STAR;
        bind_part(w, list.at[i], in,
                  (struct match_part){.kind = star || starred ? PART_REST : PART_ITEM,
                                      .index = starred ? 0 : (uint32_t)i});
        starred |= star;
    }
}

static void bind_class_pattern(struct names *w, const struct node *n, struct pattern in)
{
    struct node_list named = n->match_class.kwd_patterns, list = n->match_class.patterns;

    for (size_t i = 0; i < list.n; i++)
        bind_part(w, list.at[i], in,
                  (struct match_part){
                      .kind = PART_ARGUMENT, .node = n->match_class.cls, .index = (uint32_t)i});
    for (size_t i = 0; i < named.n; i++)
        bind_part(w, named.at[i], in,
                  (struct match_part){.kind = PART_ATTRIBUTE,
                                      .attribute = name_str(n->match_class.kwd_attrs.at[i])});
}

static void bind_mapping(struct names *w, const struct node *n, struct pattern in)
{
    for (size_t i = 0; i < n->match_mapping.patterns.n; i++)
        bind_part(w, n->match_mapping.patterns.at[i], in,
                  (struct match_part){.kind = PART_KEY, .node = n->match_mapping.keys.at[i]});
    bind_name(w, n->match_mapping.rest, in.of);
}

static void bind_pattern(struct names *w, const struct node *n, struct pattern in)
{
    switch ((int)n->kind) {
    case N_MATCH_AS:
        bind_name(w, n->match_as.name, in.of);
        if (n->match_as.pattern)
            bind_pattern(w, n->match_as.pattern, in);
        break;
    case N_MATCH_STAR:
        bind_name(w, n->match_as.name, in.of);
        break;
    case N_MATCH_OR:
        for (size_t i = 0; i < n->patterns_of.patterns.n; i++)
            bind_pattern(w, n->patterns_of.patterns.at[i], in);
        break;
    case N_MATCH_SEQUENCE:
        bind_sequence(w, n->patterns_of.patterns, in);
        break;
    case N_MATCH_CLASS:
        bind_class_pattern(w, n, in);
        break;
    case N_MATCH_MAPPING:
        bind_mapping(w, n, in);
        break;
    }
}

void program_bind_match(struct program *p, const struct scope *scope, const struct node *n)
{
    struct names w = {p, scope};
    struct match_part *subject = arena_zalloc(&p->arena, sizeof *subject);

    *subject = (struct match_part){.kind = PART_SUBJECT, .node = n->match_stmt.subject};
    for (size_t i = 0; i < n->match_stmt.cases.n; i++)
        bind_pattern(&w, n->match_stmt.cases.at[i]->match_case.pattern,
                     (struct pattern){subject, 0});
}
