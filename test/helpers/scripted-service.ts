import { readFileSync } from "node:fs";
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { bareEnvironment } from "./cli.ts";

/** What a service of another mind answers: the sandbox cannot play these parts. */
export type Script = (request: IncomingMessage, response: ServerResponse, count: number) => void;

const pem = (name: string): Buffer => readFileSync(new URL(`./tls/${name}.pem`, import.meta.url));

/** A service on loopback that follows a script; `count` is the number of the request, from 1. */
export async function scriptedService(script: Script, { secure = false } = {}) {
  const requests: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const seen = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body: "" };
    const count = requests.push(seen);
    request.setEncoding("utf8").on("data", (text: string) => (seen.body += text));
    request.on("end", () => script(request, response, count));
  };
  const server = secure ? createSecure({ key: pem("key"), cert: pem("cert") }, answer) : createPlain(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const url = `${secure ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
