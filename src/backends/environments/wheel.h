/* SPDX-License-Identifier: Apache-2.0
 *
 * Wheels: zip files with Python packages, whose RECORD has a hash for each file. The bytes may be
 * hostile.
 */
#ifndef ENVIRONMENTS_WHEEL_H
#define ENVIRONMENTS_WHEEL_H

#include "base/err.h"
#include "base/str.h"
#include "environments/manifest.h"

/* The parts of a file name: "numpy", "2.4.6". They point into the name. False if it is not the name
 * of a wheel. */
bool wheel_name(struct str file, struct str *ret_package, struct str *ret_version);

/* Where a file of a wheel belongs: among the packages, or in a folder of its environment. */
enum wheel_place { WHEEL_PACKAGES, WHEEL_SCRIPTS, WHEEL_HEADERS, WHEEL_DATA };
/* *ret_rest is its path there. */
enum wheel_place wheel_place_of(struct str path, struct str *ret_rest);

/* Unpacks a wheel's bytes into an empty folder, and checks each file against RECORD: every file
 * except RECORD and its signatures must be in it with its SHA-256, and every file in it must be
 * there. No file may be one of those that make an environment, such as its interpreter. With folder
 * -1, only checks. *ret is sorted; free it with manifest_done. -1 with ERR_GUEST
 * if the wheel is refused. */
int wheel_unpack(struct str bytes, int folder, struct manifest *ret, struct err *err);

#endif
