/* SPDX-License-Identifier: Apache-2.0
 *
 * The small programs that live inside the wall, embedded as text by tools/embed.
 */
#ifndef LANGUAGES_GUESTS_H
#define LANGUAGES_GUESTS_H

/* The code that loads packages late, and the runner of a program, which begins with that code. */
extern const char guest_packages_py[], guest_python_runner_py[];
/* read_csv() and explore_df(), which also work without pandas. */
extern const char guest_explore_data_py[];
/* Imports for --prelude vertex. */
extern const char guest_vertex_prelude_py[];
/* Runs before a program with the profile smolagents. */
extern const char guest_smolagents_first_py[];
/* Prints the columns, types and first rows of data files, as JSON. */
extern const char guest_data_shape_py[];
/* The steps of an environment's making. */
extern const char guest_environment_fetch_py[], guest_environment_compile_py[];
/* bind(name, file) sets a variable from a JSON file. If that has typed JSON, Python's bind follows
 * the judge's codec and cells_decode.py in one string. */
extern const char guest_bind_data_py[];
extern const char guest_bind_data_js[];
/* Python is started with this (-c). It runs the runner, which is its first argument, from bytecode
 * if there is any for this version. Made by tools/embed-bytecode. */
extern const char guest_python_boot[];
/* Instead of the boot: a Python that loads modules, waits, and forks for each run. */
extern const char guest_zygote_python_py[];

/* The judge: values as typed JSON, then the driver that runs the cases. They are joined in this
 * order, with guest_packages_py in between. */
extern const char guest_judge_codec_py[], guest_judge_driver_py[];
/* The judge as bytecode, for the Python with this magic number. Made by tools/embed-driver. */
extern const char guest_judge_magic[];
extern const unsigned char guest_judge_code[];
extern const unsigned long guest_judge_code_size;

/* Test code and a candidate, each in its own sandbox. After the codec and the link comes
 * suite_candidate on one side, and suite_remote, suite_names and the rest up to suite_tests on the
 * other. Then each side as bytecode. */
extern const char guest_suite_link_py[], guest_suite_candidate_py[], guest_suite_remote_py[],
    guest_suite_names_py[], guest_suite_tables_py[], guest_suite_checks_py[],
    guest_suite_forms_py[], guest_suite_tests_py[], guest_suite_evalplus_py[];
extern const char guest_suite_candidate_magic[], guest_suite_tests_magic[];
extern const unsigned char guest_suite_candidate_code[], guest_suite_tests_code[];
extern const unsigned long guest_suite_candidate_code_size, guest_suite_tests_code_size;

/* The display of a plain program's results: its beginning; then charts, rich, hooks and rich_run in
 * one string, which is seldom needed; and both as bytecode. Made by tools/embed-rich. */
extern const char guest_rich_begin_py[], guest_rich_run_py[], guest_rich_magic[];
extern const unsigned char guest_rich_begin_code[], guest_rich_later_code[];
extern const unsigned long guest_rich_begin_code_size, guest_rich_later_code_size;

/* The servers of sessions (backends/cell_wire.h). Python's is one string: the judge's codec, then
 * these in this order, with guest_packages_py before the process. The boots read them from
 * descriptor 3. */
extern const char guest_cells_boot_py[], guest_cells_charts_py[], guest_cells_rich_py[],
    guest_cells_hooks_py[], guest_cells_values_py[], guest_cells_frames_py[],
    guest_cells_decode_py[], guest_cells_compile_py[], guest_cells_tools_py[],
    guest_cells_process_py[], guest_cells_python_py[];
/* Python's server as bytecode, like the judge's. */
extern const char guest_cells_magic[];
extern const unsigned char guest_cells_code[];
extern const unsigned long guest_cells_code_size;
extern const char guest_cells_node_boot_js[], guest_cells_node_js[];
extern const char guest_cells_shell_boot_sh[], guest_cells_shell_sh[];
extern const char guest_cells_r_boot_R[], guest_cells_r_R[];

#endif
