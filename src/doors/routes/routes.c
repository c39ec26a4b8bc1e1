/* SPDX-License-Identifier: Apache-2.0
 *
 * All routes: those of the verbs, and the others.
 */
#include "routes/routes.h"

#define SESSION "/v1/sessions/{id}"
/* The fields of a body. */
#define BODY(rows)                                                                                 \
    {                                                                                              \
        0, (rows)                                                                                  \
    }
#define NONE       BODY(NULL)
#define ROUTE(...) __VA_ARGS__

const struct route routes[] = {
    {HTTP_GET, "/", "about", "The name and version of this program, and where it is described.",
     ROUTE_DRAINING, NONE, NULL, 200, "About", .handle = handle_about},
#define SERVED(id, command, operation, address, text, on_success, route)                           \
    {.method = HTTP_POST,                                                                          \
     .path = (address),                                                                            \
     .name = (operation),                                                                          \
     .summary = (text),                                                                            \
     .flags = ROUTE_JSON,                                                                          \
     .form.verb = V_##id,                                                                          \
     .status = (on_success),                                                                       \
     ROUTE route},
#include "request/verbs.def"
    {HTTP_POST, "/v1/batch", "batch",
     "Run many programs. The results are in the order of the requests; as lines, each "
     "is sent when its run ends, with the index of its request.",
     ROUTE_JSON, BODY(batch_rows), NULL, 200, "BatchResult", .event = "BatchLine",
     .handle = handle_batch},
    {HTTP_GET, "/v1/sessions", "listSessions", "List your open sessions.", 0, NONE, NULL, 200,
     "Sessions", .handle = handle_session_list},
    {HTTP_GET, SESSION, "showSession", "Describe a session.", ROUTE_DRAINING, NONE, NULL, 200,
     "Session", .handle = handle_session_show},
    {HTTP_DELETE, SESSION, "closeSession", "End a session and everything in it.", ROUTE_DRAINING,
     NONE, NULL, 200, "Closed", .handle = handle_session_close},
    {HTTP_POST, SESSION "/commit", "commitSession",
     "Make an image of a session: a new session in this image begins with its files.", ROUTE_JSON,
     BODY(commit_rows), NULL, 201, "Committed", .handle = handle_session_commit},
    {HTTP_GET, SESSION "/network", "showNetwork", "What a session and its forks may reach now.",
     ROUTE_DRAINING, NONE, NULL, 200, "Network", .handle = handle_session_network_show},
    {HTTP_PUT, SESSION "/network", "setNetwork",
     "Replace what a session and its forks may reach, at once, also while a cell runs.", ROUTE_JSON,
     BODY(network_rows), NULL, 200, "Done", .handle = handle_session_network},
    {HTTP_POST, SESSION "/interrupt", "interrupt", "Ctrl-C for the cell that runs.", ROUTE_DRAINING,
     NONE, NULL, 200, "Interrupted", .handle = handle_session_interrupt},
    {HTTP_POST, SESSION "/restart", "restart", "A new guest in the same workspace.", 0, NONE, NULL,
     200, "Session", .handle = handle_session_restart},
    {HTTP_POST, SESSION "/set", "setVariables", "Set variables.", ROUTE_JSON | ROUTE_TURN,
     BODY(set_rows), NULL, 200, "Done", .work = values_set_work},
    {HTTP_POST, SESSION "/get", "getVariables", "Read variables.", ROUTE_JSON | ROUTE_TURN,
     BODY(get_rows), NULL, 200, "Values", .work = values_get_work},
    {HTTP_POST, SESSION "/answers/{call}", "answerTool",
     "Answer a tool call or an input() of a cell's stream.", ROUTE_JSON | ROUTE_DRAINING,
     BODY(answer_rows), NULL, 200, "Done", .handle = handle_session_answer},
    {HTTP_POST, SESSION "/tools", "putTool",
     "Add a tool to an open session, or replace the tool of the same name.",
     ROUTE_JSON | ROUTE_TURN, BODY(tool_rows), NULL, 200, "Done", .work = tool_put_work},
    {HTTP_DELETE, SESSION "/tools/{tool}", "removeTool", "Remove a tool from an open session.", 0,
     NONE, NULL, 200, "Done", .handle = handle_session_tool_remove},
    {HTTP_GET, SESSION "/files", "listFiles", "List the files of a session's workspace.",
     ROUTE_TURN, NONE, NULL, 200, "Files", .work = files_list_work},
    {HTTP_GET, SESSION "/files/{path}", "readFile", "Read a file of the workspace.", 0, NONE, NULL,
     200, "File", .handle = handle_file_get},
    {HTTP_PUT, SESSION "/files/{path}", "writeFile", "Put a file into the workspace.", ROUTE_UPLOAD,
     NONE, NULL, 201, "Done", .handle = handle_file_put},
    {HTTP_DELETE, SESSION "/files/{path}", "deleteFile", "Remove a file of the workspace.", 0, NONE,
     NULL, 200, "Done", .handle = handle_file_delete},
    {HTTP_POST, "/mcp", "mcp", "Messages of a client of the Model Context Protocol.",
     ROUTE_JSON | ROUTE_DRAINING | ROUTE_PROTOCOL, NONE, NULL, 200, NULL,
     .handle = handle_mcp_post},
    {HTTP_GET, "/mcp", "mcpStream", "Open the event stream of such a client.",
     ROUTE_DRAINING | ROUTE_PROTOCOL, NONE, NULL, 200, NULL, .handle = handle_mcp_get},
    {HTTP_DELETE, "/mcp", "mcpEnd", "End the session of such a client.",
     ROUTE_DRAINING | ROUTE_PROTOCOL, NONE, NULL, 204, NULL, .handle = handle_mcp_delete},
    {HTTP_GET, "/v1/backends", "listBackends",
     "The ways to run a program, with what each can do on the daemon's host.", 0, NONE, NULL, 200,
     "Backends", .work = backends_work},
    {HTTP_GET, "/v1/environments", "listEnvironments",
     "The environments: Pythons with packages. All clients share them.", 0, NONE, NULL, 200,
     "Environments", .work = environments_work},
    {HTTP_POST, "/v1/environments", "makeEnvironment", "Make an environment.", ROUTE_JSON,
     BODY(environment_rows), NULL, 201, "Environment", .event = "EnvironmentEvent",
     .work = environment_make_work},
    {HTTP_GET, "/v1/environments/{environment}", "showEnvironment", "An environment's packages.", 0,
     NONE, NULL, 200, "Environment", .handle = handle_environment_show},
    {HTTP_DELETE, "/v1/environments/{environment}", "removeEnvironment",
     "Remove an environment that is not in use.", 0, NONE, NULL, 200, "Removed",
     .handle = handle_environment_remove},
    {HTTP_GET, "/v1/runs", "listRuns", "The run log, newest first.", 0, NONE, runs_query, 200,
     "Runs", .handle = handle_runs},
    {HTTP_GET, "/v1/runs/{run}", "showRun", "One run of the log; its id may be shortened.", 0, NONE,
     NULL, 200, "Run", .handle = handle_run_by_id},
    {HTTP_GET, "/healthz", "health", "Is the daemon alive?", ROUTE_OPEN | ROUTE_DRAINING, NONE,
     NULL, 200, "Status", .handle = handle_health},
    {HTTP_GET, "/readyz", "ready", "Does the daemon accept requests?", ROUTE_OPEN | ROUTE_DRAINING,
     NONE, NULL, 200, "Status", .handle = handle_ready},
    {HTTP_GET, "/v1/status", "status",
     "Describe the daemon: its process, its version and its work.", ROUTE_DRAINING, NONE, NULL, 200,
     "DaemonStatus", .handle = handle_status},
    {HTTP_POST, "/v1/stop", "stop",
     "Stop the daemon, as SIGTERM does. Only its own user may do this, over a Unix socket.",
     ROUTE_JSON | ROUTE_DRAINING, BODY(stop_rows), NULL, 200, "Stopping", .handle = handle_stop},
    {HTTP_GET, "/metrics", "metrics", "Figures for Prometheus.", ROUTE_DRAINING, NONE, NULL, 200,
     "Text", .handle = handle_metrics},
    {HTTP_GET, "/openapi.json", "openapi", "This description.", 0, NONE, NULL, 200, "Document",
     .handle = handle_openapi},
    {.path = NULL},
};

const struct server_site daemon_site = {.routes = routes, .mcp = &mcp_daemon_host};
