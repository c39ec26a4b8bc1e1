/* SPDX-License-Identifier: Apache-2.0 */
#include "environments/requirement.h"
#include "run/prepare.h"

int prepare_environment(struct prepared *p, const char *choice, struct err *err)
{
    const char *name = p->request->place.environment, *set = name ? env_set(name) : NULL;
    struct env_want want = {.requirements = p->packages, .python = choice};
    char *texts[] = {(char *)set, NULL}, **packages = NULL;
    struct err none;

    if (name && env_open(name, &p->environment, set ? &none : err) < 0) {
        if (set && p->request->place.only_known)
            return err_set(err, ERR_POLICY,
                           "environment '%s' was not made yet, and only the operator of this "
                           "daemon can let clients fetch packages, with --allow packages",
                           name);
        if (!set || requirements_read(texts, &packages, err) < 0)
            return -1;
        want.requirements = packages;
    }
    int result = p->environment.python ? 0 : env_make(&want, &p->watch, &p->environment, err);
    requirements_done(packages);
    if (result < 0)
        return err_wrap(err, name ? "--environment" : "--pip");
    return interpreter_at(p->environment.python, &p->interpreter, err);
}
