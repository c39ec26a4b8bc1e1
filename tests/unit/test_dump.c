/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of node kinds, and trees as text. Trees of all kinds are made at random; CPython
 * evaluates their dumps, which build the same trees there, and what it dumps has to be equal.
 */
#include "base/mem.h"
#include "python/python.h"
#include "python_oracle.h"
#include "syntax/literal.h"

enum { TREES = 2000, OUTPUT_MAX = 64 << 20 };

static struct arena arena;

/* ---- the table ---- */

static size_t size_of(enum field_type type)
{
    static const size_t sizes[] = {
        [FIELD_NODE] = sizeof(struct node *),     [FIELD_LIST] = sizeof(struct node_list),
        [FIELD_HOLES] = sizeof(struct node_list), [FIELD_NAME] = sizeof(struct name *),
        [FIELD_NAMES] = sizeof(struct name_list), [FIELD_INT] = sizeof(int32_t),
        [FIELD_STR] = sizeof(struct str),         [FIELD_EMPTY] = 0,
    };

    return sizes[type];
}

/* Every field lies inside of its node, and on no other. */
static void test_offsets(void)
{
    for (unsigned kind = 0; kind < N_COUNT; kind++) {
        unsigned char used[sizeof(struct node)] = {0};
        bool good = node_types[kind].size <= sizeof(struct node);
        for (const struct node_field *f = node_fields(kind); f->name; f++) {
            size_t n = f->type <= FIELD_STR || f->type == FIELD_EMPTY ? size_of(f->type) : 0;
            good = good && f->offset + n <= node_types[kind].size;
            for (size_t i = 0; good && i < n; i++)
                good = used[f->offset + i]++ == 0;
        }
        OK(good, "fields of %s", node_types[kind].name);
    }
}

static void test_new(void)
{
    unsigned wrong = 0;

    for (unsigned kind = 0; kind < N_COUNT; kind++) {
        memset(arena_alloc(&arena, 256), 0xEE, 256);
        const char *bytes = (const char *)node_new(&arena, kind);
        wrong += *(const uint8_t *)bytes != kind;
        for (size_t i = 1; i < node_types[kind].size; i++)
            wrong += bytes[i] != 0;
    }
    EQ_INT(wrong, 0);
}

/* ---- nodes by hand ---- */

static struct name *name_of(const char *text)
{
    size_t n = strlen(text);
    struct name *name = arena_zalloc(&arena, sizeof *name + n + 1);

    memcpy(name->text, text, n);
    name->n = (uint32_t)n;
    return name;
}

static struct node *at(struct node *n, uint32_t line, uint32_t column, uint32_t end_column)
{
    n->line = n->end_line = line;
    n->column = column;
    n->end_column = end_column;
    return n;
}

static struct node *name_node(const char *id, enum expr_context context)
{
    struct node *n = node_new(&arena, N_NAME);

    n->op = (uint8_t)context;
    n->name.id = name_of(id);
    return n;
}

static struct node_list list_of(struct node *first, struct node *second)
{
    struct node **items = arena_alloc(&arena, 2 * sizeof *items);

    items[0] = first;
    items[1] = second;
    return (struct node_list){items, first && second ? 2 : 1};
}

static void dumps(const struct node *n, unsigned target, bool attributes, const char *want)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, 1 << 16);
    EQ_INT(tree_dump(n, target, attributes, &b), 0);
    EQ_STR(b.p, want);
}

static void test_shapes(void)
{
    struct node *module = node_new(&arena, N_MODULE), *call = node_new(&arena, N_CALL);
    struct node *expr = at(node_new(&arena, N_EXPR), 1, 0, 3);

    dumps(module, 12, true, "Module(body=[], type_ignores=[])");
    dumps(module, 13, true, "Module()");
    at(call, 1, 0, 3)->call.func = at(name_node("f", CTX_LOAD), 1, 0, 1);
    expr->value_of.value = call;
    module->module.body = list_of(expr, NULL);
    dumps(module, 11, false,
          "Module(body=[Expr(value=Call(func=Name(id='f', ctx=Load()), args=[], keywords=[]))], "
          "type_ignores=[])");
    dumps(expr, 14, true,
          "Expr(value=Call(func=Name(id='f', ctx=Load(), lineno=1, col_offset=0, end_lineno=1, "
          "end_col_offset=1), lineno=1, col_offset=0, end_lineno=1, end_col_offset=3), lineno=1, "
          "col_offset=0, end_lineno=1, end_col_offset=3)");
}

static void test_odd_fields(void)
{
    struct node *dict = node_new(&arena, N_DICT), *compare = node_new(&arena, N_COMPARE);
    struct node *type = node_new(&arena, N_TYPE_VAR), *none = node_new(&arena, N_CONSTANT);
    struct node *def = node_new(&arena, N_CLASS_DEF);
    static const uint8_t ops[] = {OP_NOT_IN, OP_LT_E};

    dict->dict.keys = list_of(NULL, NULL);
    dict->dict.values = list_of(none, NULL);
    dumps(dict, 13, false, "Dict(keys=[None], values=[Constant(value=None)])");
    compare->compare.left = none;
    compare->compare.ops = ops;
    compare->compare.comparators = list_of(none, none);
    dumps(compare, 11, false,
          "Compare(left=Constant(value=None), ops=[NotIn(), LtE()], "
          "comparators=[Constant(value=None), Constant(value=None)])");
    type->type_param.name = name_of("T");
    type->type_param.default_value = none;
    dumps(type, 12, false, "TypeVar(name='T')");
    dumps(type, 13, false, "TypeVar(name='T', default_value=Constant(value=None))");
    none->constant.kind = STR("u");
    dumps(none, 11, false, "Constant(value=None, kind='u')");
    def->class_def.name = name_of("C");
    dumps(def, 11, false, "ClassDef(name='C', bases=[], keywords=[], body=[], decorator_list=[])");
    dumps(def, 12, false,
          "ClassDef(name='C', bases=[], keywords=[], body=[], decorator_list=[], type_params=[])");
}

static void test_failures(void)
{
    AUTO_BUF struct buf b = {0};
    AUTO_FREE char *digits = xmalloc(5000);
    struct node *number = node_new(&arena, N_CONSTANT);

    memset(digits, 'f', 5000);
    memcpy(digits, "0x", 2);
    number->op = CONST_BIG_INT;
    number->constant.text = (struct str){digits, 5000};
    buf_init(&b, 20);
    EQ_INT(tree_dump(number, 11, true, &b), -1);
    buf_clear(&b);
    number->constant.text.n = 20;
    EQ_INT(tree_dump(number, 11, true, &b), -1); /* the ceiling */
}

/* ---- children ---- */

static int collect(void *ctx, struct node *child)
{
    struct buf *b = ctx;

    buf_addf(b, "%u ", child->line);
    return child->line == 5 ? 42 : 0;
}

static void test_children(void)
{
    struct node *n = node_new(&arena, N_ARGUMENTS);
    struct node *args[7];
    AUTO_BUF struct buf b = {0};

    for (uint32_t i = 0; i < ARRAY_LEN(args); i++)
        args[i] = at(node_new(&arena, N_ARG), i, 0, 0);
    buf_init(&b, 100);
    n->arguments.args = list_of(args[0], args[1]);
    n->arguments.vararg = args[2];
    n->arguments.kw_defaults = list_of(NULL, NULL);
    n->arguments.kwarg = args[3];
    n->arguments.defaults = list_of(args[4], NULL);
    EQ_INT(node_each_child(n, collect, &b), 0);
    EQ_STR(b.p, "0 1 2 3 4 ");
    n->arguments.defaults = list_of(args[5], args[6]);
    EQ_INT(node_each_child(n, collect, &b), 42);
    EQ_STR(b.p, "0 1 2 3 4 0 1 2 3 5 ");
}

/* ---- against CPython ---- */

static uint64_t seed = 5;

static unsigned pick(unsigned n)
{
    seed = seed * 6364136223846793005 + 1442695040888963407;
    return (unsigned)((seed >> 33) % n);
}

static bool is_known(enum node_kind kind, unsigned target)
{
    if (kind == N_TEMPLATE_STR || kind == N_INTERPOLATION)
        return target >= 14;
    return target >= 12 || !(kind == N_TYPE_ALIAS || kind >= N_TYPE_VAR);
}

static struct node *random_node(unsigned target, unsigned depth);

static struct node_list random_list(unsigned target, unsigned depth, bool holes)
{
    size_t n = depth ? pick(4) : 0;
    struct node_list list = {arena_alloc(&arena, 4 * sizeof *list.at), n};

    for (size_t i = 0; i < n; i++)
        list.at[i] = holes && pick(2) ? NULL : random_node(target, depth - 1);
    return list;
}

static struct name *random_name(void)
{
    static const char *const names[] = {"a", "B_1", "\xC3\xA9t\xC3\xA9", "x.y", "*"};

    return name_of(names[pick(ARRAY_LEN(names))]);
}

static struct name_list random_names(void)
{
    struct name_list list = {arena_alloc(&arena, 3 * sizeof *list.at), pick(4)};

    for (size_t i = 0; i < list.n; i++)
        list.at[i] = random_name();
    return list;
}

static void random_constant(struct node *n)
{
    n->op = (uint8_t)pick(CONST_BYTES + 1);
    switch ((enum constant_kind)n->op) {
    case CONST_INT:
        n->constant.integer = pick(1000000);
        break;
    case CONST_BIG_INT:
        n->constant.text = STR("0xffffffffffffffffffffffff");
        break;
    case CONST_FLOAT:
    case CONST_COMPLEX:
        n->constant.real = pick(1000000) / 1000.0;
        break;
    case CONST_STR:
    case CONST_BYTES:
        n->constant.text = pick(2) ? STR("it's \"\n\\") : STR("");
        break;
    case CONST_NONE:
    case CONST_FALSE:
    case CONST_TRUE:
    case CONST_ELLIPSIS:
        break;
    }
}

static void random_operators(struct node *n)
{
    uint8_t *ops = arena_alloc(&arena, 4);

    for (size_t i = 0; i < 4; i++)
        ops[i] = (uint8_t)(OP_EQ + pick(OP_COUNT - OP_EQ));
    n->compare.ops = ops;
}

static void fill_field(struct node *n, const struct node_field *f, unsigned target, unsigned depth)
{
    void *field = (char *)n + f->offset;

    switch ((enum field_type)f->type) {
    case FIELD_NODE:
        *(struct node **)field = depth && pick(4) ? random_node(target, depth - 1) : NULL;
        break;
    case FIELD_LIST:
    case FIELD_HOLES:
        *(struct node_list *)field = random_list(target, depth, f->type == FIELD_HOLES);
        break;
    case FIELD_NAME:
        *(struct name **)field = pick(3) ? random_name() : NULL;
        break;
    case FIELD_NAMES:
        *(struct name_list *)field = random_names();
        break;
    case FIELD_INT:
        *(int32_t *)field = (int32_t)pick(200) - 100;
        break;
    case FIELD_STR:
        if (pick(2))
            *(struct str *)field = STR("u");
        break;
    case FIELD_CONSTANT:
        random_constant(n);
        break;
    case FIELD_OP:
        n->op = (uint8_t)pick(OP_COUNT);
        break;
    case FIELD_CTX:
        n->op = (uint8_t)pick(3);
        break;
    case FIELD_OPS:
        random_operators(n);
        break;
    case FIELD_EMPTY:
        break;
    }
}

static struct node *random_node(unsigned target, unsigned depth)
{
    enum node_kind kind = pick(N_COUNT);

    if (!is_known(kind, target))
        kind = N_PASS;
    struct node *n = node_new(&arena, kind);
    at(n, pick(100), pick(100), pick(100));
    for (const struct node_field *f = node_fields(kind); f->name; f++)
        fill_field(n, f, target, depth);
    return n;
}

/* A line for each: whether CPython's dump of what our dump evaluates to is ours. */
static const char script[] =
    "import ast, sys, warnings\n"
    "warnings.simplefilter('ignore')\n"
    "sys.stdin.reconfigure(encoding='utf-8')\n"
    "names = dict(vars(ast), Ellipsis=...)\n"
    "same = 0\n"
    "for i, line in enumerate(sys.stdin):\n"
    "    line = line.rstrip('\\n')\n"
    "    same += ast.dump(eval(line, names), include_attributes=i % 2) == line\n"
    "print(same, end='')\n";

static void test_against_cpython(unsigned target)
{
    AUTO_BUF struct buf all = {0};
    AUTO_BUF struct buf answer = {0};
    int64_t same = 0;

    buf_init(&all, OUTPUT_MAX);
    buf_init(&answer, 100);
    for (int i = 0; i < TREES; i++) {
        if (tree_dump(random_node(target, 5), target, i % 2, &all) < 0)
            OK(0, "dumped");
        buf_addc(&all, '\n');
    }
    OK(oracle_ask(script, buf_str(&all), &answer), "CPython's answer to %zu bytes", all.n);
    num_int64(buf_str(&answer), &same);
    EQ_INT(same, TREES);
}

int main(void)
{
    RUN(test_offsets());
    RUN(test_new());
    RUN(test_shapes());
    RUN(test_odd_fields());
    RUN(test_failures());
    RUN(test_children());
    unsigned target = oracle_target();
    if (target)
        RUN(test_against_cpython(target));
    else
        SKIP("no Python to compare with");
    arena_done(&arena);
    return tap_done();
}
