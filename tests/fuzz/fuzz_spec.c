/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a jail's spec. What decodes keeps every promise of spec.h, and encoding it is
 * stable.
 */
#include <assert.h>
#include <stdint.h>

#include "jail/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(const struct jail_spec *s)
{
    assert(s->argv && s->argv[0] && s->envp);
    assert(spec_path_ok(s->exec_path) && spec_path_ok(s->cwd) && s->hostname && s->box_host);
    assert(!((s->wanted | s->required) & ~LAYERS_ALL));
    assert(s->enter_count <= SPEC_ENTER_MAX && s->rlimit_count <= SPEC_MAX_RLIMITS);
    assert(s->disk_bytes && s->inodes);
    for (size_t i = 0; i < s->op_count; i++)
        assert(s->ops[i].kind < SPEC_KINDS && s->ops[i].src && spec_path_ok(s->ops[i].dst));
}

static void encode(const struct jail_spec *s, struct buf *b)
{
    struct err err;

    buf_init(b, SPEC_MAX_BYTES + 4096);
    assert(spec_encode(s, b, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct jail_spec spec, copy;
    struct err err = {0};
    AUTO_BUF struct buf once = {0};
    AUTO_BUF struct buf twice = {0};

    if (n > SPEC_MAX_BYTES)
        return 0;
    if (spec_decode((struct str){(const char *)data, n}, &spec, &err) < 0) {
        assert(err.kind == ERR_USAGE && err.msg[0] && !spec.ops && !spec.argv);
        return 0;
    }
    check(&spec);
    encode(&spec, &once);
    assert(spec_decode(buf_str(&once), &copy, &err) == 0);
    encode(&copy, &twice);
    assert(str_eq(buf_str(&once), buf_str(&twice)));
    spec_done(&spec);
    spec_done(&copy);
    return 0;
}
