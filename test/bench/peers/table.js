// What somebody would use instead, and what it does not do of the work of our row.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fixture, floorProgram } from "../processes.js";

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {readonly string[]} packages with their versions; its own package is the first
 * @property {string} doesNot ends the sentence "<name> does not …"
 */

/**
 * `start` returns the arguments of node, and `data` the file that the server reads.
 * @typedef {Peer & {
 *   path: (jobId: string) => string,
 *   data: (job: Job) => unknown,
 *   start: (modules: string, data: string, port: string) => string[],
 * }} ServerPeer
 */

/** @typedef {{ jobId: string }} Job the object that every server returns */
/** @typedef {Peer & { start: (modules: string, path: string) => string[] }} ReaderPeer */

/**
 * `start` returns the arguments of the program of that name.
 * @typedef {Omit<Peer, "packages"> & { start: (url: string, authorization: string) => string[], env?: Record<string, string> }} CommandPeer
 */

/** @param {string} name */
const program = (name) => fileURLToPath(new URL(`programs/${name}`, import.meta.url));

const ENDPOINT = "v1/diligence/status/:jobId";
const createPath = (/** @type {string} */ jobId) => `/${ENDPOINT.replace(":jobId", jobId)}`;

/** The newest versions that run on Node 20, without their logs for a terminal. @type {readonly ServerPeer[]} */
export const SERVERS = [
  {
    name: "json-server",
    packages: ["json-server@0.17.4"],
    path: (jobId) => `/jobs/${jobId}`,
    data: (job) => ({ jobs: [{ id: job.jobId, ...job }] }),
    start: (modules, data, port) => [
      join(modules, "json-server/lib/cli/bin.js"),
      ...[data, "--quiet", "--host", "127.0.0.1", "--port", port],
    ],
    doesNot: "check credentials or requests, record requests, inject faults or send webhooks; it has a store",
  },
  {
    name: "msw",
    packages: ["msw@2.15.0", "@mswjs/http-middleware@0.10.3"],
    path: createPath,
    data: (job) => job,
    start: (modules, data, port) => [program("msw.js"), modules, data, port],
    doesNot:
      "check credentials or requests, store, record requests, inject faults or send webhooks: one handler returns a constant object",
  },
  {
    name: "Mockoon",
    packages: ["@mockoon/cli@9.9.0"],
    path: createPath,
    data: createMockoonEnvironment,
    start: (modules, data, port) => [
      join(modules, "@mockoon/cli/bin/run.js"),
      ...["start", "--data", data, "--disable-log-to-file", "--hostname", "127.0.0.1", "--port", port],
    ],
    doesNot:
      "check credentials or requests, store, inject faults or send webhooks: one route returns a constant text; it keeps the last 100 requests",
  },
  {
    name: "Prism",
    packages: ["@stoplight/prism-cli@5.14.2"],
    path: createPath,
    data: () => JSON.parse(readFileSync(fixture("openapi.json"), "utf8")),
    start: (modules, data, port) => [
      join(modules, "@stoplight/prism-cli/dist/index.js"),
      ...["mock", data, "--verboseLevel", "silent", "--host", "127.0.0.1", "--port", port],
    ],
    doesNot:
      "know which credentials are valid, store, record requests, inject faults or send webhooks; it checks requests against our OpenAPI document and returns its example",
  },
];

/** @param {Job} job */
function createMockoonEnvironment(job) {
  const [environment, route, response] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
  return {
    uuid: environment,
    lastMigration: 33,
    name: "bench",
    port: 3000,
    hostname: "127.0.0.1",
    rootChildren: [{ type: "route", uuid: route }],
    routes: [
      {
        uuid: route,
        type: "http",
        method: "get",
        endpoint: ENDPOINT,
        responses: [
          {
            uuid: response,
            default: true,
            statusCode: 200,
            headers: [{ key: "Content-Type", value: "application/json" }],
            bodyType: "INLINE",
            body: JSON.stringify(job),
          },
        ],
      },
    ],
  };
}

/** @type {readonly ReaderPeer[]} */
export const READERS = [
  {
    name: "papaparse",
    packages: [],
    start: (_modules, path) => [floorProgram("bare-parse.js"), path],
    doesNot: "check or classify rows: it splits them into cells",
  },
  {
    name: "csv-parse",
    packages: ["csv-parse@7.0.3"],
    start: (modules, path) => [program("csv-parse.js"), modules, path],
    doesNot: "check or classify rows: it splits them into cells",
  },
  {
    name: "DuckDB",
    packages: ["@duckdb/node-api@1.5.6-r.1"],
    start: (modules, path) => [program("duckdb.js"), modules, path],
    doesNot:
      "check or classify rows: it guesses the type of each column and counts its values, in C++ on all cores",
  },
];

/** @type {readonly CommandPeer[]} */
export const COMMANDS = [
  {
    name: "curl",
    start: (url, authorization) => ["--silent", "--show-error", "--fail", "--header", authorization, url],
    doesNot: "know profiles or operations, retry or explain an error; it is a program in C",
  },
  {
    name: "gh",
    start: (url, authorization) => ["api", "--header", authorization, url],
    // Without a token, it asks for a login.
    env: { GH_TOKEN: "none" },
    doesNot: "know operations, retry or explain an error of the service: this is `gh api`, a program in Go",
  },
];
