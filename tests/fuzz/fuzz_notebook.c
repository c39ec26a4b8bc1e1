/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a notebook. One that is read gets outputs in each cell, is written, and is a
 * notebook with the same code again; cleared and written twice, it is the same text.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "text/notebook.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char *fill(struct notebook *nb)
{
    json_t *bundle =
        json_loads("{\"type\":\"display\",\"data\":{\"text/plain\":\"x\\ny\"}}", 0, NULL);

    for (size_t i = 0; i < nb->n; i++) {
        const struct notebook_cell *cell = &nb->cells[i];
        assert(cell->code && *cell->code);
        notebook_set_count(nb, cell, (unsigned)i + 1);
        notebook_add_stream(nb, cell, 1, STR("out\xff\n"));
        notebook_add_stream(nb, cell, 2, STR("Traceback\nE: m\n"));
        notebook_add_bundle(nb, cell, bundle, (unsigned)i + 1);
        notebook_add_error(nb, cell, "E", "m", "Traceback\nE: m\n");
    }
    json_decref(bundle);
    return notebook_text(nb);
}

static void read_again(const struct notebook *was, const char *text)
{
    struct notebook nb = {0};
    struct err err;

    assert(notebook_read(str_from(text), &nb, &err) == 0);
    assert(nb.n == was->n && nb.format == was->format && strcmp(nb.language, was->language) == 0);
    for (size_t i = 0; i < nb.n; i++)
        assert(strcmp(nb.cells[i].code, was->cells[i].code) == 0);
    notebook_clear(&nb);
    AUTO_FREE char *once = notebook_text(&nb);
    notebook_clear(&nb);
    AUTO_FREE char *twice = notebook_text(&nb);
    assert(strcmp(once, twice) == 0);
    notebook_done(&nb);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct notebook nb = {0};
    struct err err;

    if (notebook_read((struct str){n ? (const char *)data : "", n}, &nb, &err) == 0) {
        AUTO_FREE char *text = fill(&nb);
        if (strlen(text) < NOTEBOOK_MAX / 2)
            read_again(&nb, text);
    }
    notebook_done(&nb);
    return 0;
}
