/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/prompts.h"
#include "agent/rules.h"
#include "mcp/mcp.h"

enum { ABOUT_MAX = 64 << 10 };

static int describe(struct mcp_service *s, struct err *err)
{
    if (rules_add(&s->about, &s->base, err) < 0)
        return -1;
    for (size_t i = 0; s->languages && s->languages[i]; i++)
        (void)buf_addf(&s->about, "%s%s%s", i ? ", " : "- The languages are: ", s->languages[i],
                       s->languages[i + 1] ? "" : ".\n");
    for (char *const *shown = s->base.ro; shown && *shown; shown++) {
        (void)buf_adds(&s->about, "- Readable inside: ");
        prompt_add_name(&s->about, str_from(*shown));
        (void)buf_adds(&s->about, "\n");
    }
    return 0;
}

int mcp_service_open(struct mcp_service *service, const struct request_rules *rules,
                     char *const *languages, int64_t idle_ms, struct err *err)
{
    *service = (struct mcp_service){.rules = rules, .languages = languages, .idle_ms = idle_ms};
    buf_init(&service->about, ABOUT_MAX);
    return settings_request(rules->defaults, &service->base, err) < 0 ? -1 : describe(service, err);
}

void mcp_service_close(struct mcp_service *service)
{
    buf_done(&service->about);
}
