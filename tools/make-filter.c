/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes filter_tables.h out of src/wall/jail/syscalls.def: BPF programs for each architecture and
 * flavour, and a table from number to name and action. libseccomp knows the numbers; it is needed
 * here only.
 *
 * A program looks at the architecture, then searches the call's number, then, for some calls, the
 * arguments. BPF jumps forward only, so it is built from its end: a node is added after those it
 * leads to, and one that is there already is shared. The numbers become ranges of equal outcome;
 * `plan` finds the search tree that loads fastest, because that is paid for once per run. A call
 * that is allowed whatever its arguments costs nothing after that: the kernel keeps a bitmap of
 * those (since 5.11).
 *
 * A flavour has two programs. The whole policy is in the first (filter-actions.h). The second is
 * what is loaded where somebody listens (filter-asking.h).
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter-asking.h"
#include "jail/filter.h"

static const char *const action_names[] = {
#define ACTION(name, error) #name,
#include "jail/syscalls.def"
};

static const struct row {
    const char *name;
    int number; /* 0: libseccomp knows it */
    bool x86_only;
    enum action action;
} rows[] = {
#define CALL_AT(call, number, action, why) {#call, number, false, ACT_##action},
#define X86_AT(call, number, action, why)  {#call, number, true, ACT_##action},
#include "jail/syscalls.def"
};

static const struct {
    const char *name;
    enum action action;
} init_calls[] = {
#define INIT(call, action) {#call, ACT_##action},
#include "jail/syscalls.def"
#define CHANGER(call) {#call, ACT_CHANGE},
#include "jail/syscalls.def"
};

static const struct arch {
    const char *name;
    uint32_t token; /* libseccomp's tokens are the audit ones */
} archs[FILTER_ARCH_COUNT] = {
    [FILTER_X86_64] = {"x86_64", AUDIT_ARCH_X86_64},
    [FILTER_AARCH64] = {"aarch64", AUDIT_ARCH_AARCH64},
};

enum { MAX_CALL = 1024 };

/* Which row of the table each number of an architecture has. */
static const struct row *calls[FILTER_ARCH_COUNT][MAX_CALL];

static int resolve(const struct arch *arch, const struct row *row)
{
    int number = seccomp_syscall_resolve_name_arch(arch->token, row->name);

    if (number == __NR_SCMP_ERROR && !row->number)
        die("libseccomp does not know this system call; give its number with CALL_AT", row->name);
    if (number >= 0 && row->number && number != row->number)
        die("libseccomp has another number for it", row->name);
    if (row->number)
        return row->x86_only && arch->token != AUDIT_ARCH_X86_64 ? -1 : row->number;
    return number;
}

static void resolve_all(void)
{
    for (unsigned a = 0; a < FILTER_ARCH_COUNT; a++)
        for (size_t i = 0; i < LEN(rows); i++) {
            int number = resolve(&archs[a], &rows[i]);
            if (number < 0)
                continue;
            if (number >= MAX_CALL)
                die("its number is too large", rows[i].name);
            if (calls[a][number])
                die("its number is there twice", rows[i].name);
            calls[a][number] = &rows[i];
        }
}

/* Programs. */
static void start(struct program *p, unsigned flavour)
{
    p->flavour = flavour;
    p->count = 0;
}

static void finish(struct program *p, const struct arch *arch, const struct ranges *r, int foreign)
{
    int by_number = load(p, offsetof(struct seccomp_data, nr), search(p, r));

    load(p, offsetof(struct seccomp_data, arch), equal(p, arch->token, by_number, foreign));
}

/* Numbers beyond the table are those of x32 as well (0x40000000 and up). */
static void make_guest(struct program *p, unsigned a, unsigned flavour)
{
    struct ranges r = {.count = 0};

    start(p, flavour);
    for (unsigned nr = 0; nr <= MAX_CALL; nr++) {
        const struct row *row = nr < MAX_CALL ? calls[a][nr] : NULL;
        extend(&r, nr, outcome(p, row ? row->action : ACT_UNKNOWN));
    }
    finish(p, &archs[a], &r, told(p, ENOSYS));
}

static enum action init_action(const struct row *row, bool *ret_listed)
{
    *ret_listed = false;
    for (size_t i = 0; row && i < LEN(init_calls); i++)
        if (strcmp(init_calls[i].name, row->name) == 0) {
            *ret_listed = true;
            return init_calls[i].action;
        }
    return ACT_UNKNOWN;
}

static void make_init(struct program *p, unsigned a, bool changes)
{
    struct ranges r = {.count = 0};

    start(p, 0);
    for (unsigned nr = 0; nr <= MAX_CALL; nr++) {
        bool listed;
        enum action action = init_action(nr < MAX_CALL ? calls[a][nr] : NULL, &listed);
        listed &= changes || action != ACT_CHANGE; /* the rows of CHANGER */
        extend(&r, nr, listed ? outcome(p, action) : kill_all(p));
    }
    finish(p, &archs[a], &r, kill_all(p));
}

/* Who owns the signals matters only where they could reach somebody; without a listener nobody is
 * told of an end; sockets are told of only where a network is used again (inside/slots.c). */
static unsigned same_as(unsigned flavour)
{
    if (!(flavour & FILTER_SHARED_PIDS))
        flavour &= ~(unsigned)FILTER_SCOPED_SIGNALS;
    if (flavour & FILTER_HIDES_SOCKETS)
        flavour &= ~(unsigned)FILTER_TELLS_SOCKETS;
    if (flavour & FILTER_QUIET)
        flavour &= ~(unsigned)FILTER_TELLS_EXIT;
    return flavour;
}

static void print_calls(unsigned a)
{
    printf("static const struct call %s_calls[] = {\n", archs[a].name);
    for (int nr = 0; nr < MAX_CALL; nr++)
        if (calls[a][nr])
            printf("    {%d, ACT_%s, \"%s\"},\n", nr, action_names[calls[a][nr]->action],
                   calls[a][nr]->name);
    puts("};");
}

static void print_flavours(const char *what, const char *prefix)
{
    printf("static const struct filter_program %s[FILTER_ARCH_COUNT][FILTER_FLAVOURS] = {\n", what);
    for (unsigned a = 0; a < FILTER_ARCH_COUNT; a++) {
        puts("    {");
        for (unsigned f = 0; f < FILTER_FLAVOURS; f++)
            printf("        PROGRAM(%s_%s_%u),\n", archs[a].name,
                   f & FILTER_QUIET ? "flavour" : prefix, same_as(f));
        puts("    },");
    }
    puts("};");
}

static void print_index(void)
{
    puts("#define PROGRAM(p) {p, sizeof(p) / sizeof((p)[0])}");
    print_flavours("programs", "flavour");
    print_flavours("asking_programs", "asking");
    puts("static const struct filter_program init_programs[FILTER_ARCH_COUNT][2] = {");
    for (unsigned a = 0; a < FILTER_ARCH_COUNT; a++)
        printf("    {PROGRAM(%s_init_0), PROGRAM(%s_init_1)},\n", archs[a].name, archs[a].name);
    puts("};");
}

static void print_flavour(unsigned a, unsigned flavour)
{
    static struct program program;
    char what[32];

    snprintf(what, sizeof what, "flavour_%u", flavour);
    make_guest(&program, a, flavour);
    print_program(&program, archs[a].name, what);
    if (flavour & FILTER_QUIET)
        return;
    snprintf(what, sizeof what, "asking_%u", flavour);
    make_guest(&program, a, flavour | ASKS);
    print_program(&program, archs[a].name, what);
}

int main(void)
{
    static struct program program;

    resolve_all();
    puts("/* Made by tools/make-filter.c from src/wall/jail/syscalls.def. */");
    for (unsigned a = 0; a < FILTER_ARCH_COUNT; a++) {
        for (unsigned flavour = 0; flavour < FILTER_FLAVOURS; flavour++)
            if (same_as(flavour) == flavour)
                print_flavour(a, flavour);
        make_init(&program, a, false);
        print_program(&program, archs[a].name, "init_0");
        make_init(&program, a, true);
        print_program(&program, archs[a].name, "init_1");
        print_calls(a);
    }
    print_index();
    return fflush(stdout) || ferror(stdout);
}
