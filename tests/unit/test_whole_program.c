/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "text/whole_program.h"

static const struct {
    const char *text;
    bool is_program;
} texts[] = {
    {"print(1)", true},
    {"import os\nx = os.getcwd()\n", true},
    {"def f(x):\n    return x\n", true},
    {"# a comment\nx: int = 4", true},
    {"\"\"\"What it does.\"\"\"\nfor i in range(3):\n    pass\n", true},
    {"", false},
    {"Sorry", false},
    {"Note: 42", false},
    {"42", false},
    {"yes, no", false},
    {"pass", false},
    {"# nothing to do", false},
    {"\"print(1)\"", false},
    {"Here it is: print(1)", false},
    {"print(1)\n\nIt prints one.", false},
    {"I cannot do that.", false},
    {"```python\nprint(1)\n```", false},
};

int main(void)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = texts[i].text;
        OK(whole_python(str_from(text)) == texts[i].is_program, "%.*s: %s",
           (int)strcspn(text, "\n"), text, texts[i].is_program ? "a program" : "no program");
    }
    OK(!whole_python((struct str){"print(1)\0", 9}), "a NUL");
    return tap_done();
}
