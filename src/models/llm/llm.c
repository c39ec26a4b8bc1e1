/* SPDX-License-Identifier: Apache-2.0
 *
 * The story of a request: an exchange, its answer read by the protocol, and another attempt where
 * that may help.
 */
#include "llm/llm.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "formats/hide_key.h"
#include "formats/json_get.h"
#include "formats/json_mem.h"
#include "llm/ask.h"
#include "llm/prices.h"
#include "llm/retry.h"
#include "llm/schema.h"
#include "options/user_file.h"

struct llm {
    const struct model_settings *settings;
    struct llm_place place;
    struct model_wire *wire;
    struct buf prices;
    struct llm_usage_table usage;
    bool cancelled;
};

/* ---- opening ---- */

static int load_prices(const char *path, struct buf *ret, struct err *err)
{
    AUTO_FREE char *own = path ? xstrdup(path) : user_file_config("prices.txt");

    buf_init(ret, 1 << 20);
    if (!path && (!own || access(own, F_OK) < 0))
        return buf_adds(ret, llm_prices_txt);
    if (fd_read_file(own, ret, err) < 0)
        return err_wrap(err, "prices");
    return llm_prices_check(buf_str(ret), own, err);
}

int llm_open(const struct model_settings *settings, struct llm **ret, struct err *err)
{
    struct llm *llm = xcalloc(1, sizeof *llm);

    json_mem_init();
    llm->settings = settings;
    int status = model_wire_open(settings, &llm->wire, err);
    if (status == 0)
        status = load_prices(settings->prices, &llm->prices, err);
    if (status == 0)
        status = llm_place_find(settings, model_wire_first(llm->wire),
                                !model_wire_is_replay(llm->wire), &llm->place, err);
    if (status < 0)
        llm_close(llm);
    else
        *ret = llm;
    return status;
}

void llm_close(struct llm *llm)
{
    if (!llm)
        return;
    model_wire_close(llm->wire);
    llm_place_done(&llm->place);
    llm_usage_table_done(&llm->usage);
    buf_done(&llm->prices);
    free(llm);
}

const char *llm_provider_name(const struct llm *llm)
{
    return llm->place.provider->name;
}

const char *llm_model(const struct llm *llm)
{
    return llm->place.model;
}

const char *llm_address(const struct llm *llm)
{
    return llm->place.base;
}

int64_t llm_max_tokens(const struct llm *llm)
{
    return llm->settings->max_tokens;
}

bool llm_has_tools(const struct llm *llm)
{
    return llm->place.provider->has_tools;
}

bool llm_price_known(const struct llm *llm)
{
    struct llm_usage nothing = {.requests = 1, .tokens_known = true};

    llm_prices_apply(buf_str(&llm->prices), llm_provider_name(llm), llm_model(llm), &nothing);
    return nothing.cost_known;
}

bool llm_cancelled(const struct llm *llm)
{
    return llm->cancelled;
}

const struct llm_usage_table *llm_usage_of(const struct llm *llm)
{
    return &llm->usage;
}

void llm_usage_take(struct llm *llm, const struct llm *other)
{
    llm_usage_count_table(&llm->usage, &other->usage);
}

/* ---- waiting for another attempt ---- */

static int wait_before(struct llm *llm, const struct llm_watch *watch, int64_t ms, struct err *err)
{
    int64_t until = clock_mono_ms() + ms;
    struct pollfd cancel = {.fd = watch->cancel_fd, .events = POLLIN};

    if (model_wire_is_replay(llm->wire))
        return 0;
    if (watch->deadline_ms && until >= watch->deadline_ms)
        return err_wrap(err, "no time is left for another attempt");
    while (clock_mono_ms() < until) {
        int n = poll(&cancel, 1, (int)(until - clock_mono_ms() + 1));
        if (n > 0 && cancel.revents) {
            llm->cancelled = true;
            return err_set(err, ERR_TIMEOUT, "cancelled");
        }
    }
    return 0;
}

static void report_wait(const struct llm_watch *watch, const struct err *why, int attempt,
                        int64_t attempts, int64_t ms)
{
    AUTO_FREE char *line = xasprintf("%s; attempt %d of %lld in %.1f s", why->msg, attempt + 1,
                                     (long long)attempts, (double)ms / 1000);

    if (watch->note)
        watch->note(watch->ctx, line);
}

/* 0 after the wait if there is another attempt; otherwise -1. */
static int prepare_again(struct llm *llm, const struct attempt *attempt, int number,
                         const struct llm_watch *watch, struct err *err)
{
    int64_t attempts = llm->settings->retries + 1;
    int64_t ms = attempt->asked_ms;
    unsigned random = 0;

    if (!attempt->retry || number >= attempts)
        return number > 1 ? err_wrap(err, "after %d attempts", number) : -1;
    if (ms > RETRY_WAIT_MAX_MS)
        return err_wrap(err, "the server asks to wait for %lld s, which is too long",
                        (long long)(ms / 1000));
    if (ms < 0) {
        random = (unsigned)(clock_mono_ns() / 1000);
        ms = retry_backoff_ms(number, random);
    }
    report_wait(watch, err, number, attempts, ms);
    return wait_before(llm, watch, ms, err);
}

/* ---- the answer ---- */

/* A model may put the JSON into a code block, whatever the request demands. */
static struct str bare_json(struct str text)
{
    text = str_trim(text);
    if (str_starts(text, "```") && str_ends(text, "```") && text.n >= 6) {
        long line = str_find(text, STR("\n"));
        if (line > 0 && (size_t)line < text.n - 3)
            text = str_slice(text, (size_t)line + 1, text.n - 3);
    }
    return text;
}

static int read_value(const struct llm *llm, const struct llm_request *request,
                      struct llm_answer *answer, struct err *err)
{
    if (answer->finish == LLM_FINISH_LENGTH)
        return err_set(err, ERR_GUEST, "the model's answer was cut at its maximum of tokens");
    answer->value = hide_key_json(reading_parse_strictly(bare_json(buf_str(&answer->text)), err),
                                  llm->place.key);
    if (!answer->value || schema_check(request->schema, answer->value, err) < 0)
        return err_wrap(err, "the model's answer does not have the requested form");
    return 0;
}

static int check_form(const struct llm *llm, const struct llm_request *request,
                      struct llm_answer *answer, struct err *err)
{
    if (!request->schema || answer->call_n || read_value(llm, request, answer, err) == 0)
        return 0;
    if (!request->lenient)
        return -1;
    json_decref(answer->value);
    answer->value = NULL;
    return 0;
}

static void llm_count(struct llm *llm, const char *component, struct llm_answer *answer)
{
    answer->usage.requests = 1;
    llm_prices_apply(buf_str(&llm->prices), llm_provider_name(llm), llm_model(llm), &answer->usage);
    llm_usage_count(&llm->usage, component ? component : "other", &answer->usage);
}

static int64_t timeout_of(const struct llm *llm, const struct llm_watch *watch)
{
    int64_t ms = llm->settings->timeout_ms;
    int64_t left = watch->deadline_ms ? watch->deadline_ms - clock_mono_ms() : 0;

    /* If the caller's deadline is earlier, it ends the wait, with its own message. */
    return left > 0 && ms > left ? 0 : ms;
}

static const struct protocol *protocol_of(const struct llm *llm, const struct llm_request *request,
                                          struct err *err)
{
    const struct provider *provider = llm->place.provider;

    if (!request->builtin)
        return provider->protocol;
    if (!provider->builtin) {
        (void)err_set(err, ERR_UNSUPPORTED, "models of '%s' cannot run code on the provider's side",
                      provider->name);
        return NULL;
    }
    if (!provider->lacks_builtin || !provider->lacks_builtin(llm->place.model))
        return provider->builtin;
    (void)err_set(err, ERR_UNSUPPORTED,
                  "Gemini code execution tool is not supported for model %.100s", llm_model(llm));
    return NULL;
}

/* Reads the runs of code. The last text of the answer is the reply. */
static void read_runs(const struct llm *llm, const struct protocol *protocol,
                      struct llm_answer *answer)
{
    json_t *runs = json_array(), *last = NULL;
    AUTO_BUF struct buf text = {0};

    buf_init(&text, READING_TEXT_MAX);
    protocol->runs(answer->raw, runs);
    llm_last_text(answer->raw, &text);
    last = hide_key_json(json_pack("[o, s%]", runs, text.p, text.n), llm->place.key);
    answer->runs = json_incref(json_array_get(last, 0));
    if (json_array_size(answer->runs) && text.n && !memchr(text.p, '\0', text.n)) {
        buf_clear(&answer->text);
        (void)buf_add_str(&answer->text, json_str(json_array_get(last, 1)));
    }
    json_decref(last);
}

int llm_ask(struct llm *llm, const struct llm_request *request, const struct llm_watch *watch,
            struct llm_answer *ret, struct err *err)
{
    const struct llm_watch nothing = {.cancel_fd = -1};
    struct attempt attempt = {.place = &llm->place,
                              .protocol = protocol_of(llm, request, err),
                              .wire = llm->wire,
                              .request = request,
                              .watch = watch ? watch : &nothing,
                              .max_tokens = llm->settings->max_tokens,
                              .answer = ret};
    int number = 1;

    *ret = (struct llm_answer){0};
    if (!attempt.protocol)
        return -1;
    attempt.timeout_ms = timeout_of(llm, attempt.watch);
    for (;; number++) {
        int status = attempt_run(&attempt, err);
        llm->cancelled = attempt.cancelled;
        ret->attempts = number;
        if (status == 0)
            break;
        if (prepare_again(llm, &attempt, number, attempt.watch, err) < 0)
            return -1;
    }
    llm_count(llm, request->component, ret);
    if (request->builtin)
        read_runs(llm, attempt.protocol, ret);
    return check_form(llm, request, ret, err);
}
