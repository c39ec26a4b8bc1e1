// SPDX-License-Identifier: Apache-2.0
// A session with the generated types: node session.js; the address and the token are arguments.
import createClient from "openapi-fetch";
import type { paths } from "./paths.js";

declare const process: { argv: string[] };
const [, , baseUrl, token] = process.argv;
const box = createClient<paths, "application/json">({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

const ran = await box.POST("/v1/run", { body: { code: "print(6 * 7)" } });
if (ran.error) throw new Error(ran.error.error.message);
console.log(ran.data.stdout.trim());

const opened = await box.POST("/v1/sessions", { body: { language: "python" } });
if (opened.error) throw new Error(opened.error.error.message);
const path = { id: opened.data.id };
const cell = await box.POST("/v1/sessions/{id}/exec", { params: { path }, body: { code: "'a' * 3" } });
console.log(opened.response.status, cell.data?.value);
const closed = await box.DELETE("/v1/sessions/{id}", { params: { path } });
console.log(closed.response.status);
