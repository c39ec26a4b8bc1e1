/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds a BPF program from its end: jumps lead forward only, so a node is added after those it
 * leads to, and one that is there already is shared. Every function that adds returns the node. For
 * make-filter.c alone; running out of room ends the program.
 */
#ifndef TOOLS_BPF_BUILDER_H
#define TOOLS_BPF_BUILDER_H

#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef REACH
#define REACH 255 /* of a conditional jump; a test may make it smaller */
#endif

enum {
    MAX_NODES = 4096, /* BPF_MAXINSNS */
    MAX_RANGES = 512,
};

_Noreturn static void die(const char *what, const char *name)
{
    fprintf(stderr, "make-filter: %s: %s\n", name, what);
    exit(1);
}

/* Nodes stand in reverse: the last one added is the first executed. */
struct node {
    uint16_t code;
    uint32_t k;
    int yes, no; /* where a jump leads; `yes` is what comes next for the others */
};

struct program {
    unsigned flavour;
    struct node nodes[MAX_NODES];
    int count;
};

static bool is_branch(uint16_t code)
{
    return BPF_CLASS(code) == BPF_JMP && BPF_OP(code) != BPF_JA;
}

static int find(const struct program *p, const struct node *node)
{
    for (int i = p->count - 1; i >= 0; i--) {
        const struct node *n = &p->nodes[i];
        if (n->code == node->code && n->k == node->k && n->yes == node->yes && n->no == node->no)
            return i;
    }
    return -1;
}

static int append(struct program *p, struct node node)
{
    if (p->count == MAX_NODES)
        die("too many instructions", "filter");
    p->nodes[p->count] = node;
    return p->count++;
}

static int jump(struct program *p, int to)
{
    return append(p, (struct node){BPF_JMP | BPF_JA, 0, to, -1});
}

/* A node that leads to `to` and that the next branch but `spare` can jump to: its offsets have
 * eight bits. */
static int reach(struct program *p, int to, int spare)
{
    struct node wanted = {BPF_JMP | BPF_JA, 0, to, -1};

    if (p->count - to - 1 + spare <= REACH)
        return to;
    int bridge = find(p, &wanted);
    if (bridge >= 0 && p->count - bridge - 1 + spare <= REACH)
        return bridge;
    return jump(p, to);
}

static int add(struct program *p, uint16_t code, uint32_t k, int yes, int no)
{
    if (is_branch(code)) {
        if (yes == no)
            return yes;
        yes = reach(p, yes, 1);
        no = reach(p, no, 0);
    }
    struct node node = {code, k, yes, no};
    int there = find(p, &node);
    if (there >= 0)
        return there;
    if (!is_branch(code) && yes >= 0 && yes != p->count - 1)
        (void)jump(p, yes);
    return append(p, node);
}

static int ret(struct program *p, uint32_t value)
{
    return add(p, BPF_RET | BPF_K, value, -1, -1);
}

static int load(struct program *p, size_t offset, int next)
{
    return add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, next, -1);
}

/* The low half: both architectures are little-endian. */
static int arg(struct program *p, unsigned i, int next)
{
    return load(p, offsetof(struct seccomp_data, args) + 8 * i, next);
}

static int mask(struct program *p, uint32_t bits, int next)
{
    return add(p, BPF_ALU | BPF_AND | BPF_K, bits, next, -1);
}

static int equal(struct program *p, uint32_t k, int yes, int no)
{
    return add(p, BPF_JMP | BPF_JEQ | BPF_K, k, yes, no);
}

static int any_bit(struct program *p, uint32_t bits, int yes, int no)
{
    return add(p, BPF_JMP | BPF_JSET | BPF_K, bits, yes, no);
}

static int one_of(struct program *p, const uint32_t *values, size_t n, int yes, int no)
{
    while (n--)
        no = equal(p, values[n], yes, no);
    return no;
}
#define ONE_OF(p, values, yes, no) one_of(p, values, sizeof(values) / sizeof((values)[0]), yes, no)

/* Searching a number in ranges of equal outcome. */
struct ranges {
    uint32_t first[MAX_RANGES]; /* each goes on until the next begins */
    int node[MAX_RANGES];
    int count;
};

static void extend(struct ranges *r, uint32_t first, int node)
{
    if (r->count && r->node[r->count - 1] == node)
        return;
    if (r->count == MAX_RANGES)
        die("too many ranges", "filter");
    r->first[r->count] = first;
    r->node[r->count++] = node;
}

static bool is_single(const struct ranges *r, int i)
{
    return i + 1 < r->count && r->first[i + 1] - r->first[i] == 1;
}

/* If ranges lo to hi are one outcome but for single numbers: that outcome and how many, else -1. */
static int background(const struct ranges *r, int lo, int hi, int *ret_singles)
{
    int node = r->node[lo], singles = 0;

    for (int i = lo; i < hi; i++)
        if (!is_single(r, i))
            node = r->node[i];
    for (int i = lo; i < hi; i++) {
        if (r->node[i] != node && !is_single(r, i))
            return -1;
        singles += r->node[i] != node;
    }
    *ret_singles = singles;
    return node;
}

/* What loading costs, in tenths of a nanosecond (measured on Linux 6.18, x86-64): each instruction
 * is checked and compiled, and the kernel then runs the program for each number, to learn which are
 * always allowed. */
enum { INSTRUCTION = 1000, STEP = 8, MAX_WEIGHT = 100 };

/* The cheapest tree over ranges lo to hi. */
static struct plan {
    int cost;
    int weight; /* numbers that come this way, gaps counted as MAX_WEIGHT */
    int split;  /* -1: compare one by one */
} plans[MAX_RANGES][MAX_RANGES + 1];

static int weight(const struct ranges *r, int i)
{
    uint32_t width = i + 1 < r->count ? r->first[i + 1] - r->first[i] : 1;

    return width < MAX_WEIGHT ? (int)width : MAX_WEIGHT;
}

static void plan_one(const struct ranges *r, int lo, int hi)
{
    struct plan *best = &plans[lo][hi];
    int singles;

    *best = (struct plan){INT_MAX, weight(r, lo), -1};
    if (hi - lo > 1)
        best->weight += plans[lo + 1][hi].weight;
    if (background(r, lo, hi, &singles) >= 0)
        best->cost = singles * (INSTRUCTION + STEP * best->weight);
    for (int m = lo + 1; m < hi; m++) {
        int cost = INSTRUCTION + STEP * best->weight + plans[lo][m].cost + plans[m][hi].cost;
        if (cost < best->cost)
            *best = (struct plan){cost, best->weight, m};
    }
}

static void plan(const struct ranges *r)
{
    for (int n = 1; n <= r->count; n++)
        for (int lo = 0; lo + n <= r->count; lo++)
            plan_one(r, lo, lo + n);
}

static int grow(struct program *p, const struct ranges *r, int lo, int hi)
{
    int m = plans[lo][hi].split, singles;

    if (m >= 0) {
        int low = grow(p, r, lo, m), high = grow(p, r, m, hi);
        return add(p, BPF_JMP | BPF_JGE | BPF_K, r->first[m], high, low);
    }
    int node = background(r, lo, hi, &singles), next = node;
    for (int i = hi - 1; i >= lo; i--)
        if (r->node[i] != node)
            next = equal(p, r->first[i], r->node[i], next);
    return next;
}

static int search(struct program *p, const struct ranges *r)
{
    plan(r);
    return grow(p, r, 0, r->count);
}

static void print_node(const struct program *p, int i)
{
    const struct node *n = &p->nodes[i];

    if (is_branch(n->code))
        printf("    {0x%02x, %d, %d, 0x%x},\n", n->code, i - n->yes - 1, i - n->no - 1, n->k);
    else
        printf("    {0x%02x, 0, 0, 0x%x},\n", n->code,
               n->code == (BPF_JMP | BPF_JA) ? (unsigned)(i - n->yes - 1) : n->k);
}

static void print_program(const struct program *p, const char *arch, const char *what)
{
    printf("static const struct sock_filter %s_%s[] = {\n", arch, what);
    for (int i = p->count - 1; i >= 0; i--)
        print_node(p, i);
    puts("};");
}

#endif
