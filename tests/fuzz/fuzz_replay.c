/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a file of --replay. Each exchange is given once, to the request that it has: the
 * file is asked for the request of each of its lines until it has no more.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "llm/provider.h"
#include "llm/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* True when the replay had an answer. */
static bool ask(struct llm_replay *replay, const json_t *line)
{
    const json_t *provider = json_object_get(line, "provider");
    const struct llm_place place = {.provider =
                                        provider_named((struct str){json_string_value(provider),
                                                                    json_string_length(provider)})};
    struct llm_exchange x;
    struct err err;

    if (!place.provider)
        return false;
    llm_exchange_init(&x);
    x.path = json_string_value(json_object_get(line, "path"));
    x.request = json_object_get(line, "request");
    bool found = x.path && llm_replay_answer(replay, &place, &x, &err) == 0;
    assert(!found || (x.status < 1000 && (x.status || x.failed) && x.failure <= FETCH_BAD_REQUEST));
    llm_exchange_done(&x);
    return found;
}

static void ask_all(struct llm_replay *replay, struct str text)
{
    struct str line;
    size_t lines = 0, found = 0;

    for (int round = 0; round < 2; round++)
        for (struct str rest = text; str_next_line(&rest, &line);) {
            json_t *exchange = json_loadb(line.p, line.n, JSON_ALLOW_NUL, NULL);
            lines += round == 0 && exchange;
            found += exchange && ask(replay, exchange);
            json_decref(exchange);
        }
    assert(found <= lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    AUTO_CLOSE int fd = memfd_create("replay", MFD_CLOEXEC);
    AUTO_FREE char *path = xasprintf("/proc/self/fd/%d", fd);
    struct llm_replay *replay;
    struct err err;

    assert(fd >= 0 && fd_write_all(fd, n ? (const void *)data : "", n) == 0);
    if (llm_replay_open(path, &replay, &err) < 0)
        return 0;
    assert(llm_replay_first_model(replay));
    ask_all(replay, (struct str){(const char *)data, n});
    llm_replay_close(replay);
    return 0;
}
