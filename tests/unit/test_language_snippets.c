/* SPDX-License-Identifier: Apache-2.0
 *
 * What language programs are taken for that come without a name: 200 of them.
 */
#include "base/mem.h"
#include "languages/detect.h"
#include "languages/language.h"
#include "tap.h"

static const struct {
    const char *language, *code;
} snippets[] = {
#define SNIPPET(language, code) {#language, code},
#include "language_snippets.def"
#undef SNIPPET
};

/* There is no row for Go, only the opinion that something is Go. */
static const char *taken_for(const char *code)
{
    struct str text = str_from(code);
    struct python_text tree = {0};
    const char *guess = str_starts(text, "#!") ? NULL : detect_language(text, &tree);

    python_text_done(&tree);
    return guess && strcmp(guess, "go") == 0 ? guess : language_detect(NULL, NULL, text)->name;
}

int main(void)
{
    for (size_t i = 0; i < ARRAY_LEN(snippets); i++) {
        const char *got = taken_for(snippets[i].code);
        if (!OK(strcmp(got, snippets[i].language) == 0, "snippet %zu is %s", i + 1,
                snippets[i].language))
            printf("# taken for %s: %.60s\n", got, snippets[i].code);
    }
    OK(ARRAY_LEN(snippets) >= 200, "there are 200");
    EQ_STR(detect_language(STR(""), &(struct python_text){0}), "python");
    return tap_done();
}
