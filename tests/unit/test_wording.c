/* SPDX-License-Identifier: Apache-2.0 */
#include "request/wording.h"

#include <string.h>

#include "formats/json_get.h"
#include "request/setting.h"
#include "tap.h"

/* The member of a document after its rewriting. */
static const char *member(const char *text, enum wording wording, const char *key)
{
    static json_t *document;

    json_decref(document);
    document = json_loads(text, 0, NULL);
    wording_use(document, wording);
    return json_get_text(document, key);
}

static void check_spellings(void)
{
    static const char hint[] = "{\"hint\": \"Use --file (or --memory), --net=host; --cpu-time.\"}";

    EQ_STR(member(hint, WORDING_OPTIONS, "hint"),
           "Use --file (or --memory), --net=host; --cpu-time.");
    EQ_STR(member(hint, WORDING_FIELDS, "hint"),
           "Use 'files' (or 'memory_bytes'), 'net': \"host\"; 'cpu_time_ms'.");
    EQ_STR(member(hint, WORDING_PYTHON, "hint"),
           "Use files= (or memory=), net=\"host\"; cpu_time=.");
}

static void check_left_alone(void)
{
    static const char *const texts[] = {
        "'--file' is not here",
        "the daemon's --images",
        "only --allow-unsafe",
        "a--file",
        "--",
        "only with --no-such-option",
        "- --5",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        json_t *document = json_pack("{s:s}", "summary", texts[i]);
        wording_use(document, WORDING_PYTHON);
        EQ_STR(json_get_text(document, "summary"), texts[i]);
        json_decref(document);
    }
    EQ_STR(member("{\"stdout\": \"--file\"}", WORDING_FIELDS, "stdout"), "--file");
}

/* What a guest or a caller sent is not ours, whatever its keys are. */
static void check_data(void)
{
    static const char text[] =
        "{\"value\": {\"hint\": \"--file\"}, \"results\": [{\"hint\": \"--file\"}], "
        "\"test_results\": "
        "[{\"actual\": {\"hint\": \"--file\"}, \"hint\": \"--file\"}], \"exception\": "
        "{\"message\": "
        "\"--file\", \"hint\": \"--file\"}, \"feedback\": [\"--file\", \"--ro\"], \"verdict\": "
        "{\"findings\": [{\"hint\": \"--target\"}]}, \"files\": [{\"verdict\": {\"reason\": "
        "\"--lang\"}}], \"error\": {\"message\": \"no --file\"}}";
    static const char wanted[] =
        "{\"value\": {\"hint\": \"--file\"}, \"results\": [{\"hint\": \"--file\"}], "
        "\"test_results\": "
        "[{\"actual\": {\"hint\": \"--file\"}, \"hint\": \"files=\"}], \"exception\": "
        "{\"message\": "
        "\"--file\", \"hint\": \"files=\"}, \"feedback\": [\"files=\", \"ro=\"], \"verdict\": "
        "{\"findings\": [{\"hint\": \"target=\"}]}, \"files\": [{\"verdict\": {\"reason\": "
        "\"language=\"}}], \"error\": {\"message\": \"no files=\"}}";
    json_t *document = json_loads(text, 0, NULL), *expected = json_loads(wanted, 0, NULL);

    wording_use(document, WORDING_PYTHON);
    OK(json_equal(document, expected), "texts of ours are changed, and data are not");
    json_decref(document);
    json_decref(expected);
    wording_use(NULL, WORDING_PYTHON);
    EQ_STR(member("{\"event\": \"warning\", \"message\": \"--ro\"}", WORDING_PYTHON, "message"),
           "ro=");
}

/* Feedback has words of the guest in texts of ours. */
static void check_quotes(void)
{
    static const char quoting[] =
        "{\"stderr\": \"usage: x --file FILE\", \"exception\": {\"message\": \"take --ro\", "
        "\"traceback\": null}, \"feedback_text\": \"usage: x --file FILE; take --ro\\n"
        "    2 | f() # --memory\\nGive it with --file, or --ro.\"}";

    EQ_STR(member(quoting, WORDING_PYTHON, "feedback_text"),
           "usage: x --file FILE; take --ro\n    2 | f() # --memory\n"
           "Give it with files=, or ro=.");
}

static const char *error(const char *message, enum wording wording)
{
    static json_t *document;

    json_decref(document);
    document = json_pack("{s:{s:s}}", "error", "message", message);
    wording_use(document, wording);
    return json_get_text(json_object_get(document, "error"), "message");
}

static void check_errors(void)
{
    EQ_STR(error("'timeout_ms': 5 is more", WORDING_OPTIONS), "--timeout: 5 is more");
    EQ_STR(error("'timeout_ms': 5 is more", WORDING_PYTHON), "'timeout': 5 is more");
    EQ_STR(error("'timeout_ms': 5 is more", WORDING_FIELDS), "'timeout_ms': 5 is more");
    EQ_STR(error("--profile: there is none", WORDING_PYTHON), "'profile': there is none");
    EQ_STR(error("--profile: there is none", WORDING_OPTIONS), "--profile: there is none");
    EQ_STR(error("--profile: there is none", WORDING_FIELDS), "'profile': there is none");
    EQ_STR(error("allow it, as in --net=allow:api.example.com:8443.", WORDING_PYTHON),
           "allow it, as in net=\"allow:api.example.com:8443\".");
    EQ_STR(error("--net=host and --require=netns", WORDING_PYTHON),
           "net=\"host\" and require=\"netns\"");
    EQ_STR(error("'no_such_ms' is not here", WORDING_PYTHON), "'no_such_ms' is not here");
    EQ_STR(error("'", WORDING_PYTHON), "'");
    EQ_STR(error("", WORDING_PYTHON), "");
    EQ_STR(error("'a' and 'timeout_ms'", WORDING_PYTHON), "'a' and 'timeout_ms'");
}

static void check_every_setting(void)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const struct setting *row = &settings_all[i];
        if (!row->opt.name)
            continue;
        json_t *document = json_pack("{s:s++}", "summary", "--", row->opt.name, " is one");
        wording_use(document, WORDING_FIELDS);
        if (setting_find(row->opt.name)->field)
            OK(strncmp(json_get_text(document, "summary"), "--", 2) != 0, "the field of --%s",
               row->opt.name);
        json_decref(document);
    }
}

static void check_names(void)
{
    OK(wording_find(STR("options")) == WORDING_OPTIONS, "options");
    OK(wording_find(STR("python")) == WORDING_PYTHON, "python");
    OK(wording_find(STR("")) == WORDING_FIELDS && wording_find(STR("x")) == WORDING_FIELDS,
       "fields");
}

int main(void)
{
    RUN(check_spellings());
    RUN(check_left_alone());
    RUN(check_data());
    RUN(check_quotes());
    RUN(check_errors());
    RUN(check_every_setting());
    RUN(check_names());
    return tap_done();
}
