/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/driver.h"

#include <string.h>

/* Standard input begins with "MAGIC BYTES BYTES"; then follow the driver's bytecode and its
 * source. */
static const char boot[] = "import marshal\n"
                           "from posix import read\n"
                           "from _frozen_importlib_external import MAGIC_NUMBER\n"
                           "def take(n):\n"
                           "    data = b''\n"
                           "    while len(data) < n:\n"
                           "        data += read(0, n - len(data)) or 1 / 0\n"
                           "    return data\n"
                           "head = b''\n"
                           "while head[-1:] != b'\\n':\n"
                           "    head += take(1)\n"
                           "magic, code, text = head.split()\n"
                           "code, text = take(int(code)), take(int(text)).decode()\n"
                           "exec(marshal.loads(code) if MAGIC_NUMBER.hex() == magic.decode() else "
                           "text)\n";

void driver_add(struct buf *b, const struct driver *driver)
{
    size_t text = 0;

    for (const char *const *part = driver->parts; *part; part++)
        text += strlen(*part);
    (void)buf_addf(b, "%s %lu %zu\n", driver->magic, *driver->code_size, text);
    (void)buf_add(b, driver->code, *driver->code_size);
    for (const char *const *part = driver->parts; *part; part++)
        (void)buf_adds(b, *part);
}

void only_language_init(struct only_language *only, const struct language *base,
                        const char *const *args, struct run_request *request)
{
    only->language = *base;
    only->language.args = args;
    only->row = &only->language;
    only->table = (struct language_table){&only->row, 1};
    request->program.language = base->name;
    request->program.languages = &only->table;
}

void driver_start_with(struct only_language *only, const struct language *python,
                       const struct driver *driver, struct run_request *request)
{
    only_language_init(only, python, driver->args, request);
    only->language.boot = boot;
    only->language.runner = NULL;
}
