/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/transform.h"

#include "agent/fix.h"

int transform(struct agent *agent, const struct transform_request *request)
{
    AUTO_BUF struct buf message = {0};

    if (agent_say_system(agent, "transform", NULL) < 0 ||
        fix_show_program(agent, request->code, "is to be rewritten:", &message) < 0)
        return -1;
    (void)buf_addf(&message, "\nInstruction: %s\n", request->instruction);
    llm_say(&agent->messages, LLM_USER, message.p);
    return trial_until_passed(agent, request->trial);
}
