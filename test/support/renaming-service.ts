import { createServer, type IncomingMessage } from "node:http";
import type { Sandbox } from "../../sandbox/index.ts";
import { isRecord } from "../../src/domain/json.ts";
import { bareEnvironment } from "./cli.ts";
import { listenOnLoopback } from "./listen.ts";

/**
 * Starts a service on loopback that is a sandbox under other names: snake case, amounts in dollars as text, a job in `job`, and
 * lists in a field of their own name, next to another list.
 */
export async function startRenamingService(sandbox: Sandbox) {
  const server = createServer(async (request, response) => {
    const { host: _, connection: __, "content-length": ___, ...headers } = request.headers;
    const isRead = request.method === "GET";
    const upstream = await fetch(sandbox.url + request.url, {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(!isRead && { body: new Uint8Array(await readBody(request)) }),
    });
    const type = upstream.headers.get("content-type") ?? "";
    const text = renameText(await upstream.text(), type, request.url ?? "");
    response.writeHead(upstream.status, { "content-type": type });
    response.end(text);
  });
  const url = `http://${await listenOnLoopback(server)}`;
  const { apiKey } = sandbox.credentials.sandbox;
  return { url, env: { ...bareEnvironment(), CLAIMS_BASE_URL: url, CLAIMS_API_KEY: apiKey } };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function renameText(text: string, type: string, target: string): string {
  if (target.startsWith("/v1/docs/")) return text;
  if (type.includes("ndjson"))
    return text.replace(/^.+$/gm, (line) => JSON.stringify(rename(JSON.parse(line))));
  if (type.startsWith("text/csv"))
    return text.replace(/^.*/, (line) => line.split(",").map(toSnake).join(","));
  if (!type.includes("json") || text === "") return text;
  const document = rename(JSON.parse(text));
  if (!isRecord(document)) return text;
  if (Array.isArray(document.data)) {
    const { data, next_cursor: next, ...rest } = document;
    const [name = ""] = target.split("?")[0]?.split("/").slice(-1) ?? [];
    return JSON.stringify({ links: [], [toSnake(name.replaceAll("-", "_"))]: data, next, ...rest });
  }
  const { job_id: id, ...job } = document;
  return JSON.stringify(id && "state" in job ? { job: { id, ...job } } : document);
}

const toSnake = (name: string): string =>
  name
    .replace(/Cents$/, "")
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, after) => `${before}_${after.toLowerCase()}`);

function rename(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rename);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      toSnake(name),
      name.endsWith("Cents") && typeof inner === "number" ? (inner / 100).toFixed(2) : rename(inner),
    ]),
  );
}
