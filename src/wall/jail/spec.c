/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/wire.h"

#define SPEC_MAGIC    0x32424c47u /* "GLB2" */
#define SPEC_MAX_OPS  4096u
#define SPEC_MAX_ARGS 65536u

void spec_init(struct jail_spec *spec)
{
    *spec = (struct jail_spec){.uid = 1000, .gid = 1000};
}

static void free_vector(char **v)
{
    for (char **p = v; p && *p; p++)
        free(*p);
    free(v);
}

void spec_done(struct jail_spec *spec)
{
    for (size_t i = 0; i < spec->op_count; i++) {
        free(spec->ops[i].src);
        free(spec->ops[i].dst);
        free((char *)spec->ops[i].text.p);
    }
    free(spec->ops);
    free(spec->hostname);
    free(spec->box_host);
    free(spec->exec_path);
    free_vector(spec->argv);
    free_vector(spec->envp);
    free(spec->cwd);
    free(spec->wait_file);
    free(spec->rlimits);
    spec_init(spec);
}

struct spec_op *spec_add(struct jail_spec *spec, enum spec_op_kind kind, const char *src,
                         const char *dst, const char *text)
{
    spec->ops = xrealloc_array(spec->ops, spec->op_count + 1, sizeof *spec->ops);
    struct spec_op *op = &spec->ops[spec->op_count++];

    *op = (struct spec_op){.kind = kind, .src = xstrdup(src ? src : ""), .dst = xstrdup(dst)};
    op->text = str_from(xstrdup(text ? text : ""));
    return op;
}

static void put_vector(struct buf *b, char **v)
{
    uint32_t n = 0;

    while (v && v[n])
        n++;
    wire_put_u32(b, n);
    for (uint32_t i = 0; i < n; i++)
        wire_put_cstr(b, v[i]);
}

static uint32_t flags_of(const struct jail_spec *spec)
{
    return (uint32_t)spec->net_host | (uint32_t)spec->lay << 1 | (uint32_t)spec->enter_v2 << 2 |
           (uint32_t)spec->pids_held << 3 | (uint32_t)spec->channel << 4 |
           (uint32_t)spec->park << 5 | (uint32_t)spec->nest << 6 | (uint32_t)spec->forks << 7 |
           (uint32_t)spec->waits << 8;
}

int spec_encode(const struct jail_spec *spec, struct buf *out, struct err *err)
{
    wire_put_u32(out, SPEC_MAGIC);
    wire_put_u32(out, spec->wanted);
    wire_put_u32(out, spec->required);
    wire_put_u32(out, (uint32_t)spec->host_pid);
    wire_put_u32(out, spec->uid);
    wire_put_u32(out, spec->gid);
    wire_put_u32(out, spec->host_uid);
    wire_put_u32(out, spec->host_gid);
    wire_put_u32(out, spec->host_jails);
    wire_put_u64(out, spec->disk_bytes);
    wire_put_u64(out, spec->inodes);
    wire_put_u64(out, (uint64_t)spec->wall_ms);
    wire_put_u32(out, flags_of(spec));
    wire_put_u32(out, spec->enter_count);
    wire_put_cstr(out, spec->hostname);
    wire_put_cstr(out, spec->box_host);
    wire_put_cstr(out, spec->exec_path);
    wire_put_cstr(out, spec->cwd);
    wire_put_cstr(out, spec->wait_file);
    wire_put_u32(out, spec->port_count);
    for (uint32_t i = 0; i < spec->port_count; i++)
        wire_put_u32(out, spec->ports[i]);
    put_vector(out, spec->argv);
    put_vector(out, spec->envp);
    wire_put_u32(out, (uint32_t)spec->rlimit_count);
    for (size_t i = 0; i < spec->rlimit_count; i++) {
        wire_put_u32(out, (uint32_t)spec->rlimits[i].resource);
        wire_put_u64(out, spec->rlimits[i].value);
        wire_put_u32(out, spec->rlimits[i].with);
        wire_put_u32(out, spec->rlimits[i].unless);
        wire_put_u32(out, spec->rlimits[i].above_others);
    }
    wire_put_u32(out, (uint32_t)spec->op_count);
    for (size_t i = 0; i < spec->op_count; i++) {
        const struct spec_op *op = &spec->ops[i];
        wire_put_u32(out,
                     (uint32_t)op->kind | (uint32_t)op->optional << 8 | (uint32_t)op->look << 9);
        wire_put_cstr(out, op->src);
        wire_put_cstr(out, op->dst);
        wire_put_str(out, op->text);
    }
    if (out->overflow || out->n > SPEC_MAX_BYTES)
        return err_set(err, ERR_LIMIT, "arguments and environment take more than %u MiB",
                       SPEC_MAX_BYTES >> 20);
    return 0;
}

static char **get_vector(struct wire *w)
{
    uint32_t n = wire_count(w, 4);

    if (n > SPEC_MAX_ARGS) {
        w->bad = true;
        n = 0;
    }
    char **v = xcalloc(n + 1, sizeof *v);
    for (uint32_t i = 0; i < n && !w->bad; i++)
        v[i] = wire_cstr(w);
    return v;
}

static void get_flags(struct wire *w, struct jail_spec *spec)
{
    uint32_t flags = wire_u32(w);

    spec->net_host = flags & 1;
    spec->lay = flags & 2;
    spec->enter_v2 = flags & 4;
    spec->pids_held = flags & 8;
    spec->channel = flags & 16;
    spec->park = flags & 32;
    spec->nest = flags & 64;
    spec->forks = flags & 128;
    spec->waits = flags & 256;
    if (flags > 511)
        w->bad = true;
}

static void get_ports(struct wire *w, struct jail_spec *spec)
{
    spec->port_count = wire_count(w, 4);
    if (spec->port_count > SPEC_PORTS_MAX) {
        w->bad = true;
        spec->port_count = 0;
    }
    for (uint32_t i = 0; i < spec->port_count; i++) {
        uint32_t port = wire_u32(w);
        spec->ports[i] = (uint16_t)port;
        w->bad |= port == 0 || port > UINT16_MAX;
    }
}

static void get_rlimits(struct wire *w, struct jail_spec *spec)
{
    uint32_t n = wire_count(w, 24);

    if (n > SPEC_MAX_RLIMITS) {
        w->bad = true;
        return;
    }
    spec->rlimits = xcalloc(n, sizeof *spec->rlimits);
    spec->rlimit_count = n;
    for (uint32_t i = 0; i < n; i++) {
        struct spec_rlimit *limit = &spec->rlimits[i];
        limit->resource = (int)wire_u32(w);
        limit->value = wire_u64(w);
        limit->with = wire_u32(w);
        limit->unless = wire_u32(w);
        limit->above_others = wire_u32(w);
        w->bad |= ((limit->with | limit->unless) & ~LAYERS_ALL) != 0;
    }
}

static void get_ops(struct wire *w, struct jail_spec *spec)
{
    uint32_t n = wire_count(w, 16);

    if (n > SPEC_MAX_OPS) {
        w->bad = true;
        return;
    }
    spec->ops = xcalloc(n, sizeof *spec->ops);
    for (uint32_t i = 0; i < n && !w->bad; i++) {
        struct spec_op *op = &spec->ops[spec->op_count++];
        uint32_t kind = wire_u32(w);
        op->kind = kind & 0xff;
        op->optional = kind & 0x100;
        op->look = kind & 0x200;
        op->src = wire_cstr(w);
        op->dst = wire_cstr(w);
        struct str text = wire_str(w);
        op->text = (struct str){xstrndup(text.p, text.n), text.n};
        if ((kind & 0xff) >= SPEC_KINDS || !spec_path_ok(op->dst))
            w->bad = true;
    }
}

bool spec_path_ok(const char *path)
{
    struct str rest = str_from(path), part;

    if (path[0] != '/')
        return false;
    if (!path[1])
        return true;
    rest = str_slice(rest, 1, rest.n);
    while (str_next(&rest, '/', &part))
        if (!part.n || str_is(part, ".") || str_is(part, ".."))
            return false;
    return true;
}

static int spec_check(const struct jail_spec *spec, struct err *err)
{
    if (!spec->argv || !spec->argv[0] || !spec_path_ok(spec->exec_path) || !spec_path_ok(spec->cwd))
        return err_set(err, ERR_USAGE, "jail spec: names no program");
    if (spec->enter_count > SPEC_ENTER_MAX || (spec->required & ~LAYERS_ALL) ||
        (spec->wanted & ~LAYERS_ALL))
        return err_set(err, ERR_USAGE, "jail spec: has values out of range");
    if (spec->wall_ms < 0 || spec->wall_ms > INT64_MAX / 1000)
        return err_set(err, ERR_USAGE, "jail spec: has a time limit out of range");
    if (spec->wait_file[0] && (!spec->waits || spec->wait_file[0] == '.' ||
                               strchr(spec->wait_file, '/') || strlen(spec->wait_file) > 255))
        return err_set(err, ERR_USAGE,
                       "jail spec: does not name the file that the guest waits for");
    if (!spec->disk_bytes || !spec->inodes)
        return err_set(err, ERR_USAGE, "jail spec: has no size for the guest's disk");
    return 0;
}

int spec_decode(struct str bytes, struct jail_spec *ret, struct err *err)
{
    struct wire w = {.rest = bytes};

    spec_init(ret);
    if (wire_u32(&w) != SPEC_MAGIC)
        return err_set(err, ERR_USAGE, "jail spec: is not a jail spec, or has another version");
    ret->wanted = wire_u32(&w);
    ret->required = wire_u32(&w);
    ret->host_pid = (int32_t)wire_u32(&w);
    ret->uid = wire_u32(&w);
    ret->gid = wire_u32(&w);
    ret->host_uid = wire_u32(&w);
    ret->host_gid = wire_u32(&w);
    ret->host_jails = wire_u32(&w);
    ret->disk_bytes = wire_u64(&w);
    ret->inodes = wire_u64(&w);
    ret->wall_ms = (int64_t)wire_u64(&w);
    get_flags(&w, ret);
    ret->enter_count = wire_u32(&w);
    ret->hostname = wire_cstr(&w);
    ret->box_host = wire_cstr(&w);
    ret->exec_path = wire_cstr(&w);
    ret->cwd = wire_cstr(&w);
    ret->wait_file = wire_cstr(&w);
    get_ports(&w, ret);
    ret->argv = get_vector(&w);
    ret->envp = get_vector(&w);
    get_rlimits(&w, ret);
    get_ops(&w, ret);

    int result = wire_ok(&w) ? spec_check(ret, err)
                             : err_set(err, ERR_USAGE, "jail spec: is cut short or damaged");
    if (result < 0)
        spec_done(ret);
    return result;
}

bool spec_in_box(const char *path)
{
    static const char *const places[] = {"/tmp/", "/var/tmp/", "/dev/shm/", SPEC_BOX "/"};

    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (strncmp(path, places[i], strlen(places[i])) == 0)
            return true;
    return false;
}
