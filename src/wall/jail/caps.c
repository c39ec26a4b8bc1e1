/* SPDX-License-Identifier: Apache-2.0 */
#include "jail/caps.h"

#include <linux/capability.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(cap) (UINT32_C(1) << (cap))

bool caps_may_set_ids(void)
{
    const uint32_t needed = BIT(CAP_SETUID) | BIT(CAP_SETGID);
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];

    return geteuid() == 0 && syscall(SYS_capget, &head, data) == 0 &&
           (data[0].effective & needed) == needed;
}

bool caps_is_bare_root(void)
{
    return geteuid() == 0 && !caps_may_set_ids();
}
