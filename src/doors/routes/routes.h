/* SPDX-License-Identifier: Apache-2.0
 *
 * The daemon's routes: a row for each address and method, and the handlers.
 */
#ifndef ROUTES_ROUTES_H
#define ROUTES_ROUTES_H

#include "server/front.h"

extern const struct route routes[];           /* ends with a NULL path */
extern const struct mcp_host mcp_daemon_host; /* mcp_calls.c */
extern const struct server_site daemon_site;

/* False, with the answer 403, if this caller may not read the daemon's figures, which cover all
 * owners. */
bool call_may_read_figures(struct call *call);
/* {"pid", "version", "listening", ...}, with the current figures. The caller owns it. */
json_t *server_status(const struct server *server);

/* handle_*.c: the work of jobs, and what is answered in the loop or needs another job */
void run_work(struct job *job);
void check_work(struct job *job);
void test_work(struct job *job);
void task_work(struct job *job);
void backends_work(struct job *job);
void environments_work(struct job *job);
void environment_make_work(struct job *job);
void values_set_work(struct job *job);
void values_get_work(struct job *job);
void tool_put_work(struct job *job);
void files_list_work(struct job *job);
void handle_batch(struct call *call);
void handle_runs(struct call *call);
void handle_run_by_id(struct call *call);
void handle_environment_show(struct call *call);
void handle_environment_remove(struct call *call);
void handle_about(struct call *call);
void handle_health(struct call *call);
void handle_ready(struct call *call);
void handle_metrics(struct call *call);
void handle_openapi(struct call *call);
void handle_status(struct call *call);
void handle_stop(struct call *call);
void handle_session_open(struct call *call);
void handle_session_list(struct call *call);
void handle_session_show(struct call *call);
void handle_session_close(struct call *call);
void handle_session_exec(struct call *call);
void handle_session_fork(struct call *call);
void handle_session_commit(struct call *call);
void handle_session_network(struct call *call);
void handle_session_network_show(struct call *call);
void handle_session_interrupt(struct call *call);
void handle_session_restart(struct call *call);
void handle_session_answer(struct call *call);
void handle_session_tool_remove(struct call *call);
void handle_file_get(struct call *call);
void handle_file_put(struct call *call);
void handle_file_delete(struct call *call);
void handle_mcp_post(struct call *call);
void handle_mcp_get(struct call *call);
void handle_mcp_delete(struct call *call);

/* The fields that only one route has, for routes.c. */
extern const struct setting open_rows[], commit_rows[], network_rows[], set_rows[], get_rows[],
    answer_rows[], tool_rows[], stop_rows[], batch_rows[], environment_rows[];
extern const struct query_field runs_query[];

#endif
