/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of an agent without the model: takes the code out of a reply, runs it, and tells what to
 * send back, until a program succeeds. The arguments are the replies.
 *     cc examples/agent.c -Iinclude -Lbuild -lglovebox -o agent-example
 */
#include <glovebox.h>
#include <stdio.h>
#include <string.h>

/* 1 when the reply's program ran well; glovebox_run has the guard read it before. */
static int try_reply(glovebox *box, const char *reply)
{
    size_t n;
    char *code = glovebox_code(box, reply, strlen(reply), NULL, &n);

    if (!code) {
        printf("To the model: %s\n\n", glovebox_error(box));
        return 0;
    }
    glovebox_result *result = glovebox_run(box, NULL, code, n, NULL);
    int good = glovebox_result_success(result);
    char *text = glovebox_format(box, result, "markdown", NULL);
    printf("To the model:\n%s\n", good ? text : glovebox_result_feedback_text(result));
    glovebox_free(text);
    glovebox_free(code);
    glovebox_result_free(result);
    return good;
}

int main(int argc, char **argv)
{
    static const char *const replies[] = {
        "Let me think about it.",
        "Here it is:\n```python\nimport socket\n```\n",
        "Then so:\n```python\nprices = {'tea': 3}\nprint(prices['coffee'])\n```\n",
        "I see:\n```python\nprices = {'tea': 3}\nprint(prices.get('coffee', 0))\n```\n",
    };
    glovebox *box = glovebox_open();
    int n = argc > 1 ? argc - 1 : (int)(sizeof replies / sizeof replies[0]), good = 0;

    if (glovebox_set(box, "timeout", "5s") < 0 || glovebox_set(box, "log", "off") < 0 ||
        glovebox_set(box, "forbid-imports", "socket") < 0)
        fprintf(stderr, "%s\n", glovebox_error(box));
    for (int i = 0; i < n && !good; i++)
        good = try_reply(box, argc > 1 ? argv[i + 1] : replies[i]);
    glovebox_close(box);
    return !good;
}
