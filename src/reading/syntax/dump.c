/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"
#include "base/mem.h"
#include "syntax/literal.h"
#include "syntax/tree.h"

struct dump {
    struct buf *out;
    unsigned target;
    bool attributes;
    bool failed; /* a number has no repr() */
};

enum { TARGET_HIDES_EMPTY = 13 }; /* from this version of Python on, empty lists are not shown */

static void dump_node(struct dump *d, const struct node *n);

/* ---- values ---- */

static void dump_list(struct dump *d, const struct node_list *list)
{
    buf_addc(d->out, '[');
    for (size_t i = 0; i < list->n && !d->out->overflow; i++) {
        if (i)
            buf_add_str(d->out, STR(", "));
        if (list->at[i])
            dump_node(d, list->at[i]);
        else
            buf_add_str(d->out, STR("None"));
    }
    buf_addc(d->out, ']');
}

static void dump_name(struct dump *d, const struct name *name)
{
    literal_repr_str((struct str){name->text, name->n}, d->target, d->out);
}

static void dump_names(struct dump *d, const struct name_list *names)
{
    buf_addc(d->out, '[');
    for (size_t i = 0; i < names->n; i++) {
        if (i)
            buf_add_str(d->out, STR(", "));
        dump_name(d, names->at[i]);
    }
    buf_addc(d->out, ']');
}

static void dump_operator(struct dump *d, const char *name)
{
    buf_adds(d->out, name);
    buf_add_str(d->out, STR("()"));
}

static void dump_operators(struct dump *d, const struct node *compare)
{
    buf_addc(d->out, '[');
    for (size_t i = 0; i < compare->compare.comparators.n; i++) {
        if (i)
            buf_add_str(d->out, STR(", "));
        dump_operator(d, operator_names[compare->compare.ops[i]]);
    }
    buf_addc(d->out, ']');
}

/* ---- fields ---- */

/* True if the field is shown. Python omits missing fields, and in some versions empty lists. */
static bool is_shown(const struct dump *d, const struct node *n, const struct node_field *f)
{
    const void *at = (const char *)n + f->offset;
    bool shows_empty = d->target < TARGET_HIDES_EMPTY;

    if (f->since > d->target)
        return false;
    switch ((enum field_type)f->type) {
    case FIELD_NODE:
    case FIELD_NAME:
        return *(const void *const *)at != NULL;
    case FIELD_STR:
        return ((const struct str *)at)->p != NULL;
    case FIELD_LIST:
    case FIELD_HOLES:
        return shows_empty || ((const struct node_list *)at)->n;
    case FIELD_NAMES:
        return shows_empty || ((const struct name_list *)at)->n;
    case FIELD_OPS: /* as many as there are comparators */
        return shows_empty || n->compare.comparators.n;
    case FIELD_EMPTY:
        return shows_empty;
    case FIELD_INT:
    case FIELD_CONSTANT:
    case FIELD_OP:
    case FIELD_CTX:
        break;
    }
    return true;
}

static void dump_value(struct dump *d, const struct node *n, const struct node_field *f)
{
    const void *at = (const char *)n + f->offset;
    static const char *const contexts[] = {"Load", "Store", "Del"};

    switch ((enum field_type)f->type) {
    case FIELD_NODE:
        dump_node(d, *(struct node *const *)at);
        break;
    case FIELD_LIST:
    case FIELD_HOLES:
        dump_list(d, at);
        break;
    case FIELD_NAME:
        dump_name(d, *(struct name *const *)at);
        break;
    case FIELD_NAMES:
        dump_names(d, at);
        break;
    case FIELD_INT:
        literal_repr_int(*(const int32_t *)at, d->out);
        break;
    case FIELD_STR:
        literal_repr_str(*(const struct str *)at, d->target, d->out);
        break;
    case FIELD_CONSTANT:
        d->failed |= literal_repr(n, d->target, d->out) < 0;
        break;
    case FIELD_OP:
        dump_operator(d, operator_names[n->op]);
        break;
    case FIELD_CTX:
        dump_operator(d, contexts[n->op]);
        break;
    case FIELD_OPS:
        dump_operators(d, n);
        break;
    case FIELD_EMPTY:
        buf_add_str(d->out, STR("[]"));
        break;
    }
}

static void begin_value(struct dump *d, bool *first, const char *name)
{
    if (!*first)
        buf_add_str(d->out, STR(", "));
    *first = false;
    buf_adds(d->out, name);
    buf_addc(d->out, '=');
}

static void dump_position(struct dump *d, const struct node *n, bool *first)
{
    const struct {
        const char *name;
        uint32_t value;
    } all[] = {
        {"lineno", n->line},
        {"col_offset", n->column},
        {"end_lineno", n->end_line},
        {"end_col_offset", n->end_column},
    };

    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        begin_value(d, first, all[i].name);
        literal_repr_int(all[i].value, d->out);
    }
}

static void dump_node(struct dump *d, const struct node *n)
{
    bool first = true;

    buf_adds(d->out, node_types[n->kind].name);
    buf_addc(d->out, '(');
    for (const struct node_field *f = node_fields(n->kind); f->name; f++) {
        if (!is_shown(d, n, f))
            continue;
        begin_value(d, &first, f->name);
        dump_value(d, n, f);
    }
    if (d->attributes && node_types[n->kind].position)
        dump_position(d, n, &first);
    buf_addc(d->out, ')');
}

int tree_dump(const struct node *n, unsigned target, bool attributes, struct buf *ret)
{
    struct dump d = {.out = ret, .target = target, .attributes = attributes};

    dump_node(&d, n);
    return d.failed || ret->overflow ? -1 : 0;
}
