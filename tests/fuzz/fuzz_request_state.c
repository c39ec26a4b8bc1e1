/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a message of a client with `requestState`. None of them opens, whatever request it
 * is put into: only what was sealed for the same request, owner and time does, and no changed byte
 * of that.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/request_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { NOW = 1000000 };

static bool opens(const struct rpc_message *m, const char *owner, int64_t now)
{
    struct rpc_problem problem = {0};
    json_t *content = request_state_open(m, owner, now, &problem);
    bool opened = content != NULL;

    json_decref(content);
    json_decref(problem.data);
    return opened;
}

static void put(const struct rpc_message *m, json_t *state)
{
    json_object_set_new(m->params, "requestState", state);
}

/* The state with one bit changed, where the input says. */
static json_t *changed(const json_t *state, size_t at)
{
    AUTO_FREE char *text = xstrdup(json_string_value(state));

    text[at % strlen(text)] ^= 1;
    return json_string_nocheck(text);
}

static void seal(const struct rpc_message *m, size_t n)
{
    struct rpc_problem problem = {0};
    json_t *state = request_state_seal(m, "ann", m->params, NOW, &problem);

    json_decref(problem.data);
    if (!state)
        return;
    put(m, json_incref(state));
    assert(opens(m, "ann", NOW) && opens(m, "ann", NOW + REQUEST_STATE_MS));
    assert(!opens(m, "bob", NOW) && !opens(m, "ann", NOW + REQUEST_STATE_MS + 1));
    put(m, changed(state, n * 31));
    assert(!opens(m, "ann", NOW));
    put(m, json_incref(state));
    json_object_set_new(m->params, "another", json_true());
    assert(!opens(m, "ann", NOW));
    json_decref(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct rpc_problem problem = {0};
    struct rpc_message m;
    json_t *doc = NULL;

    (void)rpc_parse((struct str){n ? (const char *)data : "", n}, &doc, &problem);
    if (!json_is_object(doc)) {
        json_decref(doc);
    } else {
        if (rpc_read(doc, &m, &problem) == 0 && m.method && m.params) {
            assert(!opens(&m, "ann", NOW));
            json_object_del(m.params, "another");
            seal(&m, n);
        }
        json_decref(m.doc);
    }
    json_decref(problem.data);
    return 0;
}
