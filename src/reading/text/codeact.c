/* SPDX-License-Identifier: Apache-2.0 */
#include "text/codeact.h"

#include <jansson.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "text/blocks.h"

static const char both[] = "Cannot have both code and final_answer. Provide either code for "
                           "execution or final_answer to conclude.";

/* ---- the JSON form ---- */

json_t *codeact_object(struct str text)
{
    const char *first = text.n ? memchr(text.p, '{', text.n) : NULL;
    const char *last = text.n ? memrchr(text.p, '}', text.n) : NULL;
    AUTO_BUF struct buf plain = {0};

    if (!first || !last || last < first)
        return NULL;
    struct str body = {first, (size_t)(last - first) + 1};
    json_t *object = json_loadb(body.p, body.n, JSON_ALLOW_NUL, NULL);
    if (object || str_find(body, STR("\\'")) < 0)
        return object;
    buf_init(&plain, body.n);
    for (size_t i = 0; i < body.n; i++)
        if (body.p[i] != '\\' || i + 1 == body.n || body.p[i + 1] != '\'')
            (void)buf_addc(&plain, body.p[i]);
    return json_loadb(plain.p, plain.n, JSON_ALLOW_NUL, NULL);
}

size_t codeact_object_end(struct str text)
{
    const char *last = text.n ? memrchr(text.p, '}', text.n) : NULL;

    return last ? (size_t)(last - text.p) + 1 : 0;
}

/* True if the object has these keys: Python code has braces, too. */
static bool is_reply(const json_t *object, struct str text)
{
    bool known = json_object_get(object, "code") || json_object_get(object, "final_answer");
    struct str rest = blocks_strip(text);

    return json_object_get(object, "thought") ||
           (known && (str_starts(rest, "{") || str_starts(rest, "```")));
}

/* A string or null. */
static int get_text(struct codeact_reply *ret, const json_t *object, const char *key,
                    struct str *ret_text, struct err *err)
{
    const json_t *value = json_object_get(object, key);

    *ret_text = (struct str){NULL, 0};
    if (!value || json_is_null(value))
        return 0;
    if (!json_is_string(value))
        return err_set(err, ERR_GUEST, "%s: Input should be a valid string", key);
    *ret_text =
        arena_str(&ret->arena, (struct str){json_string_value(value), json_string_length(value)});
    return 0;
}

static int codeact_check(struct codeact_reply *reply, struct err *err)
{
    bool has_code = reply->code.p && blocks_strip(reply->code).n;

    if (!reply->thought.p)
        return err_set(err, ERR_GUEST, "thought: Field required");
    if (has_code && reply->final_answer.p)
        return err_set(err, ERR_GUEST, "%s", both);
    if (!has_code && !reply->final_answer.p)
        return err_set(err, ERR_GUEST,
                       "Must provide either code for execution or final_answer to conclude");
    if (has_code && reply->task_successful)
        return err_set(err, ERR_GUEST,
                       "task_successful must be False when executing code (intermediate step)");
    if (!has_code)
        reply->code.p = NULL;
    return 0;
}

static int read_object(const json_t *object, struct codeact_reply *ret, struct err *err)
{
    const json_t *successful = json_object_get(object, "task_successful");

    if (successful && !json_is_boolean(successful) && !json_is_null(successful))
        return err_set(err, ERR_GUEST, "task_successful: Input should be a valid boolean");
    ret->task_successful = json_is_true(successful);
    if (get_text(ret, object, "thought", &ret->thought, err) < 0 ||
        get_text(ret, object, "code", &ret->code, err) < 0 ||
        get_text(ret, object, "final_answer", &ret->final_answer, err) < 0)
        return -1;
    return codeact_check(ret, err);
}

/* ---- the text form ---- */

static bool is_tail(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static bool starts_nocase(struct str s, const char *word)
{
    size_t n = strlen(word);

    return s.n >= n && strncasecmp(s.p, word, n) == 0;
}

static size_t find_nocase(struct str text, size_t from, const char *word)
{
    for (; from < text.n; from++)
        if (starts_nocase(str_slice(text, from, text.n), word))
            return from;
    return SIZE_MAX;
}

static size_t skip_space(struct str text, size_t at)
{
    size_t n;

    while ((n = blocks_space(str_slice(text, at, text.n))))
        at += n;
    return at;
}

static bool starts_label(struct str rest, const char *const *labels)
{
    for (; *labels; labels++)
        if (starts_nocase(rest, *labels))
            return true;
    return false;
}

/* Matches LABEL\s*(.+?)(?=\n(?:ENDS)|$). The group needs at least one character, so if only white
 * space follows, that is not skipped. False if there is no match. */
static bool section(struct str text, size_t label_at, size_t label_n, const char *const *ends,
                    size_t *ret_from, size_t *ret_to)
{
    size_t after = label_at + label_n, from = skip_space(text, after), to;

    if (from >= text.n && after < text.n)
        for (from = text.n - 1; from > after && is_tail(text.p[from]);)
            from--;
    if (from >= text.n)
        return false;
    for (to = from + 1; to < text.n; to++)
        if (text.p[to] == '\n' &&
            (to + 1 == text.n || starts_label(str_slice(text, to + 1, text.n), ends)))
            break;
    *ret_from = from;
    *ret_to = to;
    return true;
}

/* Matches \s*(.+?)\s*``` from `from` on; the first \s* gives back white space if the group would be
 * empty. False if no fence follows. */
static bool fenced(struct str text, size_t from, size_t last_fence, size_t *ret_from,
                   size_t *ret_to)
{
    size_t at = skip_space(text, from);

    if (last_fence == 0 || last_fence < from + 1)
        return false;
    if (at >= last_fence)
        for (at = last_fence - 1; at > from && is_tail(text.p[at]);)
            at--;
    long found = str_find(str_slice(text, at + 1, text.n), STR("```"));
    *ret_from = at;
    *ret_to = at + 1 + (size_t)found;
    return true;
}

static size_t last_fence(struct str text)
{
    for (size_t at = text.n; at >= 3; at--)
        if (memcmp(text.p + at - 3, "```", 3) == 0)
            return at - 3;
    return 0;
}

/* Matches Code:\s*```(?:python)?\s*(.+?)\s*```. */
static bool find_fenced(struct str text, size_t *ret_from, size_t *ret_to)
{
    size_t last = last_fence(text);

    for (size_t at = 0; (at = find_nocase(text, at, "Code:")) != SIZE_MAX; at++) {
        size_t fence = skip_space(text, at + 5);
        struct str rest = str_slice(text, fence, text.n);
        if (!str_starts(rest, "```"))
            continue;
        bool python = starts_nocase(str_slice(rest, 3, rest.n), "python");
        if ((python && fenced(text, fence + 9, last, ret_from, ret_to)) ||
            fenced(text, fence + 3, last, ret_from, ret_to))
            return true;
    }
    return false;
}

static struct str strip_ticks(struct str s)
{
    s = blocks_strip(s);
    while (s.n && s.p[0] == '`')
        s = str_slice(s, 1, s.n);
    while (s.n && s.p[s.n - 1] == '`')
        s.n--;
    return blocks_strip(s);
}

/* Finds the code, and sets *from and *to to where it is in the text. */
static struct str find_code(struct str text, size_t *from, size_t *to)
{
    static const char *const ends[] = {"Thought:", "Answer:", NULL};
    struct str code = {NULL, 0};

    if (find_fenced(text, from, to))
        code = blocks_strip(str_slice(text, *from, *to));
    size_t label = code.n ? SIZE_MAX : find_nocase(text, 0, "Code:");
    if (label != SIZE_MAX && section(text, label, 5, ends, from, to))
        code = strip_ticks(str_slice(text, *from, *to));
    return code.n ? code : (struct str){NULL, 0};
}

/* Finds the answer. An `Answer:` inside the code does not count. */
static struct str find_answer(struct str text, size_t code_from, size_t code_to)
{
    static const char *const ends[] = {"Successful:", NULL};
    size_t at = 0, from, to;

    while ((at = find_nocase(text, at, "Answer:")) != SIZE_MAX && at >= code_from && at < code_to)
        at = code_to;
    if (at == SIZE_MAX || !section(text, at, 7, ends, &from, &to))
        return (struct str){NULL, 0};
    struct str answer = blocks_strip(str_slice(text, from, to));
    return answer.n ? answer : (struct str){NULL, 0};
}

static bool find_success(struct str text)
{
    for (size_t at = 0; (at = find_nocase(text, at, "Successful:")) != SIZE_MAX; at++) {
        struct str rest = str_slice(text, skip_space(text, at + 11), text.n);
        if (starts_nocase(rest, "true") || starts_nocase(rest, "false"))
            return starts_nocase(rest, "true");
    }
    return false;
}

/* The length of the part of a text that a message quotes. */
static int quoted(struct str text, size_t characters)
{
    size_t n = 0;

    while (n < text.n && (is_tail(text.p[n]) || characters-- > 0))
        n++;
    return (int)n;
}

static int codeact_read_text(struct str text, struct codeact_reply *ret, struct err *err)
{
    static const char *const ends[] = {"Action:", "Answer:", "Code:", NULL};
    size_t label = find_nocase(text, 0, "Thought:"), from = 0, to = 0;

    if (label == SIZE_MAX || !section(text, label, 8, ends, &from, &to))
        return err_set(err, ERR_GUEST,
                       "Could not extract 'Thought:' field from response. Response must start with "
                       "reasoning. Text: %.*s...",
                       quoted(text, 200), text.p);
    ret->thought = blocks_strip(str_slice(text, from, to));
    from = to = 0;
    ret->code = find_code(text, &from, &to);
    ret->code_end = to + (str_starts(str_slice(text, to, text.n), "```") ? 3 : 0);
    ret->final_answer = find_answer(text, ret->code.p ? from : 0, ret->code.p ? to : 0);
    if (ret->code.p && ret->final_answer.p)
        return err_set(err, ERR_GUEST, "%s", both);
    if (!ret->code.p && !ret->final_answer.p)
        return err_set(err, ERR_GUEST,
                       "Could not extract valid Code or Answer from response. Text: %.*s...",
                       quoted(text, 300), text.p);
    ret->task_successful = ret->final_answer.p && find_success(text);
    return 0;
}

int codeact_read(struct str text, struct codeact_reply *ret, struct err *err)
{
    json_t *object = codeact_object(text);

    *ret = (struct codeact_reply){0};
    ret->code_end = codeact_object_end(text);
    int answer = object && is_reply(object, text) ? read_object(object, ret, err)
                                                  : codeact_read_text(text, ret, err);
    json_decref(object);
    return answer;
}

void codeact_done(struct codeact_reply *reply)
{
    arena_done(&reply->arena);
    *reply = (struct codeact_reply){0};
}
