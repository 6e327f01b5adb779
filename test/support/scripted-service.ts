import { readFileSync } from "node:fs";
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecure } from "node:https";
import { bareEnvironment, fixture } from "./cli.ts";
import { listenOnLoopback } from "./listen.ts";

/** Writes the response to a request, for services that behave as the sandbox cannot. */
export type Script = (request: IncomingMessage, response: ServerResponse, count: number) => void;

const pem = (name: string): Buffer => readFileSync(new URL(`./tls/${name}.pem`, import.meta.url));

const CONTRACT: unknown = JSON.parse(readFileSync(fixture("openapi.json"), "utf8"));

/**
 * Starts a service on loopback that responds with a script; `count` is the number of the request, from 1.
 *
 * @param keepsKeys whether it serves a contract that declares the Idempotency-Key
 */
export async function startScriptedService(script: Script, { secure = false, keepsKeys = false } = {}) {
  const requests: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const handleRequest = (request: IncomingMessage, response: ServerResponse) => {
    // Each command asks a loopback address whether a sandbox is there.
    if (request.url === "/_sandbox/health") return sendJson(response, 404, {});
    if (keepsKeys && request.url === "/v1/docs/openapi") return sendJson(response, 200, CONTRACT);
    const received = {
      method: request.method ?? "",
      url: request.url ?? "",
      headers: request.headers,
      body: "",
    };
    const count = requests.push(received);
    request.setEncoding("utf8").on("data", (text: string) => (received.body += text));
    request.on("end", () => script(request, response, count));
  };
  const server = secure
    ? createSecure({ key: pem("key"), cert: pem("cert") }, handleRequest)
    : createPlain(handleRequest);
  const url = `${secure ? "https" : "http"}://${await listenOnLoopback(server)}`;
  return {
    url,
    requests,
    env: { ...bareEnvironment(), CLAIMS_BASE_URL: url, CLAIMS_API_KEY: "sk_of_another_service" },
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
