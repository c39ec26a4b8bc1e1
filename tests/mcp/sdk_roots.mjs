// SPDX-License-Identifier: Apache-2.0
// The client's roots, by both generations of the TypeScript SDK: sdk_roots.mjs GLOVEBOX.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { check } from "./sdk_checks.mjs";

const CAPABILITIES = { capabilities: { roots: { listChanged: true } } };

function project(name) {
  const path = join(process.cwd(), name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "a b.txt"), `of ${name}`);
  return { path, root: { uri: pathToFileURL(path).href, name: `My ${name}` } };
}

// `handle` is how this generation sets a function for a method of the server's.
async function checkRoots(name, client, wire, handle) {
  const [one, two] = [project("one & more"), project("two #2")];
  let roots = [one.root];
  let asked = 0;
  let changed;
  const news = new Promise((resolve) => (changed = resolve));
  handle(
    () => ((asked += 1), { roots }),
    () => changed(),
  );
  await client.connect(wire);
  const about = async () => (await client.listTools()).tools[0].description;
  const read = async (place) => {
    const code = `import os\nname = ${JSON.stringify(join(place.path, "a b.txt"))}\nprint(os.path.exists(name) and open(name).read())`;
    return (await client.callTool({ name: "execute_code", arguments: { code } })).structuredContent.stdout;
  };
  const first = await about();
  check(first.includes(one.path) && first.includes("My one"), `${name}: the first list of tools names the root`);
  check((await read(one)) === "of one & more\n" && asked === 1, `${name}: a program reads a file of it`);
  roots = [two.root];
  await client.sendRootsListChanged();
  await news;
  const second = await about();
  check(second.includes(two.path) && !second.includes(one.path), `${name}: after a change, the tools changed`);
  check((await read(two)) === "of two #2\n" && (await read(one)) === "False\n" && asked === 2, `${name}: ... and what programs see`);
  await client.close();
}

const stdio = { command: process.argv[2], args: ["mcp", "--roots", "ro"], env: { ...process.env } };
const v1 = new ClientV1({ name: "tests", version: "1" }, CAPABILITIES);
await checkRoots("v1", v1, new StdioV1(stdio), (list, changed) => {
  v1.setRequestHandler(ListRootsRequestSchema, list);
  v1.setNotificationHandler(ToolListChangedNotificationSchema, changed);
});
const v2 = new ClientV2({ name: "tests", version: "1" }, CAPABILITIES);
await checkRoots("v2, older generation", v2, new StdioV2(stdio), (list, changed) => {
  v2.setRequestHandler("roots/list", list);
  v2.setNotificationHandler("notifications/tools/list_changed", changed);
});
