/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_options.h"

#include "console/options.h"

#define AT(member) offsetof(struct cli_settings, member)

const struct opt check_what_options[] = {
    {.name = "stages",
     .kind = OPT_STRING,
     .offset = AT(stages),
     .arg = "NAMES",
     .group = "What to check",
     .help = "run only these stages: input,syntax,imports,patterns"},
    {0},
};

const struct opt check_show_options[] = {
    JSON_ROW(AT(json), "print every verdict as JSON", .excludes = "sarif, dump-ast"),
    {.name = "sarif",
     .kind = OPT_FLAG,
     .offset = AT(sarif),
     .group = "Output",
     .excludes = "json, dump-ast",
     .help = "print the findings as SARIF 2.1.0, for code-scanning viewers"},
    {.name = "max-findings",
     .kind = OPT_INT,
     .offset = AT(max_findings),
     .arg = "N",
     .group = "Output",
     .initial = "50",
     .max = 1 << 30,
     .help = "print at most N findings of a program in the text report; 0 for all"},
    QUIET_ROW(AT(quiet), "print only findings that refuse a program: no warnings, no count"),
    {0},
};

const struct opt check_other_options[] = {
    {.name = "dump-ast",
     .kind = OPT_FLAG,
     .offset = AT(dump_ast),
     .group = "Instead of checking",
     .help = "print the syntax tree of each Python program, one line each, as "
             "ast.dump(tree, include_attributes=True) does"},
    {.name = "no-attributes",
     .kind = OPT_FLAG,
     .offset = AT(no_attributes),
     .group = "Instead of checking",
     .help = "with --dump-ast: leave out lines and columns"},
    {.name = "list-rules",
     .kind = OPT_FLAG,
     .offset = AT(list_rules),
     .group = "Instead of checking",
     .help = "print every rule: stage, severity, points, what it finds"},
    {.name = "explain",
     .kind = OPT_STRING,
     .offset = AT(explain),
     .arg = "RULE",
     .group = "Instead of checking",
     .help = "print what a rule finds, why it matters, and what to do instead"},
    {.name = "list-profiles",
     .kind = OPT_FLAG,
     .offset = AT(list_profiles),
     .group = "Instead of checking",
     .help = "print the built-in profiles"},
    {.name = "show-profile",
     .kind = OPT_STRING,
     .offset = AT(show_profile),
     .arg = "NAME",
     .group = "Instead of checking",
     .help = "print a profile as a policy file; it includes --allow-imports and --forbid-imports"},
    {0},
};
