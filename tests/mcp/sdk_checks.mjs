// SPDX-License-Identifier: Apache-2.0
// What both generations of the TypeScript SDK are held to; a line "ok NAME" or "not ok NAME" for each check.

const [, , command, address, token] = process.argv;
export const http = Boolean(address);

// A transport to a program of its own, or to a daemon.
export function transport(Stdio, Http) {
  if (http) return new Http(new URL(address), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
  return new Stdio({ command, args: ["mcp", ...JSON.parse(process.env.SERVER_WORDS || "[]")], env: { ...process.env } });
}

const SLEEP = (seconds) => `import time\ntime.sleep(${seconds})`;

export function check(good, name) {
  console.log(`${good ? "" : "not "}ok ${name}`);
}

// `ask(arguments, options)` calls a tool; the two generations differ in where the options stand.
export async function checkClient(name, client, ask) {
  const call = async (tool, args, options) => (await ask({ name: tool, arguments: args }, options));
  const run = async (code, options) => call("execute_code", { code }, options);

  check((await client.listTools()).tools.length === 10, `${name}: tools`);
  check((await run("print(6 * 7)")).structuredContent.stdout === "42\n", `${name}: a program`);
  const failed = await run("1 / 0");
  check(failed.isError && failed.structuredContent.error.startsWith("ZeroDivisionError"), `${name}: a failure is a result`);

  const session_id = (await call("create_session", {})).structuredContent.session_id;
  await call("write_file", { session_id, path: "a b.txt", content: "x".repeat(2 << 20) });
  const uri = (await call("list_files", { session_id })).structuredContent.files[0].uri;
  check((await client.readResource({ uri })).contents[0].text.length === 2 << 20, `${name}: a resource`);
  check((await client.listResources()).resources.some((r) => r.uri === uri), `${name}: the list of resources`);
  check((await client.listResourceTemplates()).resourceTemplates.length === 1, `${name}: templates`);
  for (const [tool, args] of [["read_file", { path: "a b.txt" }], ["run_command", { command: "ls" }]])
    check(!(await call(tool, { session_id, ...args })).isError, `${name}: ${tool}`);
  const fork = await call("fork_session", { session_id });
  check(!fork.isError, `${name}: fork_session`);
  await call("close_session", { session_id: fork.structuredContent.session_id });
  check((await call("check_code", { code: "import os" })).structuredContent.allowed, `${name}: check_code`);
  const cases = [{ args: [1], expected: 1 }];
  check((await call("test_code", { code: "def f(x): return x", cases })).structuredContent.all_passed, `${name}: test_code`);
  check(!(await call("close_session", { session_id })).isError, `${name}: close_session`);

  const raw = Buffer.alloc(http ? 20 << 20 : 3 << 20, "0123456789\0");
  const big = (await call("create_session", {})).structuredContent.session_id;
  const made = await call("write_file", { session_id: big, path: "big", content: raw.toString("base64"), encoding: "base64" });
  const back = await client.readResource({ uri: made.structuredContent.uri });
  check(Buffer.from(back.contents[0].blob, "base64").equals(raw), `${name}: a binary file of ${raw.length >> 20} MiB`);
  await call("close_session", { session_id: big });

  const steps = [];
  await run(SLEEP(3.5), { onprogress: (p) => steps.push(p.progress) });
  check(steps.length >= 2, `${name}: progress ${steps}`);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 500);
  const began = Date.now();
  const cancelled = await run(SLEEP(60), { signal: abort.signal }).then(() => false, () => true);
  check(cancelled && Date.now() - began < 10000, `${name}: cancel`);
  const all = await Promise.all([...Array(50).keys()].map((n) => run(`print(${n})`)));
  check(all.every((r, n) => r.structuredContent.stdout === `${n}\n`), `${name}: 50 calls at once`);
}
