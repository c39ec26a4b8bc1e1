/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/solve_setup.h"

static bool has_sessions(const struct agent_request *request)
{
    const struct language *language =
        language_find(request->run->languages, str_from(request->language));

    return language && language->cells_args;
}

void solve_setup(struct solve_setup *setup, const struct solve_choice *choice,
                 struct agent_request *request)
{
    const struct solve_style *style = solve_style_find(choice->style, request->run->profile);

    *setup = (struct solve_setup){
        .request = {.calls = (enum solve_calls)choice->calls,
                    .style = style,
                    .one_shot = choice->one_shot,
                    .alone = choice->one_shot || !has_sessions(request),
                    .session = &setup->session,
                    .check = choice->check},
        .reply = {.profile = (int)style->reply, .fix = true},
    };
    session_request_init(&setup->session);
    setup->session.forks = 0;
    tool_set_init(&setup->tools);
    setup->tools.final_answer = true;
    setup->session.tools = &setup->tools;
    if (style->reply != REPLY_DEFAULT)
        request->reply = &setup->reply;
    if (!request->bounds.steps)
        request->bounds.steps = style->steps;
}

void solve_setup_done(struct solve_setup *setup)
{
    tool_set_done(&setup->tools);
}
