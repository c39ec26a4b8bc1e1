/* SPDX-License-Identifier: Apache-2.0 */
#include "network/refusal.h"

#include <string.h>

#include "base/mem.h"

char *refusal_page(const struct refusal *r)
{
    AUTO_FREE char *advice =
        r->remedy[0]
            ? xasprintf("This sandbox reaches only the hosts of its rules. The user that starts "
                        "it can add a rule: --net allow:%s\n",
                        r->remedy)
            : xstrdup("");
    AUTO_FREE char *body =
        xasprintf("glovebox %s port %u of %s: %s.\n%s", r->allowed ? "could not reach" : "refused",
                  r->port, r->host, r->reason, advice);

    return xasprintf("HTTP/1.1 %s\r\n"
                     "Content-Type: text/plain; charset=utf-8\r\n"
                     "Content-Length: %zu\r\n"
                     "Connection: close\r\n\r\n%s",
                     r->allowed ? "502 Bad Gateway" : "403 Forbidden", strlen(body), body);
}
