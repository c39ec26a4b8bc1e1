/* SPDX-License-Identifier: Apache-2.0 */
#include "languages/code_files.h"

#include <stddef.h>

#include "base/mem.h"

static const struct code_file rows[] = {
    {".py", "python", NULL},
    {".pyw", "python", NULL},
    {".pyc", "python", "bytecode"},
    {".pyo", "python", "bytecode"},
    {".so", "python", "machine code"},
    {".pth", "python", "lines that Python executes at its start"},
    {".pdbrc", "python", "commands of the debugger"},
    {".egg", "python", "an archive of modules"},
    {".whl", "python", "an archive of modules"},
    {".pyz", "python", "an archive of modules"},
    {".js", "javascript", NULL},
    {".cjs", "javascript", NULL},
    {".mjs", "javascript", NULL},
    {".ts", "javascript", NULL},
    {".cts", "javascript", NULL},
    {".mts", "javascript", NULL},
    {"package.json", "javascript", NULL},
    {".node", "javascript", "machine code"},
    {".wasm", "javascript", "machine code"},
    {".R", "r", NULL},
    {".r", "r", NULL},
    {".Rprofile", "r", NULL},
    {".Renviron", "r", NULL},
    {".RData", "r", "objects that R loads at its start"},
    {".sh", "bash", NULL},
    {".bash", "bash", NULL},
    {".bashrc", "bash", NULL},
    {".profile", "bash", NULL},
    {".bash_profile", "bash", NULL},
};

const struct code_file *code_file_of(struct str path)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_ends(path, rows[i].suffix))
            return &rows[i];
    return NULL;
}
