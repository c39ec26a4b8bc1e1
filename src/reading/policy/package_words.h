/* SPDX-License-Identifier: Apache-2.0
 *
 * How a program gets packages that its interpreter lacks: the clause that every hint about missing
 * packages has, so that no two contradict each other.
 */
#ifndef POLICY_PACKAGE_WORDS_H
#define POLICY_PACKAGE_WORDS_H

#define PACKAGE_WAYS                                                                               \
    "packages come with --pip, with --environment, or with --python (a Python or a virtual "       \
    "environment that has them)"

#endif
