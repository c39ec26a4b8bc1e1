/* SPDX-License-Identifier: Apache-2.0 */
#include "review/review_text.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "llm/prompts.h"
#include "llm/rules.h"

enum { SYSTEM_MAX = 512 << 10, DIGITS = REVIEW_MARK - 1 };

/* ---- the mark ---- */

void review_mark(struct str text, review_draw_fn draw, void *ctx, char ret[REVIEW_MARK])
{
    unsigned n = 0;

    do
        draw(ctx, n++, ret);
    while (str_find(text, str_from(ret)) >= 0);
}

void review_draw_random(void *ctx, unsigned n, char ret[REVIEW_MARK])
{
    unsigned char bytes[DIGITS / 2] = {0};

    (void)n;
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        *(int *)ctx = -1;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
}

void review_draw_sum(void *ctx, unsigned n, char ret[REVIEW_MARK])
{
    const struct str *code = ctx;
    char hex[SHA256_HEX];
    struct sha256 sum;

    sha256_init(&sum);
    sha256_add(&sum, &n, sizeof n);
    sha256_add(&sum, code->p, code->n);
    sha256_hex(&sum, hex);
    memcpy(ret, hex, DIGITS);
    ret[DIGITS] = '\0';
}

/* ---- the messages ---- */

static char *list_tools(const struct tool_names *tools)
{
    AUTO_BUF struct buf b = {0};

    buf_init(&b, SYSTEM_MAX);
    if (!tools || !tools->n)
        return xstrdup("- [None provided]");
    for (size_t i = 0; i < tools->n; i++) {
        (void)buf_adds(&b, i ? "\n- " : "- ");
        prompt_add_name(&b, str_from(tools->at[i]));
    }
    return buf_take(&b);
}

int review_add_rules(const struct review_question *question, struct buf *ret, struct err *err)
{
    buf_init(ret, SYSTEM_MAX);
    return rules_add(ret, question->run, err);
}

int review_add_system(const struct review_question *question, struct str rules, const char *prompts,
                      struct buf *ret, struct err *err)
{
    AUTO_FREE char *tools = list_tools(question->tools);
    /* without the line end after the last rule: the prompt has one */
    AUTO_FREE char *text = xstrndup(rules.p, rules.n - 1);
    const struct prompt_value values[] = {
        {"language", question->language}, {"rules", text}, {"tools", tools}, {0}};

    buf_init(ret, SYSTEM_MAX);
    return prompt_make("review", prompts, values, ret, err);
}

void review_add_texts(const struct review_question *question, const char *mark, struct buf *ret)
{
    (void)buf_add_str(ret, question->code);
    for (size_t i = 0; i < question->beside_count; i++) {
        const struct beside_text *text = &question->beside[i];
        (void)buf_addf(ret, "%s\n--- %s runs with it: ",
                       ret->n && !str_ends(buf_str(ret), "\n") ? "\n" : "", mark);
        prompt_add_name(ret, str_from(text->what));
        (void)buf_adds(ret, " ---\n");
        (void)buf_add_str(ret, text->text);
    }
}

void review_add_program(struct str text, const char *mark, struct buf *ret)
{
    buf_init(ret, text.n + 1024);
    (void)buf_addf(ret, "Review the program between the two marks.\n\n<program %s>\n", mark);
    (void)buf_add_str(ret, text);
    (void)buf_addf(ret, "%s</program %s>\n", str_ends(text, "\n") ? "" : "\n", mark);
}

json_t *review_schema(void)
{
    return json_pack("{s:s, s:{s:{s:s}, s:{s:s}}, s:[s, s], s:b}", "type", "object", "properties",
                     "is_secure", "type", "boolean", "reason", "type", "string", "required",
                     "is_secure", "reason", "additionalProperties", 0);
}
