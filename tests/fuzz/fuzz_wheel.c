/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a wheel. A wheel that is accepted has plain names, each once, and a manifest that is
 * read again as it was written. Nothing is written to the disk.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "environments/wheel.h"
#include "environments/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct manifest m = {0}, again = {0};
    AUTO_BUF struct buf text = {0};
    struct err err;

    if (wheel_unpack((struct str){(const char *)data, n}, -1, &m, &err) < 0)
        return 0;
    buf_init(&text, 64 << 20);
    manifest_write(&m, &text);
    assert(manifest_read(buf_str(&text), &again, &err) == 0 && again.count == m.count);
    for (size_t i = 0; i < m.count; i++) {
        assert(zip_is_plain(str_from(m.files[i].path)));
        assert(!i || strcmp(m.files[i - 1].path, m.files[i].path) < 0);
        assert(strcmp(m.files[i].path, again.files[i].path) == 0);
        assert(strcmp(m.files[i].sha256, again.files[i].sha256) == 0);
    }
    manifest_done(&m);
    manifest_done(&again);
    return 0;
}
