/* SPDX-License-Identifier: Apache-2.0
 *
 * A session: cells one after the other, a function of ours that they call, and a variable that
 * comes back. The arguments are the cells. cc examples/session.c -Iinclude -Lbuild -lglovebox -o
 * session-example
 */
#include <glovebox.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Costs 3 whatever is asked for; a real one would look at args, a JSON list. */
static char *price(void *ctx, const char *args, const char *kwargs, char **error)
{
    char *answer = malloc(8);

    (void)kwargs;
    (void)error;
    printf("  (asked for the price of %s)\n", args);
    ++*(int *)ctx;
    if (answer)
        snprintf(answer, 8, "3");
    return answer;
}

int main(int argc, char **argv)
{
    static const char *const cells[] = {"total = 0", "total += price('tea')\ntotal",
                                        "total += price('cake')\n1 / 0", "total"};
    int n = argc > 1 ? argc - 1 : (int)(sizeof cells / sizeof cells[0]), calls = 0;
    glovebox *box = glovebox_open();
    glovebox_session *session = NULL;

    if (glovebox_set(box, "timeout", "5s") == 0 && glovebox_set(box, "log", "off") == 0 &&
        glovebox_on_tool(box, "price", "what a thing costs", price, &calls) == 0)
        session = glovebox_session_open(box, "python");
    if (!session)
        fprintf(stderr, "%s\n", glovebox_error(box));
    for (int i = 0; session && i < n; i++) {
        const char *cell = argc > 1 ? argv[i + 1] : cells[i];
        glovebox_result *result = glovebox_session_exec(session, cell, strlen(cell));
        const char *value = glovebox_result_value(result);
        printf("%s\n=> %s\n", cell,
               glovebox_result_success(result) ? value ? value : "nothing"
                                               : glovebox_result_feedback_text(result));
        glovebox_result_free(result);
    }
    char *total = session ? glovebox_session_get(session, "total") : NULL;
    printf("total is %s after %d calls\n", total ? total : "nothing", calls);
    glovebox_free(total);
    glovebox_session_close(session);
    glovebox_close(box);
    return !session;
}
