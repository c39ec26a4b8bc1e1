/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/rules.h"

#include <string.h>

#include "base/num.h"
#include "llm/prompts.h"
#include "policy/policy.h"
#include "request/settings.h"
#include "run/check.h"

enum { FILES_SHOWN = 100 };

/* Appends the name that SRC[:NAME], an argument of --file, has in the workspace. */
static void rules_add_name(struct buf *b, const char *spec, bool first)
{
    const char *colon = strrchr(spec, ':');
    const char *name = colon && colon[1] ? colon + 1 : spec;
    const char *slash = name == spec ? strrchr(spec, '/') : NULL;

    (void)buf_adds(b, first ? "" : ", ");
    prompt_add_name(b, str_from(slash && slash[1] ? slash + 1 : name));
}

static void rules_add_files(struct buf *b, const struct run_request *q)
{
    char *const *files = q->workspace.files;

    if (!files || !*files)
        return;
    (void)buf_adds(b, "- The current folder has: ");
    for (size_t i = 0; files[i] && i < FILES_SHOWN; i++)
        rules_add_name(b, files[i], i == 0);
    (void)buf_adds(b, ".\n");
}

static void add_limits(struct buf *b, const struct run_request *q)
{
    char time[32], memory[32], output[32];

    (void)buf_addf(b, "- It may take %s",
                   q->limits.wall_ms ? num_format_duration(q->limits.wall_ms, time, sizeof time)
                                     : "any time");
    if (q->limits.memory_bytes)
        (void)buf_addf(b, ", %s of memory",
                       num_format_size(q->limits.memory_bytes, memory, sizeof memory));
    if (q->output_limit)
        (void)buf_addf(b, " and %s of output",
                       num_format_size(q->output_limit, output, sizeof output));
    (void)buf_adds(b, ".\n");
}

/* Reads the lists of imports from the text of a policy. */
static int add_imports(void *ctx, const struct conf_item *item, struct err *err)
{
    struct buf *b = ctx;
    bool allowed = str_is(item->key, "allowed_imports");

    (void)err;
    if (item->section.n || (!allowed && !str_is(item->key, "forbidden_imports")) || item->n == 0)
        return 0;
    (void)buf_adds(b, allowed ? "- It may import only: " : "- It must not import: ");
    for (size_t i = 0; i < item->n; i++) {
        (void)buf_adds(b, i ? ", " : "");
        prompt_add_name(b, item->values[i]);
    }
    (void)buf_adds(b, ".\n");
    return 0;
}

int rules_add_imports(struct buf *b, const struct run_request *q, struct err *err)
{
    AUTO_BUF struct buf text = {0};
    struct policy *policy = check_open_policy(q, err);

    if (!policy)
        return -1;
    buf_init(&text, 1 << 20);
    policy_print(policy, &text);
    policy_free(policy);
    return conf_parse(buf_str(&text), "policy", add_imports, b, err);
}

int rules_add(struct buf *b, const struct run_request *q, struct err *err)
{
    (void)buf_adds(b, "- The program runs once, without input from a person.\n");
    if (q->place.net_rules)
        (void)buf_addf(b, "- The network reaches only these hosts: %s\n",
                       network_hosts(q->place.net_rules));
    else if (!q->place.net_host)
        (void)buf_adds(b, "- There is no network.\n");
    (void)buf_adds(b, "- It may write files: those in its current folder are returned to the user, "
                      "those in /tmp are not.\n");
    rules_add_files(b, q);
    add_limits(b, q);
    size_t before = b->n;
    if (rules_add_imports(b, q, err) < 0)
        return -1;
    if (b->n == before)
        (void)buf_adds(b, "- Use the standard library; other packages may be missing.\n");
    return b->overflow ? err_set(err, ERR_LIMIT, "the sandbox's rules are too long for a prompt")
                       : 0;
}
