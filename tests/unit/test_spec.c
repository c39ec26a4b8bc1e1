/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/spec.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/wire.h"
#include "tap.h"

static char **words(const char *a, const char *b)
{
    char **v = xcalloc(3, sizeof *v);

    v[0] = xstrdup(a);
    v[1] = b ? xstrdup(b) : NULL;
    return v;
}

static void fill(struct jail_spec *s)
{
    spec_init(s);
    s->wanted = LAYERS_ALL;
    s->required = LAYER_BIT(LAYER_SECCOMP);
    s->host_pid = 4711;
    s->host_uid = 70000;
    s->host_gid = 70001;
    s->host_jails = 70002;
    s->disk_bytes = 1ULL << 40;
    s->inodes = 99;
    s->port_count = 2;
    s->ports[0] = 80;
    s->ports[1] = 65535;
    s->lay = true;
    s->park = true;
    s->enter_count = 2;
    s->enter_v2 = true;
    s->hostname = xstrdup("glovebox");
    s->box_host = xstrdup("/tmp/box");
    s->exec_path = xstrdup("/usr/bin/python3");
    s->cwd = xstrdup(SPEC_WORK);
    s->waits = true;
    s->wait_file = xstrdup("main.js");
    s->argv = words("python3", "-V");
    s->envp = words("A=1", NULL);
    s->rlimits = xcalloc(1, sizeof *s->rlimits);
    s->rlimits[0] = (struct spec_rlimit){7, UINT64_MAX, 1, 2, true};
    s->rlimit_count = 1;
    spec_add(s, SPEC_BIND, "/usr", "/usr", "/stamp")->look = true;
    spec_add(s, SPEC_LINK, NULL, "/lib", "usr/lib")->optional = true;
    spec_add(s, SPEC_DIR, NULL, "/", NULL);
}

/* A well-formed spec, changed by `change`, encoded. */
static void encode(void (*change)(struct jail_spec *), struct buf *b)
{
    struct jail_spec s;
    struct err err;

    fill(&s);
    if (change)
        change(&s);
    buf_init(b, SPEC_MAX_BYTES + 4096);
    OK(spec_encode(&s, b, &err) == 0, "it can be encoded");
    spec_done(&s);
}

static void test_round_trip(void)
{
    AUTO_BUF struct buf b = {0};
    AUTO_BUF struct buf again = {0};
    struct jail_spec s;
    struct err err;

    encode(NULL, &b);
    OK(spec_decode(buf_str(&b), &s, &err) == 0, "what was encoded decodes");
    EQ_INT(s.wanted, LAYERS_ALL);
    EQ_INT(s.required, LAYER_BIT(LAYER_SECCOMP));
    EQ_INT(s.host_pid, 4711);
    EQ_INT(s.uid, 1000);
    EQ_INT(s.host_gid, 70001);
    EQ_INT(s.host_jails, 70002);
    EQ_INT(s.disk_bytes, 1LL << 40);
    EQ_INT(s.inodes, 99);
    OK(s.lay && s.enter_v2 && s.park && s.waits && !s.net_host && !s.channel && !s.nest,
       "each flag for itself");
    EQ_INT(s.enter_count, 2);
    EQ_STR(s.exec_path, "/usr/bin/python3");
    EQ_STR(s.cwd, "/box/work");
    EQ_STR(s.wait_file, "main.js");
    EQ_STR(s.argv[1], "-V");
    OK(s.argv[2] == NULL && s.envp[1] == NULL, "vectors end with NULL");
    OK(s.rlimit_count == 1 && s.rlimits[0].value == UINT64_MAX, "a resource limit");
    OK(s.rlimits[0].with == 1 && s.rlimits[0].unless == 2 && s.rlimits[0].above_others,
       "and for which layers it is");
    EQ_INT(s.op_count, 3);
    EQ_STR(s.ops[0].src, "/usr");
    OK(s.ops[1].optional && str_is(s.ops[1].text, "usr/lib"), "an optional link");
    OK(!s.ops[0].optional && s.ops[2].kind == SPEC_DIR, "the other steps");
    buf_init(&again, SPEC_MAX_BYTES);
    OK(spec_encode(&s, &again, &err) == 0 && str_eq(buf_str(&b), buf_str(&again)),
       "encoded again it is the same, byte for byte");
    spec_done(&s);
    OK(!s.ops && !s.argv && !s.hostname && s.uid == 1000, "done is as after init");
}

/* Exact copies, so that a sanitizer sees the least step too far. */
static void test_every_cut(void)
{
    AUTO_BUF struct buf b = {0};
    int accepted = 0, dirty = 0;

    encode(NULL, &b);
    for (size_t n = 0; n < b.n; n++) {
        AUTO_FREE char *part = xmalloc(n);
        struct jail_spec s;
        struct err err = {0};
        if (n)
            memcpy(part, b.p, n);
        accepted += spec_decode((struct str){part, n}, &s, &err) == 0;
        dirty += err.kind != ERR_USAGE || s.ops || s.argv || s.exec_path;
    }
    EQ_INT(accepted, 0);
    EQ_INT(dirty, 0);
    struct jail_spec s;
    struct err err;
    (void)buf_addc(&b, 0);
    OK(spec_decode(buf_str(&b), &s, &err) < 0, "a byte too many is refused");
}

static void no_argv(struct jail_spec *s)
{
    free(s->argv[0]);
    free(s->argv[1]);
    s->argv[0] = NULL;
}

static void relative_program(struct jail_spec *s)
{
    s->exec_path[0] = 'x';
}

static void dotted_cwd(struct jail_spec *s)
{
    free(s->cwd);
    s->cwd = xstrdup("/box/../etc");
}

static void file_elsewhere(struct jail_spec *s)
{
    free(s->wait_file);
    s->wait_file = xstrdup("sub/main.js");
}

static void file_above(struct jail_spec *s)
{
    free(s->wait_file);
    s->wait_file = xstrdup("..");
}

static void file_of_nobody(struct jail_spec *s)
{
    s->waits = false;
}

static void many_groups(struct jail_spec *s)
{
    s->enter_count = SPEC_ENTER_MAX + 1;
}

static void unknown_layer(struct jail_spec *s)
{
    s->required = LAYER_BIT(LAYER_COUNT);
}

static void no_disk(struct jail_spec *s)
{
    s->disk_bytes = 0;
}

static void no_inodes(struct jail_spec *s)
{
    s->inodes = 0;
}

static void unknown_step(struct jail_spec *s)
{
    s->ops[0].kind = SPEC_KINDS;
}

static void step_outside(struct jail_spec *s)
{
    free(s->ops[0].dst);
    s->ops[0].dst = xstrdup("/usr/../../etc");
}

static void many_rlimits(struct jail_spec *s)
{
    s->rlimits = xrealloc_array(s->rlimits, SPEC_MAX_RLIMITS + 1, sizeof *s->rlimits);
    for (; s->rlimit_count <= SPEC_MAX_RLIMITS; s->rlimit_count++)
        s->rlimits[s->rlimit_count] = s->rlimits[0];
}

static void many_steps(struct jail_spec *s)
{
    while (s->op_count <= 4096)
        spec_add(s, SPEC_DIR, NULL, "/x", NULL);
}

static void test_refused(void)
{
    static const struct {
        void (*change)(struct jail_spec *);
        const char *what;
    } bad[] = {
        {no_argv, "no arguments"},
        {relative_program, "a program that is no absolute path"},
        {dotted_cwd, "a folder with .. in it"},
        {file_elsewhere, "a file to wait for that is in a folder"},
        {file_above, "one above"},
        {file_of_nobody, "one that nobody waits for"},
        {many_groups, "too many cgroups"},
        {unknown_layer, "a layer that there is not"},
        {no_disk, "no disk size"},
        {no_inodes, "no inodes"},
        {unknown_step, "a step that there is not"},
        {step_outside, "a step that leaves the root"},
        {many_rlimits, "too many resource limits"},
        {many_steps, "too many steps"},
    };

    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        AUTO_BUF struct buf b = {0};
        struct jail_spec s;
        struct err err = {0};
        encode(bad[i].change, &b);
        OK(spec_decode(buf_str(&b), &s, &err) < 0 && err.kind == ERR_USAGE, "%s: refused",
           bad[i].what);
    }
}

/* A count that promises more than can be there must not make us allocate for it. */
static void test_huge_count(void)
{
    AUTO_BUF struct buf b = {0};
    struct jail_spec s;
    struct err err;

    encode(NULL, &b);
    long at = str_find(buf_str(&b), (struct str){"\x02\0\0\0\x07\0\0\0python3", 15});
    OK(at > 0, "the argument count is found");
    memset(b.p + at, 0xff, 4);
    OK(spec_decode(buf_str(&b), &s, &err) < 0, "four thousand million arguments are refused");
}

static void huge_env(struct jail_spec *s)
{
    free(s->envp[0]);
    s->envp[0] = xmalloc(SPEC_MAX_BYTES + 1);
    memset(s->envp[0], 'x', SPEC_MAX_BYTES);
    s->envp[0][SPEC_MAX_BYTES] = '\0';
}

static void test_too_large(void)
{
    AUTO_BUF struct buf b = {0};
    struct jail_spec s;
    struct err err = {0};

    fill(&s);
    huge_env(&s);
    buf_init(&b, SPEC_MAX_BYTES + 4096);
    OK(spec_encode(&s, &b, &err) < 0 && err.kind == ERR_LIMIT, "an environment of 8 MiB: %s",
       err.msg);
    spec_done(&s);
}

static void test_paths(void)
{
    static const char *const good[] = {"/", "/a", "/a/b.c", "/..a", "/.a/b..", "/a /b"};
    static const char *const bad[] = {"",   "a",   "/a/",    "//",   "/a//b",
                                      "/.", "/..", "/a/./b", "/a/.."};

    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        OK(spec_path_ok(good[i]), "'%s' is a path", good[i]);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        OK(!spec_path_ok(bad[i]), "'%s' is none", bad[i]);
}

int main(void)
{
    RUN(test_round_trip());
    RUN(test_every_cut());
    RUN(test_refused());
    RUN(test_huge_count());
    RUN(test_too_large());
    RUN(test_paths());
    return tap_done();
}
