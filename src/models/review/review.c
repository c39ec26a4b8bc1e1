/* SPDX-License-Identifier: Apache-2.0
 *
 * The story of a review: an earlier verdict, or a question to the model and its answer. Unless the
 * model gives a verdict, the answer stays as it was: not secure.
 */
#include "review/review.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/printable.h"
#include "llm/usage_write.h"
#include "review/review_cache.h"
#include "review/review_text.h"

enum { IDLE_MAX = 8 };

struct review {
    struct review_settings settings;
    struct reviewer reviewer;
    char *provider, *model, *address;
    pthread_mutex_t lock;
    struct llm *idle[IDLE_MAX]; /* a connection is for one thread at a time */
    size_t idle_n;
    struct llm_usage_table usage;
    pthread_mutex_t recording; /* a file of records is for one connection */
};

static bool is_recorded(const struct review *r)
{
    return r->settings.model->record || r->settings.model->replay;
}

/* ---- connections ---- */

static struct llm *review_take(struct review *r, struct err *err)
{
    struct llm *llm = NULL;

    pthread_mutex_lock(&r->lock);
    if (r->idle_n)
        llm = r->idle[--r->idle_n];
    pthread_mutex_unlock(&r->lock);
    if (!llm && llm_open(r->settings.model, &llm, err) < 0)
        return NULL;
    return llm;
}

static void give_back(struct review *r, struct llm *llm)
{
    pthread_mutex_lock(&r->lock);
    if (r->idle_n < IDLE_MAX) {
        r->idle[r->idle_n++] = llm;
        llm = NULL;
    }
    pthread_mutex_unlock(&r->lock);
    llm_close(llm);
}

/* ---- one review ---- */

struct asking {
    struct review *review;
    const struct review_question *question;
    struct review_answer *ret;
    struct buf system;
    struct buf texts; /* the program and what runs with it, without a mark */
    char key[SHA256_HEX];
};

static void review_refuse(struct asking *a, const char *why)
{
    AUTO_BUF struct buf line = {0};

    buf_init(&line, 8 << 10);
    (void)buf_adds(&line, "no review: ");
    printable_add_word(&line, str_from(why), REVIEW_REASON_MAX);
    free(a->ret->reason);
    a->ret->reason = buf_take(&line);
}

/* If reasons must be discreet, the reason is general: the failure's own message has the server's
 * address and words. */
static void refuse_failure(struct asking *a, const struct err *err)
{
    const struct review_settings *s = &a->review->settings;

    if (!s->discreet) {
        review_refuse(a, err->msg);
        return;
    }
    if (s->note)
        s->note(s->ctx, err->msg);
    review_refuse(a, err->kind == ERR_TIMEOUT ? "the model did not answer in time"
                     : err->kind == ERR_GUEST ? "the model's answer is not a verdict"
                                              : "the model could not be asked");
}

/* Returns why the program cannot be sent as it is, or NULL. */
static const char *unfit(const struct buf *texts)
{
    struct str code = buf_str(texts);

    if (texts->overflow)
        return "the program has more than 256 KiB, the maximum that is sent to a model";
    if (!utf8_valid(code) || (code.n && memchr(code.p, '\0', code.n)))
        return "the program is not text in UTF-8";
    return NULL;
}

static void add_to_sum(struct sha256 *sum, struct str s)
{
    uint64_t n = s.n;

    sha256_add(sum, &n, sizeof n);
    sha256_add(sum, s.p, s.n);
}

/* Makes the key from everything on which a verdict depends. The system prompt has the policy, the
 * limits and the tools. */
static void make_key(struct asking *a)
{
    const struct review *r = a->review;
    const struct review_question *q = a->question;
    struct sha256 sum;

    sha256_init(&sum);
    add_to_sum(&sum, STR("review 2"));
    add_to_sum(&sum, str_from(r->provider));
    add_to_sum(&sum, str_from(r->model));
    add_to_sum(&sum, str_from(r->address));
    add_to_sum(&sum, buf_str(&a->system));
    add_to_sum(&sum, q->code);
    for (size_t i = 0; i < q->beside_count; i++) {
        add_to_sum(&sum, str_from(q->beside[i].what));
        add_to_sum(&sum, q->beside[i].text);
    }
    sha256_hex(&sum, a->key);
}

static void take_verdict(struct asking *a, const json_t *value)
{
    const char *reason = json_string_value(json_object_get(value, "reason"));
    AUTO_BUF struct buf line = {0};

    buf_init(&line, 8 << 10);
    printable_add_word(&line, str_trim(str_from(reason)), REVIEW_REASON_MAX);
    a->ret->secure = json_is_true(json_object_get(value, "is_secure"));
    a->ret->answered = true;
    a->ret->reason = line.n ? buf_take(&line) : xstrdup("the model gave no reason");
}

static void read_answer(struct asking *a, const struct llm_answer *answer)
{
    if (answer->finish == LLM_FINISH_REFUSED)
        review_refuse(a, "the model refused to answer");
    else if (answer->call_n)
        review_refuse(a, "the model called a tool instead of giving a verdict");
    else if (!answer->value)
        review_refuse(a, "the model gave no verdict");
    else
        take_verdict(a, answer->value);
}

static void review_log_usage(struct asking *a, const struct llm_answer *answer)
{
    struct review *r = a->review;
    struct usage_of what = {.log = a->question->run->door.log ? a->question->run->door.log
                                                              : r->settings.log,
                            .run_id = a->question->run_id,
                            .provider = r->provider,
                            .model = r->model};
    struct llm_usage_table one = {0};
    struct err err;

    llm_usage_count(&one, "review", &answer->usage);
    pthread_mutex_lock(&r->lock);
    llm_usage_count(&r->usage, "review", &answer->usage);
    pthread_mutex_unlock(&r->lock);
    if (usage_write(&what, &one, &err) < 0 && r->settings.note)
        r->settings.note(r->settings.ctx, err.msg);
    a->ret->usage = llm_usage_table_json(&one);
    llm_usage_table_done(&one);
}

static int make_messages(struct asking *a, struct llm_messages *messages, struct err *err)
{
    AUTO_BUF struct buf program = {0}, marked = {0};
    struct str texts = buf_str(&a->texts);
    char mark[REVIEW_MARK];
    int drawn = 0;

    if (is_recorded(a->review))
        review_mark(texts, review_draw_sum, &texts, mark);
    else
        review_mark(texts, review_draw_random, &drawn, mark);
    if (drawn < 0)
        return err_sys(err, "get random bytes for a mark");
    buf_init(&marked, REVIEW_CODE_MAX + REVIEW_MARK * a->question->beside_count);
    review_add_texts(a->question, mark, &marked);
    review_add_program(buf_str(&marked), mark, &program);
    llm_say(messages, LLM_SYSTEM, a->system.p);
    llm_say(messages, LLM_USER, program.p);
    return 0;
}

static void review_explain(struct asking *a, const struct llm_answer *answer, const struct err *err)
{
    if (answer->finish == LLM_FINISH_REFUSED)
        review_refuse(a, "the model refused to answer");
    else if (answer->usage.requests && str_trim(buf_str(&answer->text)).n == 0)
        review_refuse(a, "the model's answer is empty");
    else
        refuse_failure(a, err);
}

static int review_ask(struct asking *a, struct llm *llm, struct err *err)
{
    struct review *r = a->review;
    const struct llm_watch watch = {.cancel_fd = a->question->cancel_fd,
                                    .deadline_ms = a->question->deadline_ms,
                                    .note = r->settings.note,
                                    .ctx = r->settings.ctx};
    struct llm_messages messages = {0};
    struct llm_answer answer = {0};
    json_t *schema = review_schema();
    const struct llm_request request = {
        .component = "review", .messages = &messages, .schema = schema};
    int status = make_messages(a, &messages, err);

    if (status == 0)
        status = llm_ask(llm, &request, &watch, &answer, err);
    a->ret->cancelled = status < 0 && llm_cancelled(llm);
    if (status == 0)
        read_answer(a, &answer);
    else
        review_explain(a, &answer, err);
    if (answer.usage.requests)
        review_log_usage(a, &answer);
    llm_answer_done(&answer);
    llm_messages_done(&messages);
    json_decref(schema);
    return status;
}

static void ask_model(struct asking *a)
{
    struct review *r = a->review;
    struct err err;

    if (is_recorded(r))
        pthread_mutex_lock(&r->recording);
    struct llm *llm = review_take(r, &err);
    if (llm) {
        (void)review_ask(a, llm, &err);
        give_back(r, llm);
    } else {
        refuse_failure(a, &err);
    }
    if (is_recorded(r))
        pthread_mutex_unlock(&r->recording);
}

/* A replay must not depend on this user's cache, nor fill it. */
static bool uses_cache(const struct review *r)
{
    return !r->settings.no_cache && !is_recorded(r);
}

static void review(void *ctx, const struct review_question *question, struct review_answer *ret)
{
    struct asking a = {.review = ctx, .question = question, .ret = ret};
    const char *prompts = a.review->settings.model->prompts;
    AUTO_BUF struct buf rules = {0};
    struct err err;

    buf_init(&a.texts, REVIEW_CODE_MAX);
    review_add_texts(question, "", &a.texts);
    const char *problem = unfit(&a.texts);
    if (problem) {
        review_refuse(&a, problem);
    } else if (review_add_rules(question, &rules, &err) < 0) {
        review_refuse(&a, err.msg);
    } else if (review_add_system(question, buf_str(&rules), prompts, &a.system, &err) < 0) {
        refuse_failure(&a, &err);
    } else {
        make_key(&a);
        if (!uses_cache(a.review) || !review_cache_find(a.key, ret)) {
            ask_model(&a);
            if (ret->answered && uses_cache(a.review))
                review_cache_keep(a.key, ret);
        }
    }
    buf_done(&a.system);
    buf_done(&a.texts);
}

/* ---- opening ---- */

int review_open(const struct review_settings *settings, struct review **ret, struct err *err)
{
    struct llm *llm;

    if (llm_open(settings->model, &llm, err) < 0)
        return -1;
    struct review *r = xcalloc(1, sizeof *r);
    r->settings = *settings;
    r->reviewer = (struct reviewer){review, r};
    r->provider = xstrdup(llm_provider_name(llm));
    r->model = xstrdup(llm_model(llm));
    r->address = xstrdup(llm_address(llm));
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->recording, NULL);
    r->idle[r->idle_n++] = llm;
    *ret = r;
    return 0;
}

void review_close(struct review *r)
{
    if (!r)
        return;
    while (r->idle_n)
        llm_close(r->idle[--r->idle_n]);
    llm_usage_table_done(&r->usage);
    pthread_mutex_destroy(&r->lock);
    pthread_mutex_destroy(&r->recording);
    free(r->provider);
    free(r->model);
    free(r->address);
    free(r);
}

const struct reviewer *review_reviewer(const struct review *r)
{
    return &r->reviewer;
}

const char *review_provider(const struct review *r)
{
    return r->provider;
}

const char *review_model(const struct review *r)
{
    return r->model;
}

const struct llm_usage_table *review_usage(const struct review *r)
{
    return &r->usage;
}
