/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/solve_style.h"

#include <string.h>

/* 20 is smolagents' own default. */
enum { STEPS = 6, STEPS_SMOLAGENTS = 20 };

#define PLAIN_ANSWER                                                                               \
    "- When an output shows the answer, reply with the answer alone, without code.\n"
#define FINAL_ANSWER "- When you have the answer, call final_answer(VALUE) in a program.\n"

static const char *const smolagents_stop[] = {"Observation:", "Calling tools:", "</code>", NULL};
static const char *const smolagents_json_stop[] = {"Observation:", "Calling tools:", NULL};

const struct solve_style solve_styles[] = {
    {.name = "default",
     .reply = REPLY_DEFAULT,
     .format = FORMAT_MARKDOWN,
     .observation = "",
     .form = "- Write one program in each reply, in one block of code that is marked with its "
             "language. You then receive its output.\n",
     .finish = PLAIN_ANSWER,
     .steps = STEPS},
    {.name = "smolagents",
     .profile = "smolagents",
     .reply = REPLY_SMOLAGENTS,
     .format = FORMAT_SMOLAGENTS,
     .observation = "Observation:\n",
     .unclosed = "</code>",
     .stop = smolagents_stop,
     .form = "- In each reply, write a line that begins with 'Thought:', then one program between "
             "<code> and </code>. You then receive its output as an observation.\n",
     .finish = FINAL_ANSWER,
     .steps = STEPS_SMOLAGENTS,
     .answers_in_objects = true},
    {.name = "smolagents-json",
     .reply = REPLY_SMOLAGENTS_JSON,
     .format = FORMAT_SMOLAGENTS,
     .observation = "Observation:\n",
     .stop = smolagents_json_stop,
     .form = "- Each reply is a JSON object with the strings \"thought\" and \"code\". You then "
             "receive the output of the code as an observation.\n",
     .finish = FINAL_ANSWER,
     .steps = STEPS_SMOLAGENTS,
     .answers_in_objects = true,
     .structured = true},
    {.name = "kodeagent",
     .profile = "kodeagent",
     .reply = REPLY_KODEAGENT,
     .format = FORMAT_KODEAGENT,
     .observation = "Observation: ",
     .form = "- Each reply is a JSON object: {\"thought\": ..., \"code\": ...} runs a program, and "
             "you then receive its output.\n",
     .finish =
         "- {\"thought\": ..., \"final_answer\": ..., \"task_successful\": true or false} ends "
         "the task.\n",
     .steps = STEPS,
     .answers_in_objects = true},
    {.name = "adk",
     .reply = REPLY_ADK,
     .format = FORMAT_ADK,
     .observation = "",
     .form = "- Write one program in each reply, in one block of code that begins with "
             "```tool_code. You then receive its output in a block ```tool_output.\n",
     .finish = PLAIN_ANSWER,
     .steps = STEPS},
    {.name = "chapter",
     .profile = "chapter",
     .reply = REPLY_CHAPTER,
     .format = FORMAT_CHAPTER,
     .observation = "",
     .form = "- Use the standard library only. Handle edge cases. Keep it simple.\n"
             "- Answer with the code alone, in one block.\n",
     .finish = "- Print the final result.\n",
     .steps = STEPS,
     .one_shot = true},
    {0},
};

const struct solve_style *solve_style_find(int choice, const char *profile)
{
    if (choice > 0)
        return &solve_styles[choice - 1];
    for (const struct solve_style *style = solve_styles; style->name; style++)
        if (profile && style->profile && strcmp(style->profile, profile) == 0)
            return style;
    return strcmp(profile ? profile : "", "codeact") == 0 ? solve_style_find(0, "kodeagent")
                                                          : &solve_styles[0];
}

json_t *solve_style_schema(void)
{
    return json_pack("{s:s, s:{s:{s:s}, s:{s:s}}, s:[s, s], s:b}", "type", "object", "properties",
                     "thought", "type", "string", "code", "type", "string", "required", "thought",
                     "code", "additionalProperties", 0);
}
