/* SPDX-License-Identifier: Apache-2.0
 *
 * How a program that judges is run. The folders, variables and so on in a request are for the
 * candidate, which may have written into those folders: a module, a start-up file or a package
 * there would run as the judge.
 */
#include "judge/parts.h"

void judge_seclude(struct run_request *q)
{
    q->text = NULL;
    q->language = NULL;
    q->args = NULL;
    q->files = NULL;
    q->inputs = NULL;
    q->input_count = 0;
    q->work_dir = NULL;
    q->withheld = NULL;
    q->out_dir = NULL;
    q->stdin_fd = -1;
    q->env = NULL;
    q->pool = NULL;
    q->cold = true;
    q->net_host = false;
    q->no_check = true;
    q->review = false;
    q->profile = NULL;
    q->prelude = NULL;
    q->prelude_text = (struct str){0};
    q->context = NULL;
    q->invocation = NULL;
    q->execution_id = NULL;
    q->data = NULL;
    q->value_count = 0;
    q->optimize_data = false;
    q->log = "off";
    q->sink = NULL;
}
