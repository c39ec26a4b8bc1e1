/* SPDX-License-Identifier: Apache-2.0
 *
 * Times the front end over many files that it has read beforehand, whenever it is told to, so that
 * bench/parse.py can let it take turns with another parser.
 *
 *     parse FILE...    then for each line "lex", "parse", "check" or "guard PROFILE" on standard
 *                      input: how many nanoseconds of the processor that took for all files, and
 *                      how many of them were refused
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "guard/guard.h"
#include "python/python.h"
#include "syntax/lex.h"

static struct str *files;
static int file_count;

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static struct str read_file(const char *path)
{
    struct str text = {"", 0};
    FILE *f = fopen(path, "rb");

    if (f && fseek(f, 0, SEEK_END) == 0) {
        long size = ftell(f);
        char *p = size >= 0 ? malloc((size_t)size + 1) : NULL;
        rewind(f);
        if (p && fread(p, 1, (size_t)size, f) == (size_t)size)
            text = (struct str){p, (size_t)size};
    }
    if (f)
        fclose(f);
    return text;
}

/* These say whether the text was accepted. */

static bool lex(struct str text)
{
    struct python_tree tree = {.target = PYTHON_NEWEST, .memory_limit = PYTHON_MEMORY};
    struct tokens tokens = {0};

    bool good = source_read(&tree, text) == 0;
    if (good) {
        lex_text(&tree, tree.text, NULL, &tokens);
        good = tokens.error.kind == PYTHON_NO_ERROR;
        tokens_done(&tokens);
    }
    python_tree_done(&tree);
    return good;
}

static bool parse(struct str text, bool check)
{
    struct python_tree tree;

    bool good = python_parse(text, &(struct python_options){0}, &tree) == 0 &&
                (!check || python_check(&tree) == 0);
    python_tree_done(&tree);
    return good;
}

static bool guard(struct str text, const struct policy *policy)
{
    struct guard_input input = {.code = text, .language = "python"};
    struct verdict verdict;

    guard_check(policy, &input, &verdict);
    bool good = verdict.allowed;
    verdict_done(&verdict);
    return good;
}

static int run(const char *what)
{
    struct policy *policy = NULL;
    struct err err = {0};

    if (strncmp(what, "guard ", 6) == 0 && !(policy = policy_open(what + 6, &err)))
        return -1;
    int refused = 0;
    uint64_t begin = now();
    for (int i = 0; i < file_count; i++) {
        if (policy)
            refused += !guard(files[i], policy);
        else if (strcmp(what, "lex") == 0)
            refused += !lex(files[i]);
        else
            refused += !parse(files[i], strcmp(what, "check") == 0);
    }
    printf("%" PRIu64 " %d\n", now() - begin, refused);
    fflush(stdout);
    if (policy)
        policy_free(policy);
    return 0;
}

int main(int argc, char **argv)
{
    char what[100];

    file_count = argc - 1;
    files = calloc((size_t)argc, sizeof *files);
    for (int i = 0; files && i < file_count; i++)
        files[i] = read_file(argv[1 + i]);
    while (files && fgets(what, sizeof what, stdin)) {
        what[strcspn(what, "\n")] = '\0';
        if (run(what) < 0)
            return 1;
    }
    return 0;
}
