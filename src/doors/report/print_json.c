/* SPDX-License-Identifier: Apache-2.0 */
#include "report/print_json.h"

#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "formats/json_write.h"

int print_json(json_t *value)
{
    AUTO_FREE char *text = json_write(value, true);

    puts(text);
    json_decref(value);
    return 0;
}

void print_document(const json_t *document)
{
    AUTO_FREE char *text = json_write(document, isatty(STDOUT_FILENO));

    puts(text);
}
