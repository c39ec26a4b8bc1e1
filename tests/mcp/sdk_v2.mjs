// SPDX-License-Identifier: Apache-2.0
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { check, checkClient, transport } from "./sdk_checks.mjs";

const MODES = { "v2, older generation": undefined, "v2, auto": { mode: "auto" }, "v2, pinned": { mode: { pin: "2026-07-28" } } };

for (const [name, versionNegotiation] of Object.entries(MODES)) {
  const client = new Client({ name: "tests", version: "1" }, versionNegotiation ? { versionNegotiation } : {});
  await client.connect(transport(StdioClientTransport, StreamableHTTPClientTransport));
  const wanted = versionNegotiation ? "2026-07-28" : "2025-11-25";
  check(client.getNegotiatedProtocolVersion() === wanted, `${name}: ${wanted}`);
  await checkClient(name, client, (params, options) => client.callTool(params, options));
  await client.close();
}
