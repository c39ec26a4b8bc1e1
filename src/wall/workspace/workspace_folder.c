/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of the workspace in which a program starts (--cwd).
 */
#include <string.h>

#include "jail/lay.h"
#include "jail/spec.h"
#include "workspace/workspace_parts.h"

/* Takes "./", the path of a jail's workspace, and slashes at the end away. */
static struct str plain_path(struct str named)
{
    if (str_is(named, SPEC_WORK) || str_starts(named, SPEC_WORK "/"))
        named = str_slice(named, strlen(SPEC_WORK) + 1, named.n);
    while (str_starts(named, "./"))
        named = str_slice(named, 2, named.n);
    while (named.n > 1 && str_ends(named, "/"))
        named.n--;
    return str_is(named, ".") ? (struct str){"", 0} : named;
}

int workspace_folder(struct str named, struct str *ret, struct err *err)
{
    struct str path = plain_path(named);
    const char *problem = path.n ? lay_path_problem(path) : NULL;
    char shown[PATH_SHOW];

    if (str_starts(path, "/"))
        return err_set(err, ERR_USAGE,
                       "the program cannot start in '%s', which is not in the workspace: let it go "
                       "there itself, as with os.chdir() or cd, if --ro shows that folder, or give "
                       "a copy of the folder with --work-dir",
                       path_show(named, shown, sizeof shown));
    if (problem)
        return err_set(err, ERR_USAGE, "the program cannot start in '%s': it %s",
                       path_show(named, shown, sizeof shown), problem);
    *ret = path;
    return 0;
}

int lay_list_find_folder(const struct lay_list *list, struct str folder, struct err *err)
{
    const struct lay_entry *entry = folder.n ? lay_find(list, folder) : NULL;
    char shown[PATH_SHOW];

    if (!folder.n || (entry && entry->is_dir))
        return 0;
    (void)path_show(folder, shown, sizeof shown);
    return err_set(err, ERR_USAGE,
                   entry ? "the program cannot start in '%s': it is a file, not a folder"
                         : "the program cannot start in '%s': the workspace has no such folder; "
                           "put a file into it first",
                   shown);
}
