/* SPDX-License-Identifier: Apache-2.0 */
#include "e2b_api/envelope.h"

#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "e2b_api/json.h"
#include "formats/json_get.h"
#include "formats/json_write.h"

enum { FLAG_COMPRESSED = 1, FLAG_END = 2 };

void envelope_put(struct buf *out, const json_t *message)
{
    AUTO_FREE char *text = json_write(message, false);
    size_t n = strlen(text);
    const char head[ENVELOPE_HEAD] = {0, (char)(n >> 24), (char)(n >> 16), (char)(n >> 8), (char)n};

    if (buf_add(out, head, sizeof head) == 0)
        (void)buf_add(out, text, n);
}

int envelope_next(struct str bytes, struct str *ret_bytes, size_t *ret_taken, struct err *err)
{
    const unsigned char *p = (const unsigned char *)bytes.p;

    if (bytes.n < ENVELOPE_HEAD)
        return ENVELOPE_PART;
    uint32_t n = (uint32_t)p[1] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 8 | p[4];
    if (p[0] & FLAG_COMPRESSED || p[0] & ~(FLAG_COMPRESSED | FLAG_END))
        return err_set(err, ERR_GUEST, "a message with the flags %u", p[0]);
    if (n > ENVELOPE_MAX)
        return err_set(err, ERR_GUEST, "a message of %u bytes", (unsigned)n);
    if (bytes.n - ENVELOPE_HEAD < n)
        return ENVELOPE_PART;
    *ret_bytes = str_slice(bytes, ENVELOPE_HEAD, ENVELOPE_HEAD + n);
    *ret_taken = ENVELOPE_HEAD + n;
    return p[0] & FLAG_END ? ENVELOPE_END : ENVELOPE_MESSAGE;
}

/* ---- messages ---- */

static int read_output(const json_t *data, struct process_event *ret, struct buf *output,
                       struct err *err)
{
    const json_t *out = json_object_get(data, "stdout"), *errors = json_object_get(data, "stderr");
    struct str text = json_str(out ? out : errors);

    if (!text.n)
        return 0;
    char *room = buf_room(output, text.n);
    ssize_t n = room ? base64_decode(text, room) : -1;
    if (n < 0)
        return err_set(err, ERR_GUEST, "output that is not base64");
    buf_grew(output, (size_t)n);
    ret->kind = PROCESS_OUTPUT;
    ret->stream = out ? 1 : 2;
    return 0;
}

static int envelope_read_event(const json_t *event, struct process_event *ret, struct buf *output,
                               struct err *err)
{
    const json_t *start = json_object_get(event, "start"), *end = json_object_get(event, "end");

    if (json_is_object(start)) {
        ret->kind = PROCESS_STARTED;
        ret->pid = json_get_int(start, "pid");
    } else if (json_is_object(end)) {
        ret->kind = PROCESS_ENDED;
        ret->exit_code = (int)json_get_int(end, "exitCode");
        ret->exited = json_get_true(end, "exited");
    } else {
        return read_output(json_object_get(event, "data"), ret, output, err);
    }
    return 0;
}

int process_event_read(struct str message, struct process_event *ret, struct buf *output,
                       struct err *err)
{
    json_t *json = e2b_json_read(message, 0, "a message", err);
    int result = -1;

    *ret = (struct process_event){.kind = PROCESS_OTHER};
    if (json)
        result = envelope_read_event(json_object_get(json, "event"), ret, output, err);
    json_decref(json);
    return result;
}

int envelope_end_read(struct str message, json_t **ret_owner, const char **ret_code,
                      struct str *ret_message)
{
    struct err ignored;

    *ret_owner = e2b_json_read(message, 0, "an end", &ignored);
    const json_t *error = json_object_get(*ret_owner, "error");
    const char *code = json_get_text(error, "code");

    *ret_code = code ? code : "unknown";
    *ret_message = json_str(json_object_get(error, "message"));
    return json_is_object(*ret_owner) && !error ? 0 : -1;
}
