// The requests of the load generator, and large entry files.
import { readFileSync } from "node:fs";
import { claims, fixture } from "./processes.js";

/** @typedef {import("./load.js").Call} Call */
/** @typedef {{ url: string, authorization: string }} Sandbox */

const BOUNDARY = "bench";

/**
 * Submits a file, and returns a request for the status of its job.
 * @param {Sandbox} sandbox
 * @returns {Promise<Call>}
 */
export async function createStatusCall(sandbox) {
  const { path, headers, body } = createSubmitCall(sandbox);
  const response = await fetch(`${sandbox.url}${path}`, {
    method: "POST",
    headers,
    body: body ? new Uint8Array(body) : null,
  });
  const { jobId } = /** @type {{ jobId: string }} */ (await response.json());
  const { authorization } = sandbox;
  return { method: "GET", path: `/v1/diligence/status/${jobId}`, headers: { authorization } };
}

/**
 * @param {Sandbox} sandbox
 * @param {number} [rows] of the file; by default all 200
 * @returns {Call}
 */
export function createSubmitCall({ authorization }, rows) {
  const lines = readFileSync(fixture("sample_entries.csv"), "utf8").split("\n");
  const file = rows === undefined ? lines : [...lines.slice(0, rows + 1), ""];
  const part = (/** @type {string} */ head, /** @type {string} */ content) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
  const text = [
    part('name="seller_name"', "Bench"),
    part('name="requires_protest_documentation"', "false"),
    part('name="file"; filename="entries.csv"\r\nContent-Type: text/csv', file.join("\n")),
    `--${BOUNDARY}--\r\n`,
  ].join("");
  return {
    method: "POST",
    path: "/v1/diligence/submit",
    headers: { authorization, "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.from(text),
  };
}

/** @type {(authorization: string, path: string, body: unknown) => Call} */
export const createPost = (authorization, path, body) => ({
  method: "POST",
  path,
  headers: { authorization, "content-type": "application/json" },
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

/** Of an endpoint for one event. @type {(sandbox: Sandbox, url: string, event: string) => Call} */
export const createRegisterCall = ({ authorization }, url, event) =>
  createPost(authorization, "/v1/webhooks/endpoints", {
    label: "Endpoint",
    url,
    subscribedEvents: [event],
    environmentScope: "all",
  });

/**
 * A large file of `claims sandbox csv`. Its entry numbers are unique and valid, and the other cells vary enough that a cache of
 * cells works no better than with the file of a real importer.
 * @param {string} path
 * @param {{ scenario: "mixed" | "row-width", rows: number, layout: "entry" | "es003" }} file
 */
export async function writeEntryFile(path, { scenario, rows, layout }) {
  const options = ["--scenario", scenario, "--rows", String(rows), "--layout", layout, "--out", path];
  await claims(["sandbox", "csv", ...options]);
}

/**
 * Submits a file with our client. It does not check the file before, which takes longer than to send it.
 * @param {string} path
 * @param {readonly string[]} args
 * @param {import("./processes.js").RunOptions} options
 */
export const submitFile = (path, args, options) =>
  claims(["diligence", "submit", path, "--seller-name", "Bench", "--check", "off", ...args], options);
