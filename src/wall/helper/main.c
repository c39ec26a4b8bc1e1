/* SPDX-License-Identifier: Apache-2.0
 *
 * glovebox-jail: the small static program that becomes a jail (inside/keeper.c), or the helper in a
 * container or in a virtual machine of a service (helper/contained.h).
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "helper/contained.h"
#include "inside/inside.h"

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--contained") == 0)
        return contained_main();
    if (argc > 1 && strcmp(argv[1], CONTAINED_APART) == 0)
        return contained_apart_main(argv + 2);
    if (argc == 2 && strcmp(argv[1], "--spec") == 0 && fcntl(SPEC_FD_SPEC, F_GETFD) >= 0)
        return keeper_main();
    fputs("glovebox-jail is a part of glovebox and is started by it; use: glovebox run\n", stderr);
    return 2;
}
