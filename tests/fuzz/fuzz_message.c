/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as what the helper says: a byte of length before each message.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "jail/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_names(const struct jail_state *s)
{
    assert(s->denied_count <= JAIL_DENIED_MAX && s->lost_count <= JAIL_LOST_MAX);
    for (size_t i = 0; i < s->denied_count; i++)
        assert(memchr(s->denied[i].name, '\0', sizeof s->denied[i].name));
    for (size_t i = 0; i < s->lost_count; i++)
        assert(memchr(s->lost[i].why, '\0', sizeof s->lost[i].why));
    assert(!(s->held & ~LAYERS_ALL));
}

static void hear(struct str bytes, struct jail_state *state)
{
    struct jail_state before = *state;
    struct jail_event event;

    enum jail_message kind = message_read(bytes, state, &event);
    check_names(state);
    assert(event.kind <= JAIL_GONE && memchr(event.name, '\0', sizeof event.name));
    assert(memchr(event.error.msg, '\0', sizeof event.error.msg));
    assert((event.kind == JAIL_FAILED) == (event.error.kind != ERR_NONE));
    if (event.kind == JAIL_FAILED)
        assert(memcmp(&before, state, sizeof before) == 0);
    assert(state->started || !before.started);
    assert(state->exited == (before.exited || (kind == MSG_EXIT && event.kind == JAIL_EXITED)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct jail_state state;

    memset(&state, 0, sizeof state);
    while (n) {
        size_t take = data[0] < n - 1 ? data[0] : n - 1;
        hear((struct str){(const char *)data + 1, take}, &state);
        data += 1 + take;
        n -= 1 + take;
    }
    return 0;
}
