/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/reading.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/hide_key.h"
#include "formats/json_get.h"
#include "formats/json_shape.h"
#include "formats/printable.h"

void reading_init(struct reading *r, struct llm_answer *answer, const struct llm_watch *watch)
{
    *r = (struct reading){.answer = answer, .watch = watch};
    buf_init(&answer->text, READING_TEXT_MAX);
}

void reading_done(struct reading *r)
{
    for (size_t i = 0; i < r->call_n; i++) {
        buf_done(&r->calls[i].id);
        buf_done(&r->calls[i].name);
        buf_done(&r->calls[i].arguments);
    }
    for (size_t i = 0; i < r->block_n; i++) {
        json_decref(r->blocks[i].value);
        buf_done(&r->blocks[i].text);
        buf_done(&r->blocks[i].input);
        buf_done(&r->blocks[i].signature);
    }
    free(r->calls);
    free(r->blocks);
    *r = (struct reading){0};
}

/* ---- JSON of a server ---- */

static json_t *parse(struct str text, size_t flags, struct err *err)
{
    json_error_t where;
    AUTO_BUF struct buf begin = {0};

    if (text.n > READING_EVENT_MAX || json_count_values(text) > READING_VALUES_MAX) {
        err_set(err, ERR_LIMIT, "the answer is too large");
        return NULL;
    }
    json_t *value = json_loadb(text.p, text.n, JSON_ALLOW_NUL | JSON_DECODE_ANY | flags, &where);
    if (!value) {
        buf_init(&begin, 1024);
        printable_add_word(&begin, text, 60);
        err_set(err, ERR_GUEST, "the answer is not valid JSON: %s", begin.n ? begin.p : "(empty)");
    }
    return value;
}

json_t *reading_parse(struct str text, struct err *err)
{
    return parse(text, 0, err);
}

json_t *reading_parse_strictly(struct str text, struct err *err)
{
    return parse(text, JSON_REJECT_DUPLICATES, err);
}

/* ---- adding ---- */

void reading_add(struct reading *r, struct buf *b, struct str piece)
{
    r->full |= buf_add_str(b, piece) < 0;
}

/* A NUL would end the string for all code that reads it later. */
static void add_without_nul(struct reading *r, struct buf *b, struct str piece)
{
    struct str part;

    for (bool first = true; str_next(&piece, '\0', &part); first = false) {
        if (!first)
            reading_add(r, b, STR("\xef\xbf\xbd"));
        reading_add(r, b, part);
    }
}

static void reading_show(struct reading *r, size_t end)
{
    struct str piece = str_slice(buf_str(&r->answer->text), r->shown_n, end);
    AUTO_BUF struct buf hidden = {0};

    if (!piece.n || !r->watch || !r->watch->text)
        return;
    r->shown = true;
    r->shown_n = end;
    if (r->key && memmem(piece.p, piece.n, r->key, strlen(r->key))) {
        buf_init(&hidden, READING_TEXT_MAX);
        hide_key(&hidden, piece, r->key);
        piece = buf_str(&hidden);
    }
    r->watch->text(r->watch->ctx, piece);
}

void reading_text(struct reading *r, struct str piece)
{
    add_without_nul(r, &r->answer->text, piece);
    struct str fresh = str_slice(buf_str(&r->answer->text), r->shown_n, r->answer->text.n);
    reading_show(r, r->shown_n + (r->key ? hide_key_free_part(fresh, r->key) : fresh.n));
}

void reading_show_rest(struct reading *r)
{
    reading_show(r, r->answer->text.n);
}

struct reading_call *reading_call(struct reading *r, size_t index)
{
    if (index >= READING_CALLS_MAX) {
        r->full = true;
        return NULL;
    }
    if (index >= r->call_n)
        r->calls = xrealloc_array(r->calls, index + 1, sizeof *r->calls);
    for (; r->call_n <= index; r->call_n++) {
        struct reading_call *new = &r->calls[r->call_n];
        *new = (struct reading_call){0};
        buf_init(&new->id, 1024);
        buf_init(&new->name, 1024);
        buf_init(&new->arguments, READING_ARGUMENTS_MAX);
    }
    return &r->calls[index];
}

struct reading_block *reading_block(struct reading *r, size_t index)
{
    if (index >= READING_BLOCKS_MAX) {
        r->full = true;
        return NULL;
    }
    if (index >= r->block_n)
        r->blocks = xrealloc_array(r->blocks, index + 1, sizeof *r->blocks);
    for (; r->block_n <= index; r->block_n++) {
        struct reading_block *new = &r->blocks[r->block_n];
        *new = (struct reading_block){0};
        buf_init(&new->text, READING_TEXT_MAX);
        buf_init(&new->input, READING_ARGUMENTS_MAX);
        buf_init(&new->signature, READING_ARGUMENTS_MAX);
    }
    return &r->blocks[index];
}

void reading_finish_word(struct reading *r, const struct finish_word *table, const json_t *word)
{
    AUTO_BUF struct buf shown = {0};

    if (!json_is_string(word))
        return;
    r->has_finish = true;
    r->answer->finish = LLM_FINISH_UNKNOWN;
    for (; table->word; table++)
        if (str_is(json_str(word), table->word))
            r->answer->finish = table->finish;
    buf_init(&shown, 1024);
    printable_add_word(&shown, json_str(word), 60);
    free(r->answer->finish_word);
    r->answer->finish_word = buf_take(&shown);
}

int64_t reading_count(const json_t *object, const char *name)
{
    int64_t n = json_get_int(object, name);

    return n < 0 ? 0 : n;
}

void reading_usage(struct reading *r, const json_t *usage, int64_t prompt, int64_t completion,
                   int64_t cached)
{
    struct llm_usage *u = &r->answer->usage;

    if (!json_is_object(usage))
        return;
    u->tokens_known = true;
    u->prompt_tokens = prompt;
    u->completion_tokens = completion;
    u->cached_tokens = cached < prompt ? cached : prompt;
}

/* ---- the end ---- */

/* Two calls with one id could not be distinguished by their results. */
static bool is_repeated(const struct llm_answer *answer, const char *id)
{
    for (size_t i = 0; i < answer->call_n; i++)
        if (strcmp(answer->calls[i].id, id) == 0)
            return true;
    return false;
}

static void take_call(struct llm_answer *answer, const struct reading_call *from)
{
    bool usable = from->id.n && !memchr(from->id.p, '\0', from->id.n);
    char *id = usable && !is_repeated(answer, from->id.p) ? xstrdup(from->id.p)
                                                          : xasprintf("call_%zu", answer->call_n);

    answer->calls[answer->call_n++] = (struct llm_call){
        .id = id,
        .name = xstrdup(from->name.p),
        .arguments = xstrdup(from->arguments.n ? from->arguments.p : "{}"),
    };
}

int reading_finish(struct reading *r, struct err *err)
{
    struct llm_answer *answer = r->answer;

    if (r->full)
        return err_set(err, ERR_LIMIT, "the answer is too large");
    answer->calls = xcalloc(r->call_n + 1, sizeof *answer->calls);
    for (size_t i = 0; i < r->call_n; i++)
        if (r->calls[i].name.n)
            take_call(answer, &r->calls[i]);
    if (answer->call_n && answer->finish != LLM_FINISH_LENGTH)
        answer->finish = LLM_FINISH_CALLS;
    return 0;
}

json_t *reading_texts(const char *const *texts)
{
    json_t *list = json_array();

    for (; *texts; texts++)
        json_array_append_new(list, json_string(*texts));
    return list;
}

json_t *reading_arguments(const struct llm_call *call)
{
    json_t *arguments = json_loads(call->arguments, 0, NULL);

    if (json_is_object(arguments))
        return arguments;
    json_decref(arguments);
    return json_object();
}

void reading_add_turn(json_t *turns, const char *role, const char *key, json_t *pieces)
{
    json_t *last = json_array_get(turns, json_array_size(turns) - 1);

    if (last && strcmp(json_get_text(last, "role"), role) == 0)
        json_array_extend(json_object_get(last, key), pieces);
    else if (json_array_size(pieces))
        json_array_append_new(turns, json_pack("{s:s, s:o}", "role", role, key, json_copy(pieces)));
    json_decref(pieces);
}

/* ---- errors in documents ---- */

const json_t *reading_error(const json_t *document)
{
    static const char *const names[] = {"message", "detail", "error", "msg"};

    if (json_is_array(document))
        document = json_array_get(document, 0);
    if (json_is_object(json_object_get(document, "error")))
        document = json_object_get(document, "error");
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (json_is_string(json_object_get(document, names[i])))
            return json_object_get(document, names[i]);
    return NULL;
}

int reading_check_error(const json_t *document, struct err *err)
{
    AUTO_BUF struct buf words = {0};
    const json_t *error = json_object_get(document, "error");

    if (!error || json_is_null(error))
        return 0;
    buf_init(&words, 4096);
    printable_add_word(&words, json_str(reading_error(document)), 300);
    return err_set(err, ERR_SYSTEM, "the server reports: %s", words.n ? words.p : "an error");
}
