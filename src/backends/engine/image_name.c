/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/image_name.h"

#include <string.h>

#include "base/mem.h"

struct str image_repository(const char *image)
{
    /* In the order in which they are written. Podman puts "localhost/" before names of images that
     * it made. */
    static const char *const implied[] = {"docker.io/", "index.docker.io/", "localhost/",
                                          "library/"};

    for (size_t i = 0; i < ARRAY_LEN(implied); i++)
        if (strncmp(image, implied[i], strlen(implied[i])) == 0)
            image += strlen(implied[i]);
    const char *slash = strrchr(image, '/'), *last = slash ? slash : image;
    return (struct str){image, (size_t)(last - image) + strcspn(last, ":@")};
}
