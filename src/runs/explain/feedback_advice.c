/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/feedback_advice.h"

#include <string.h>

#include "base/mem.h"
#include "formats/printable.h"
#include "languages/language.h"
#include "policy/package_words.h"
#include "registry/registry.h"
#include "result/result.h"

enum { MESSAGE_MAX = 2000, CAPTURE_MAX = 80, TEXT_MAX = 4000 };

#define ANY ERRORS_OTHER
#define PY  ERRORS_PYTHON
#define JS  ERRORS_NODE
#define R   ERRORS_R
#define SH  ERRORS_SHELL

/* Without a private root, /tmp is the host's folder. */
#define NO_INSTALLS "Packages cannot be installed inside; " PACKAGE_WAYS "."
#define IN_TMPDIR                                                                                  \
    "The sandbox does not allow that. Temporary files belong below $TMPDIR, which is not /tmp in " \
    "every sandbox (Python: tempfile.gettempdir()), or in the working folder."

static const struct advice table[] = {
#include "explain/feedback_advice.def"
};

/* agentos' own hints. */
static const struct {
    const char *type, *text;
} by_type[] = {
    {"NameError", "Variable or function not defined. Check spelling and scope."},
    {"TypeError", "Wrong type passed to function. Check argument types."},
    {"ValueError", "Invalid value for operation. Check parameter constraints."},
    {"IndexError", "List index out of range. Check bounds."},
    {"KeyError", "Dictionary key not found. Check key existence."},
    {"AttributeError", "Object has no such attribute. Check method/attribute name."},
    {"ImportError", "Missing import. Add 'import X' or 'from X import Y'."},
    {"SyntaxError", "Python syntax error. Check indentation, brackets, colons."},
    {"ZeroDivisionError", "Division by zero. Add guard for zero denominator."},
    {"RecursionError", "Recursion depth exceeded. Add base case or switch to iteration."},
    {"TimeoutError", "Code timed out. Check for infinite loops or optimize."},
};

static const struct {
    const char *type, *base;
} derived[] = {
    {"UnboundLocalError", "NameError"},        {"JSONDecodeError", "ValueError"},
    {"UnicodeDecodeError", "ValueError"},      {"UnicodeEncodeError", "ValueError"},
    {"IndentationError", "SyntaxError"},       {"TabError", "SyntaxError"},
    {"FrozenInstanceError", "AttributeError"},
};

/* ---- matching ---- */

/* Returns the next part of the pattern, up to a star or the end. */
static struct str next_literal(const char **pattern)
{
    const char *begin = *pattern;

    *pattern += strcspn(begin, "*");
    return (struct str){begin, (size_t)(*pattern - begin)};
}

bool advice_match(const char *pattern, struct str text, struct str captures[ADVICE_CAPTURES])
{
    struct str piece = next_literal(&pattern);
    size_t n = 0;

    for (size_t i = 0; i < ADVICE_CAPTURES; i++)
        captures[i] = STR("");
    if (!str_eq(str_slice(text, 0, piece.n), piece))
        return false;
    text = str_slice(text, piece.n, text.n);
    while (*pattern == '*') {
        pattern++;
        piece = next_literal(&pattern);
        long at = *pattern || piece.n ? str_find(text, piece) : (long)text.n;
        if (!*pattern && piece.n && str_eq(str_slice(text, text.n - piece.n, text.n), piece))
            at = (long)(text.n - piece.n);
        if (at < 0 || (!*pattern && (size_t)at + piece.n != text.n))
            return false;
        if (n < ADVICE_CAPTURES)
            captures[n++] = str_slice(text, 0, (size_t)at);
        text = str_slice(text, (size_t)at + piece.n, text.n);
    }
    return text.n == 0;
}

/* True for "{1}" and so on. */
static bool is_place(const char *p)
{
    return p[0] == '{' && p[1] >= '1' && p[1] <= '0' + ADVICE_CAPTURES && p[2] == '}';
}

void advice_write(struct buf *b, const char *text, const struct str captures[ADVICE_CAPTURES])
{
    while (*text) {
        if (is_place(text)) {
            printable_add_word(b, captures[text[1] - '1'], CAPTURE_MAX);
            text += 3;
        } else {
            (void)buf_addc(b, *text++);
        }
    }
}

/* ---- looking up ---- */

struct advice_place advice_place_of(const struct result *result)
{
    struct err err;
    const struct backend *backend =
        result->backend ? backend_find(str_from(result->backend), &err) : NULL;

    return (struct advice_place){
        .net = result->net_host,
        .named = result->net_named,
        .installs = backend && !backend_need(backend, CAN_PACKAGES).why_not,
    };
}

static struct str first_line(struct str message)
{
    struct str line = {"", 0};

    (void)str_next_line(&message, &line);
    return str_slice(line, 0, MESSAGE_MAX);
}

/* Instead of advice about a missing network. */
static const struct advice by_name = {
    .topic = TOPIC_NETWORK,
    .text = "Nothing answers there: the network of this sandbox has only the hosts and ports that "
            "--net allows (80 and 443 if a host is named without a port), and its own servers. Use "
            "one of them, or ask for another one to be allowed."};

static const struct advice *feedback_advice_look_up(const struct advice_error *error,
                                                    struct str captures[ADVICE_CAPTURES])
{
    const char *name = str_after_last(error->type, '.');
    enum language_errors errors = language_traits_of(error->language)->errors;
    struct str message = first_line(error->message);

    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        const struct advice *a = &table[i];
        if ((a->errors && a->errors != errors) ||
            (a->type && (!name || strcmp(a->type, name) != 0)) ||
            (a->topic == TOPIC_NETWORK && error->place.net))
            continue;
        if (advice_match(a->pattern, message, captures))
            return a->topic == TOPIC_NETWORK && error->place.named ? &by_name : a;
    }
    return NULL;
}

char *advice_find(const struct advice_error *error, enum advice_topic *ret_topic)
{
    struct str captures[ADVICE_CAPTURES];
    const struct advice *a = feedback_advice_look_up(error, captures);
    AUTO_BUF struct buf b = {0};

    *ret_topic = a ? a->topic : TOPIC_NONE;
    if (!a)
        return NULL;
    buf_init(&b, TEXT_MAX);
    advice_write(&b, a->text, captures);
    return buf_take(&b);
}

bool advice_has_types(const char *language)
{
    return language_traits_of(language)->errors == ERRORS_PYTHON;
}

/* An undefined name may be in the library; missing modules have their own table. */
static bool add_missing(struct buf *b, const struct advice_error *error)
{
    struct str captures[ADVICE_CAPTURES], message = first_line(error->message);
    const char *name = str_after_last(error->type, '.');

    if (!advice_has_types(error->language) || !name)
        return false;
    if (strcmp(name, "NameError") == 0 &&
        advice_match("name '*' is not defined*", message, captures))
        return advice_add_home(b, captures[0]);
    if (strcmp(name, "ModuleNotFoundError") != 0 ||
        !advice_match("No module named '*'*", message, captures) || captures[1].n)
        return false;
    advice_add_module(b, captures[0], error->place);
    return true;
}

char *advice_for_error(const struct advice_error *error)
{
    AUTO_BUF struct buf b = {0};
    enum advice_topic topic;

    buf_init(&b, TEXT_MAX);
    if (add_missing(&b, error))
        return buf_take(&b);
    return advice_find(error, &topic);
}

enum advice_topic advice_topic_of(const struct advice_error *error)
{
    struct str captures[ADVICE_CAPTURES];
    const struct advice *a = feedback_advice_look_up(error, captures);

    if (strcmp(str_after_last(error->type, '.'), "ModuleNotFoundError") == 0)
        return TOPIC_MODULE;
    return a ? a->topic : TOPIC_NONE;
}

const char *advice_of_type(const char *type)
{
    const char *name = str_after_last(type, '.');

    for (size_t i = 0; i < ARRAY_LEN(derived); i++)
        if (strcmp(derived[i].type, name) == 0)
            name = derived[i].base;
    for (size_t i = 0; i < ARRAY_LEN(by_type); i++)
        if (strcmp(by_type[i].type, name) == 0)
            return by_type[i].text;
    return NULL;
}

const char *advice_type(size_t i)
{
    return i < ARRAY_LEN(by_type) ? by_type[i].type : NULL;
}
