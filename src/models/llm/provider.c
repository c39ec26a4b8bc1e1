/* SPDX-License-Identifier: Apache-2.0 */
#include "llm/provider.h"

#include <string.h>

#include "base/num.h"

#define BEARER "Authorization: Bearer "

/* The message is the same as in google/adk. */
static bool gemini_lacks_builtin(const char *model)
{
    struct str rest = str_from(model), version, number;
    int64_t family = 0;

    if (!str_starts(rest, "gemini-"))
        return true;
    rest = str_slice(rest, strlen("gemini-"), rest.n);
    return !str_next(&rest, '-', &version) || !str_next(&version, '.', &number) ||
           !num_int64(number, &family) || family < 2;
}

const struct provider providers[] = {
    {.name = "openai",
     .help = "OpenAI, and every server with the same protocol (chat completions): use --model-url",
     .protocol = &protocol_openai,
     .builtin = &protocol_responses,
     .base = "https://api.openai.com/v1",
     .variables = {"OPENAI_BASE_URL", "OPENAI_API_BASE"},
     .keys = {{"OPENAI_API_KEY", BEARER}},
     .models = {"gpt-", "chatgpt-", "o1", "o3", "o4"},
     .needs_key = true,
     .has_tools = true},
    {.name = "anthropic",
     .help = "Anthropic (messages)",
     .protocol = &protocol_anthropic,
     .builtin = &protocol_anthropic,
     .base = "https://api.anthropic.com",
     .variables = {"ANTHROPIC_BASE_URL"},
     .keys = {{"ANTHROPIC_API_KEY", "x-api-key: "}, {"ANTHROPIC_AUTH_TOKEN", BEARER}},
     .models = {"claude-"},
     .needs_key = true,
     .has_tools = true},
    {.name = "gemini",
     .help = "Google Gemini (generateContent)",
     .protocol = &protocol_gemini,
     .builtin = &protocol_gemini,
     .lacks_builtin = gemini_lacks_builtin,
     .base = "https://generativelanguage.googleapis.com",
     .variables = {"GOOGLE_GEMINI_BASE_URL"},
     .keys = {{"GOOGLE_API_KEY", "x-goog-api-key: "}, {"GEMINI_API_KEY", "x-goog-api-key: "}},
     .models = {"gemini-", "gemma-"},
     .needs_key = true,
     .has_tools = true},
    {.name = "ollama",
     .help = "Ollama on this machine",
     .protocol = &protocol_openai,
     .base = "http://127.0.0.1:11434/v1",
     .variables = {"OLLAMA_HOST"},
     .keys = {{"OLLAMA_API_KEY", BEARER}}},
    {.name = "vllm",
     .help = "vLLM on this machine",
     .protocol = &protocol_openai,
     .base = "http://127.0.0.1:8000/v1",
     .keys = {{"VLLM_API_KEY", BEARER}}},
    {.name = "llamacpp",
     .help = "llama-server of llama.cpp on this machine",
     .protocol = &protocol_openai,
     .base = "http://127.0.0.1:8080/v1",
     .keys = {{"LLAMA_API_KEY", BEARER}}},
    {0},
};

const struct provider *provider_named(struct str name)
{
    for (const struct provider *p = providers; p->name; p++)
        if (str_is(name, p->name))
            return p;
    return NULL;
}

const struct provider *provider_of_model(const char *model)
{
    for (const struct provider *p = providers; p->name; p++)
        for (const char *const *begin = p->models; *begin; begin++)
            if (str_starts(str_from(model), *begin))
                return p;
    return NULL;
}

void provider_list(struct buf *b)
{
    for (const struct provider *p = providers; p->name; p++)
        (void)buf_addf(b, "%s%s", p == providers ? "" : p[1].name ? ", " : " or ", p->name);
}
