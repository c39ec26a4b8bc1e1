/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/driver.h"

#include <string.h>

#include "judge/parts.h"
#include "run/first.h"

enum { PROFILE_MAX = 1 << 20 };

/* Standard input begins with "MAGIC BYTES BYTES BYTES LAZY"; then follow the driver's bytecode, its
 * source, and the code that the profile runs before a candidate. LAZY is 1 if the candidate's
 * annotations are not evaluated. The driver has begin_profile() and candidate_flags, for
 * compile(). */
static const char boot[] =
    "import marshal, sys\n"
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
    "magic, code, text, profile_text, lazy = head.split()\n"
    "code, text = take(int(code)), take(int(text)).decode()\n"
    "profile_text, candidate_flags = take(int(profile_text)).decode(), 0\n"
    "if lazy == b'1' and (3, 7) <= sys.version_info < (3, 14):\n"
    "    import __future__\n"
    "    candidate_flags = __future__.annotations.compiler_flag\n"
    "def begin_profile(names):\n"
    "    exec(profile_text, {'program': names})\n"
    "exec(marshal.loads(code) if MAGIC_NUMBER.hex() == magic.decode() else text)\n";

void driver_add(struct buf *b, const struct driver *driver, const struct run_request *candidate)
{
    AUTO_BUF struct buf first = {0};
    size_t text = 0;

    buf_init(&first, PROFILE_MAX);
    profile_first(candidate, true, &first);
    for (const char *const *part = driver->parts; *part; part++)
        text += strlen(*part);
    (void)buf_addf(b, "%s %lu %zu %zu %d\n", driver->magic, *driver->code_size, text, first.n,
                   profile_skips_annotations(candidate));
    (void)buf_add(b, driver->code, *driver->code_size);
    for (const char *const *part = driver->parts; *part; part++)
        (void)buf_adds(b, *part);
    (void)buf_add_str(b, buf_str(&first));
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

/* The request's folders, variables and so on are for the candidate, which may have written to those
 * folders: a module, a start-up file or a package there would run as part of the judge. */
void judge_seclude(struct run_request *q)
{
    q->program.text = NULL;
    q->program.language = NULL;
    q->program.args = NULL;
    q->workspace.files = NULL;
    q->workspace.inputs = NULL;
    q->workspace.input_count = 0;
    q->workspace.work_dir = NULL;
    q->workspace.withheld = NULL;
    q->workspace.out_dir = NULL;
    q->program.stdin_fd = -1;
    q->program.env = NULL;
    q->place.pool = NULL;
    q->place.cold = true;
    q->place.net_host = false;
    q->place.net_rules = NULL;
    q->policy.no_check = true;
    q->policy.review = false;
    q->policy.profile = NULL;
    q->program.prelude = NULL;
    q->program.prelude_text = (struct str){0};
    q->context.path = NULL;
    q->context.invocation = NULL;
    q->context.execution_id = NULL;
    q->workspace.data = NULL;
    q->workspace.value_count = 0;
    q->workspace.optimize_data = false;
    q->door.log = "off";
    q->door.sink = NULL;
}
