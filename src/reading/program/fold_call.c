/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of builtins and the library, by their full names, whose result is constant for constant
 * arguments.
 */
#include <string.h>

#include "base/mem.h"
#include "program/fold.h"
#include "syntax/unicode.h"

typedef const struct value *function_fn(struct fold *f, const struct fold_args *args);

static const struct value *first(const struct fold_args *args)
{
    return args->n > args->n_named ? args->at[0] : &value_unknown;
}

static const struct value *second(const struct fold_args *args)
{
    return args->n - args->n_named > 1 ? args->at[1] : &value_unknown;
}

static const struct value *call_chr(struct fold *f, const struct fold_args *args)
{
    const struct value *x = first(args);
    char text[4];
    size_t n = 0;

    if (x->kind != VALUE_INT || x->integer < 0 || x->integer >= 0x110000)
        return &value_unknown;
    uint32_t c = (uint32_t)x->integer;
    if (c < 0x80) {
        text[n++] = (char)c;
    } else {
        int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
        text[n++] = (char)(lead[more] | c >> (6 * more));
        while (more-- > 0)
            text[n++] = (char)(0x80 | (c >> (6 * more) & 0x3F));
    }
    return fold_text(f, VALUE_TEXT, (struct str){text, n}, true);
}

static const struct value *call_ord(struct fold *f, const struct fold_args *args)
{
    const struct value *x = first(args);
    size_t at = 0;

    if (x->kind == VALUE_BYTES && x->text.n == 1)
        return value_int(f->arena, (unsigned char)x->text.p[0]);
    if (x->kind != VALUE_TEXT || !x->text.n)
        return &value_unknown;
    uint32_t code = unicode_next(x->text, &at);
    return at == x->text.n ? value_int(f->arena, code) : &value_unknown;
}

static const struct value *call_str(struct fold *f, const struct fold_args *args)
{
    const struct value *x = first(args);

    if (!args->n)
        return fold_text(f, VALUE_TEXT, STR(""), false);
    if (x->kind == VALUE_BYTES)
        return second(args)->kind == VALUE_TEXT ? fold_decode(f, x, second(args)->text)
                                                : &value_unknown;
    return fold_str(f, x);
}

static const struct value *bytes_from_list(struct fold *f, const struct value *list)
{
    char *room;
    struct value *v = fold_room(f, VALUE_BYTES, list->n, &room);

    if (!v)
        return &value_unknown;
    for (size_t i = 0; i < list->n; i++) {
        const struct value *x = list->items[i];
        if (x->kind != VALUE_INT || x->integer < 0 || x->integer > 255)
            return &value_unknown;
        room[i] = (char)x->integer;
    }
    return v;
}

static const struct value *call_bytes(struct fold *f, const struct fold_args *args)
{
    const struct value *x = first(args);

    if (x->kind == VALUE_LIST)
        return bytes_from_list(f, x);
    if (x->kind == VALUE_BYTES || x->kind == VALUE_DECODED)
        return x;
    return x->kind == VALUE_TEXT ? fold_method(f, x, STR("encode"), &(struct fold_args){0})
                                 : &value_unknown;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 36;
}

static const struct value *parse_int(struct fold *f, struct str s, int64_t base)
{
    int64_t n = 0;

    s = str_trim(s);
    if (s.n > 2 && s.p[0] == '0' &&
        ((base == 16 && (s.p[1] | 0x20) == 'x') || (base == 2 && (s.p[1] | 0x20) == 'b') ||
         (base == 8 && (s.p[1] | 0x20) == 'o')))
        s = str_slice(s, 2, s.n);
    for (size_t i = 0; i < s.n; i++) {
        int digit = digit_of(s.p[i]);
        if (s.p[i] == '_')
            continue;
        if (digit >= base)
            return &value_unknown;
        if (__builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, digit, &n))
            return value_huge(f->arena, (double)s.n * 3);
    }
    return s.n ? value_int(f->arena, n) : &value_unknown;
}

static const struct value *call_int(struct fold *f, const struct fold_args *args)
{
    const struct value *x = first(args), *base = second(args);

    if (x->kind == VALUE_INT || x->kind == VALUE_HUGE)
        return x;
    if (x->kind == VALUE_BOOL)
        return value_int(f->arena, x->integer);
    if (x->kind == VALUE_FLOAT && x->real > -9e18 && x->real < 9e18)
        return value_int(f->arena, (int64_t)x->real);
    if (x->kind != VALUE_TEXT || !fold_pay(f, x->text.n))
        return &value_unknown;
    int64_t b = base->kind == VALUE_INT ? base->integer : 10;
    return b >= 2 && b <= 36 ? parse_int(f, x->text, b) : &value_unknown;
}

static const struct value *call_bool(struct fold *f, const struct fold_args *args)
{
    bool truth = false;

    if (args->n && !value_truth(first(args), &truth))
        return &value_unknown;
    struct value *v = value_new(f->arena, VALUE_BOOL);
    v->integer = truth;
    return v;
}

static const struct value *call_len(struct fold *f, const struct fold_args *args)
{
    const struct value *list = fold_list(f, first(args));

    return list->kind == VALUE_LIST ? value_int(f->arena, (int64_t)list->n) : &value_unknown;
}

static const struct value *call_list(struct fold *f, const struct fold_args *args)
{
    return args->n ? fold_list(f, first(args)) : value_list(f->arena, VALUE_LIST, 0);
}

static const struct value *call_reversed(struct fold *f, const struct fold_args *args)
{
    const struct value *list = fold_list(f, first(args));

    if (list->kind != VALUE_LIST || !fold_pay(f, list->n))
        return &value_unknown;
    struct value *v = value_list(f->arena, VALUE_LIST, list->n);
    for (size_t i = 0; i < list->n; i++)
        v->items[i] = list->items[list->n - 1 - i];
    return v;
}

static const struct value *call_range(struct fold *f, const struct fold_args *args)
{
    int64_t bound[3] = {0, 0, 1};

    for (size_t i = 0; i < args->n; i++) {
        if (i > 2 || args->at[i]->kind != VALUE_INT)
            return &value_unknown;
        bound[args->n == 1 ? 1 : i] = args->at[i]->integer;
    }
    if (!args->n || bound[2] == 0 || bound[0] < -VALUE_MAX_ITEMS || bound[0] > 0x110000 ||
        bound[1] < -VALUE_MAX_ITEMS || bound[1] > 0x110000 || bound[2] < -0x110000 ||
        bound[2] > 0x110000)
        return &value_unknown;
    int64_t gap = bound[2] > 0 ? bound[1] - bound[0] : bound[0] - bound[1];
    int64_t step = bound[2] > 0 ? bound[2] : -bound[2];
    size_t n = gap > 0 ? (size_t)((gap - 1) / step + 1) : 0;
    if (n > VALUE_MAX_ITEMS || !fold_pay(f, n + 1))
        return &value_unknown;
    struct value *v = value_list(f->arena, VALUE_LIST, n);
    for (size_t i = 0; i < n; i++)
        v->items[i] = value_int(f->arena, bound[0] + (int64_t)i * bound[2]);
    return v;
}

static const struct value *call_dict(struct fold *f, const struct fold_args *args)
{
    if (args->n != args->n_named)
        return first(args)->kind == VALUE_DICT ? first(args) : &value_unknown;
    struct value *v = value_list(f->arena, VALUE_DICT, args->n);
    v->keys = arena_alloc(f->arena, (args->n + 1) * sizeof *v->keys);
    for (size_t i = 0; i < args->n; i++) {
        v->keys[i] = value_text(f->arena, VALUE_TEXT, args->names[i]);
        v->items[i] = args->at[i];
    }
    return v;
}

static const struct value *call_maketrans(struct fold *f, const struct fold_args *args)
{
    const struct value *from = fold_list(f, first(args)), *to = fold_list(f, second(args));

    if (first(args)->kind == VALUE_DICT || from->kind != VALUE_LIST || to->kind != VALUE_LIST ||
        from->n != to->n)
        return first(args)->kind == VALUE_DICT ? first(args) : &value_unknown;
    struct value *v = value_list(f->arena, VALUE_DICT, from->n);
    v->keys = arena_alloc(f->arena, (from->n + 1) * sizeof *v->keys);
    for (size_t i = 0; i < from->n; i++) {
        v->keys[i] = call_ord(f, &(struct fold_args){.at = &from->items[i], .n = 1});
        v->items[i] = to->items[i];
    }
    return v;
}

static const struct value *call_base64(struct fold *f, const struct fold_args *args)
{
    return fold_base64(f, first(args));
}

static const struct value *call_base32(struct fold *f, const struct fold_args *args)
{
    return fold_base32(f, first(args));
}

static const struct value *call_hex(struct fold *f, const struct fold_args *args)
{
    return fold_hex(f, first(args));
}

static const struct value *call_decode(struct fold *f, const struct fold_args *args)
{
    const struct value *codec = second(args);
    const struct value *v = &value_unknown;

    if (codec->kind == VALUE_TEXT)
        v = fold_decode(f, first(args), codec->text);
    return v->kind == VALUE_UNKNOWN ? &value_decoded : v;
}

/* codecs.encode converts strings, too: rot13 decodes as it encodes. */
static const struct value *call_encode(struct fold *f, const struct fold_args *args)
{
    const struct value *codec = second(args);

    if (codec->kind != VALUE_TEXT ||
        (!str_is_nocase(codec->text, "rot13") && !str_is_nocase(codec->text, "rot_13")))
        return &value_unknown;
    return fold_decode(f, first(args), STR("rot13"));
}

/* any() and all() of constants. */
static const struct value *quantified(struct fold *f, const struct fold_args *args, bool any)
{
    const struct value *list = fold_list(f, first(args));
    bool truth, ret = !any;

    if (list->kind != VALUE_LIST)
        return &value_unknown;
    for (size_t i = 0; i < list->n; i++) {
        if (!value_truth(list->items[i], &truth))
            return &value_unknown;
        ret = any ? ret || truth : ret && truth;
    }
    struct value *v = value_new(f->arena, VALUE_BOOL);
    v->integer = ret;
    return v;
}

static const struct value *call_any(struct fold *f, const struct fold_args *args)
{
    return quantified(f, args, true);
}

static const struct value *call_all(struct fold *f, const struct fold_args *args)
{
    return quantified(f, args, false);
}

/* os.path.join: a part that starts with a slash replaces all parts before it. */
static const struct value *call_path_join(struct fold *f, const struct fold_args *args)
{
    const struct value *v = first(args), *slash = value_text(f->arena, VALUE_TEXT, STR("/"));

    for (size_t i = 1; i < args->n && v->kind == VALUE_TEXT; i++) {
        const struct value *part = args->at[i];
        if (part->kind != VALUE_TEXT)
            return &value_unknown;
        if (str_starts(part->text, "/"))
            v = part;
        else if (!v->text.n || str_ends(v->text, "/"))
            v = fold_binary(f, OP_ADD, v, part);
        else
            v = fold_binary(f, OP_ADD, fold_binary(f, OP_ADD, v, slash), part);
    }
    return v;
}

static const struct value *call_opaque(struct fold *f, const struct fold_args *args)
{
    (void)f;
    (void)args;
    return &value_decoded;
}

static const struct value *call_add(struct fold *f, const struct fold_args *args)
{
    return fold_binary(f, OP_ADD, first(args), second(args));
}

static const struct value *call_mul(struct fold *f, const struct fold_args *args)
{
    return fold_binary(f, OP_MULT, first(args), second(args));
}

static const struct value *call_pow(struct fold *f, const struct fold_args *args)
{
    return args->n == 2 ? fold_binary(f, OP_POW, first(args), second(args)) : &value_unknown;
}

static const struct value *call_getitem(struct fold *f, const struct fold_args *args)
{
    return fold_item(f, first(args), second(args));
}

static const struct {
    const char *path;
    function_fn *fn;
} functions[] = {
    {"base64.a85decode", call_opaque},
    {"base64.b16decode", call_hex},
    {"base64.b32decode", call_base32},
    {"base64.b64decode", call_base64},
    {"base64.b85decode", call_opaque},
    {"base64.decodebytes", call_base64},
    {"base64.decodestring", call_base64},
    {"base64.standard_b64decode", call_base64},
    {"base64.urlsafe_b64decode", call_base64},
    {"binascii.a2b_base64", call_base64},
    {"binascii.a2b_hex", call_hex},
    {"binascii.a2b_uu", call_opaque},
    {"binascii.unhexlify", call_hex},
    {"builtins.all", call_all},
    {"builtins.any", call_any},
    {"builtins.bool", call_bool},
    {"builtins.bytearray", call_bytes},
    {"builtins.bytearray.fromhex", call_hex},
    {"builtins.bytes", call_bytes},
    {"builtins.bytes.fromhex", call_hex},
    {"builtins.chr", call_chr},
    {"builtins.dict", call_dict},
    {"builtins.format", call_str},
    {"builtins.frozenset", call_list},
    {"builtins.int", call_int},
    {"builtins.iter", call_list},
    {"builtins.len", call_len},
    {"builtins.list", call_list},
    {"builtins.memoryview", call_bytes},
    {"builtins.ord", call_ord},
    {"builtins.pow", call_pow},
    {"builtins.range", call_range},
    {"builtins.reversed", call_reversed},
    {"builtins.set", call_list},
    {"builtins.str", call_str},
    {"builtins.str.maketrans", call_maketrans},
    {"builtins.tuple", call_list},
    {"bz2.decompress", call_opaque},
    {"codecs.decode", call_decode},
    {"codecs.encode", call_encode},
    {"collections.deque", call_list},
    {"gzip.decompress", call_opaque},
    {"html.unescape", call_opaque},
    {"lzma.decompress", call_opaque},
    {"marshal.loads", call_opaque},
    {"operator.add", call_add},
    {"operator.concat", call_add},
    {"operator.getitem", call_getitem},
    {"operator.mul", call_mul},
    {"os.path.join", call_path_join},
    {"quopri.decodestring", call_opaque},
    {"urllib.parse.unquote", call_opaque},
    {"zlib.decompress", call_opaque},
};

static function_fn *fold_call_find(struct str path)
{
    size_t low = 0, high = ARRAY_LEN(functions);

    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(path.p, functions[middle].path); /* paths are NUL-terminated */
        if (order == 0)
            return functions[middle].fn;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* str.join('', x) is ''.join(x). */
static const struct value *unbound(struct fold *f, struct str name, const struct fold_args *args)
{
    struct fold_args rest = *args;

    if (args->n <= args->n_named)
        return &value_unknown;
    rest.at++;
    rest.n--;
    return fold_method(f, args->at[0], name, &rest);
}

const struct value *fold_call(struct fold *f, struct str path, const struct fold_args *args,
                              bool *ret_known)
{
    static const char *const types[] = {"builtins.int.",  "builtins.str.",  "builtins.bytes.",
                                        "builtins.dict.", "builtins.list.", "builtins.bytearray."};
    function_fn *fn = fold_call_find(path);

    *ret_known = fn != NULL;
    if (fn)
        return fold_pay(f, 1) ? fn(f, args) : &value_unknown;
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (!str_starts(path, types[i]))
            continue;
        *ret_known = true;
        return unbound(f, str_slice(path, strlen(types[i]), path.n), args);
    }
    return &value_unknown;
}
