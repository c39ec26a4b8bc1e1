// SPDX-License-Identifier: Apache-2.0
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { check, checkClient, http, transport } from "./sdk_checks.mjs";

const client = new Client({ name: "tests", version: "1" }, { capabilities: {} });
const wire = transport(StdioClientTransport, StreamableHTTPClientTransport);
await client.connect(wire);
check(client.getServerVersion().name === "glovebox", "v1: connected");
await checkClient("v1", client, (params, options) => client.callTool(params, undefined, options));
await client.ping();
await client.setLoggingLevel("debug");
if (http) await wire.terminateSession();
await client.close();
