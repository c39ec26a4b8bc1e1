/* SPDX-License-Identifier: Apache-2.0 */
#include "report/check_notebook.h"

#include "formats/json_get.h"
#include "guard/earlier.h"
#include "languages/ipython_cell.h"
#include "result/verdict_json.h"

static void examine_cell(const struct notebook_check *how, const struct run_request *q,
                         const struct language *language, struct str earlier, struct verdict *ret)
{
    struct examination e;

    *ret = (struct verdict){0};
    examine_init(&e, q, how->policy);
    e.language = language;
    e.prelude = how->prelude;
    e.earlier = earlier;
    e.stages = how->stages;
    e.cell = true;
    examine(&e, ret);
    examine_done(&e);
}

/* Examines the cell with the earlier cells before it, and again alone after a syntax error: the
 * earlier statements may cause the error themselves, for `from __future__ import` must be first. */
static void examine_twice(const struct notebook_check *how, const struct run_request *q,
                          const struct language *language, struct str earlier, struct verdict *ret)
{
    examine_cell(how, q, language, earlier, ret);
    if (ret->allowed || ret->stage > GUARD_SYNTAX || !earlier.n)
        return;
    verdict_done(ret);
    examine_cell(how, q, language, (struct str){0}, ret);
}

/* Adds the findings of one cell; the first refusal becomes the notebook's. */
static void merge(json_t *all, json_t *one, size_t number)
{
    json_t *findings = json_object_get(all, "findings"), *finding;
    size_t i;

    json_array_foreach(json_object_get(one, "findings"), i, finding)
    {
        json_object_set_new(finding, "cell", json_integer((json_int_t)number));
        json_array_append(findings, finding);
    }
    int64_t left = json_get_int(all, "findings_left_out") + json_get_int(one, "findings_left_out");
    int64_t risk = json_get_int(one, "risk");
    if (json_get_true(all, "allowed") && !json_get_true(one, "allowed")) {
        json_object_del(one, "findings");
        int64_t before = json_get_int(all, "risk");
        json_object_update(all, one);
        json_object_set_new(all, "risk", json_integer(before));
    }
    if (risk > json_get_int(all, "risk"))
        json_object_set_new(all, "risk", json_integer(risk));
    if (left)
        json_object_set_new(all, "findings_left_out", json_integer(left));
}

static json_t *check_cells(const struct notebook_check *how, const struct notebook *nb,
                           const struct language *language)
{
    AUTO_BUF struct buf names = {0}, earlier = {0};
    json_t *all = NULL;

    buf_init(&names, EARLIER_MAX);
    buf_init(&earlier, EARLIER_MAX);
    for (size_t i = 0; i < nb->n; i++) {
        struct run_request q = *how->request;
        struct verdict verdict;
        q.program.file = NULL;
        q.program.code = str_from(nb->cells[i].code);
        struct ipython_cell plain = {0};
        if (language->traits->is_notebook && ipython_cell_read(q.program.code, &plain))
            q.program.code = buf_str(&plain.code);
        buf_clear(&earlier);
        earlier_text(&names, &earlier);
        examine_twice(how, &q, language, buf_str(&earlier), &verdict);
        json_t *one = verdict_json(&verdict);
        earlier_learn(&names, buf_str(&verdict.ended));
        verdict_done(&verdict);
        ipython_cell_done(&plain);
        if (!all) {
            all = json_copy(one);
            json_object_set_new(all, "findings", json_array());
        }
        merge(all, one, i + 1);
        json_decref(one);
    }
    return all;
}

json_t *check_notebook(const struct notebook_check *how, const struct notebook *nb, struct err *err)
{
    const struct language *language =
        language_find(how->request->program.languages, str_from(nb->language));
    struct verdict nothing = {.allowed = true};

    if (!language) {
        err_set(err, ERR_USAGE, "its kernel's language is '%s', which is not known here",
                nb->language);
        return NULL;
    }
    return nb->n ? check_cells(how, nb, language) : verdict_json(&nothing);
}
