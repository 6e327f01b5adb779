import { Agent } from "node:http";
import { afterAll, describe, expect, it } from "vitest";
import { CONTROL_OPERATIONS, type ControlOperation } from "../../../../src/contract/control.ts";
import { sampleFor } from "../../../support/exhaustive.ts";
import { openSandbox } from "../../../support/sandbox.ts";
import { bearer, call, callControl, rawRequest, readResponse } from "../../../support/sandbox-requests.ts";

const agent = new Agent({ keepAlive: true });
const failures: unknown[] = [];
let shutdowns = 0;
const countShutdown = () => {
  shutdowns += 1;
};
const onError = (error: unknown) => failures.push(error);
const sandbox = await openSandbox({ onError }, { onShutdownRequested: countShutdown });
await call(sandbox, "/v1/clients");
afterAll(async () => {
  agent.destroy();
  await sandbox.close();
});

interface ControlRoute extends ControlOperation {
  readonly method: string;
  readonly path: string;
}

/** The path with the id of an existing record, so that a request gets past the lookup. */
const pathOf = ({ path }: ControlRoute): string =>
  path.replace(/\{\w+\}/, () => {
    if (path.startsWith("/endpoints/")) return sandbox.credentials.webhook.endpointId;
    return path.startsWith("/requests/") ? "1" : "x";
  });

const titles = Object.entries<ControlOperation>(CONTROL_OPERATIONS).map(([title, operation]) => {
  const [method = "", path = ""] = title.split(" ");
  return [title, { ...operation, method, path } satisfies ControlRoute] as const;
});
const guarded = titles.filter(([, { isPublic: open }]) => !open);
const targetOf = (route: ControlRoute) => ({
  method: route.method === "ANY" ? "POST" : route.method,
  path: pathOf(route),
});

interface RequestToSend {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

async function send({ method, path, headers = {}, body }: RequestToSend) {
  const length = body !== undefined && { "content-length": String(Buffer.byteLength(body)) };
  const request = rawRequest(sandbox, `${method} /_sandbox${path}`, { ...headers, ...length }, agent);
  const { status, headers: received, text } = await readResponse(request.end(body));
  const isProblem = received["content-type"] === "application/problem+json";
  return {
    status,
    headers: received,
    code: isProblem && text !== "" ? (JSON.parse(text).code as string) : null,
  };
}

/** Reads everything that a control request could change. */
const readEverything = async () => ({
  state: (await callControl(sandbox, "GET", "/state")).body,
  agenda: sandbox.clock.agenda(),
  credentials: sandbox.credentials,
  faults: sandbox.faults.list(),
  snapshots: sandbox.snapshots.list(),
  endpoints: await sandbox.webhooks.endpoints(),
  requests: (await sandbox.requests.list()).length,
  sink: await sandbox.webhooks.sink("default"),
  shutdowns,
});

/** Asserts that the requests change nothing and cause no unexpected error. */
async function expectNoChange(work: () => Promise<void>): Promise<void> {
  const before = await readEverything();
  await work();
  expect(await readEverything()).toEqual(before);
  expect(failures).toEqual([]);
}

it("a control request without the right token is refused by every guarded route and changes nothing", async () => {
  const { apiKey } = sandbox.credentials.sandbox;
  const token = sandbox.controlToken;
  await expectNoChange(async () => {
    for (const [index, [title, route]] of guarded.entries()) {
      for (const [authorization, code] of sampleFor(index, [
        [undefined, "control_token_missing"],
        ["", "control_token_missing"],
        ["Bearer", "control_token_missing"],
        [`Basic ${btoa(`x:${token}`)}`, "control_token_missing"],
        [`Bearer ${apiKey}`, "control_token_invalid"],
        [`Bearer ${token}x`, "control_token_invalid"],
        [`Bearer ${token.slice(0, -1)}`, "control_token_invalid"],
        [`Bearer ${token.toUpperCase()}`, "control_token_invalid"],
      ] as const)) {
        const headers = authorization === undefined ? {} : { authorization };
        const response = await send({ ...targetOf(route), headers, body: "{}" });
        expect([response.status, response.code], `${title} ${authorization}`).toEqual([401, code]);
        expect(response.headers["www-authenticate"], title).toMatch(/^Bearer /);
      }
      const { method, path } = targetOf(route);
      const target = `${path}?token=${token}&access_token=${token}`;
      const query = await send({ method, path: target, headers: { "x-api-key": token } });
      expect(query.status, title).toBe(401);
    }
  });
});

describe("a control request from a web page", () => {
  it("is refused by every route even with the token", async () => {
    const own = `127.0.0.1:${sandbox.port}`;
    const token = bearer(sandbox.controlToken);
    await expectNoChange(async () => {
      for (const [index, [title, route]] of titles.entries())
        for (const [headers, code] of sampleFor(index, [
          // The address itself, from a page of another origin.
          [{ host: own, origin: "https://evil.example" }, "origin_not_allowed"],
          [{ host: own, origin: "null" }, "origin_not_allowed"],
          [{ host: own, origin: `https://${own}` }, "origin_not_allowed"],
          [{ host: own, origin: "http://localhost:3000" }, "origin_not_allowed"],
          // Requests without a preflight: a form, an image.
          [{ host: own, origin: "http://a.example", "content-type": "text/plain" }, "origin_not_allowed"],
          [{ host: own, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, "origin_not_allowed"],
          [{ host: own, "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }, "origin_not_allowed"],
          [{ host: own, "sec-fetch-site": "CROSS-SITE" }, "origin_not_allowed"],
          [{ host: own, "sec-fetch-site": "anything" }, "origin_not_allowed"],
          // DNS rebinding: a name of the page that resolves to this machine, as browsers send it.
          [{ host: `evil.example:${sandbox.port}` }, "host_not_allowed"],
          [{ host: `127.0.0.1.evil.example:${sandbox.port}` }, "host_not_allowed"],
          [{ host: `rebound.evil.example`, origin: `http://rebound.evil.example` }, "host_not_allowed"],
        ] as const)) {
          const response = await send({ ...targetOf(route), headers: { ...token, ...headers }, body: "{}" });
          expect([response.status, response.code], `${title} ${JSON.stringify(headers)}`).toEqual([
            code === "host_not_allowed" ? 421 : 403,
            code,
          ]);
          const allowing = Object.keys(response.headers).filter((name) => name.startsWith("access-control"));
          expect(allowing, title).toEqual([]);
        }
    });
  });

  it("is refused as a CORS preflight", async () => {
    for (const [, { path }] of titles) {
      const response = await send({
        method: "OPTIONS",
        path: path.replace(/\{\w+\}/, "x"),
        headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
      });
      expect([response.status, response.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
    }
  });

  it("is allowed when the user typed the address, or from the sandbox itself", async () => {
    const own = `127.0.0.1:${sandbox.port}`;
    for (const allowed of [
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "same-origin" },
      { origin: sandbox.url },
    ]) {
      const response = await send({ method: "GET", path: "/health", headers: { host: own, ...allowed } });
      expect(response.status).toBe(200);
    }
  });
});

it("a control request with a wrong method gets the allowed methods of the path, on every route", async () => {
  await expectNoChange(async () => {
    for (const [title, route] of titles) {
      const path = pathOf(route);
      const allowed = titles
        .filter(([, each]) => new RegExp(`^${each.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(path))
        .flatMap(([, each]) => (each.method === "GET" ? ["GET", "HEAD"] : [each.method]));
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
        if (allowed.includes(method) || allowed.includes("ANY")) continue;
        const response = await send({ method, path, headers: bearer(sandbox.controlToken) });
        expect([response.status, response.code], `${title} ${method}`).toEqual([405, "method_not_allowed"]);
        expect(response.headers.allow?.split(", ").sort(), title).toEqual([...new Set(allowed)].sort());
      }
    }
  });
});

/** The operations that read a body; the fuzzer `control` gives them every other kind of value. */
const WITH_BODY = guarded.filter(
  ([title, { body }]) => body !== undefined || ["PUT /snapshots/{name}", "PUT /state"].includes(title),
);

/** Returns the JSON text of nested lists. */
function createNestedLists(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

const NOT_OBJECTS: readonly (readonly [what: string, body: string | Uint8Array])[] = [
  ["white space", " "],
  ["text that is not JSON", "to=1s"],
  ["a truncated object", '{"to":'],
  ["a list", "[]"],
  ["null", "null"],
  ["a number", "1e999"],
  ["bytes that are not UTF-8", Buffer.from('{"to":"\xff"}', "latin1")],
  ["a byte order mark", "\ufeff{}"],
  ["unclosed nested lists", "[".repeat(100_000)],
  ["nested lists", createNestedLists(300_000)],
  ["more than 1 MiB", JSON.stringify({ to: "x".repeat(2 * 1024 * 1024) })],
];

it("the body of a control request is refused by every operation if it is not an object", async () => {
  await expectNoChange(async () => {
    for (const [index, [title, route]] of WITH_BODY.entries())
      for (const [what, body] of sampleFor(index, NOT_OBJECTS)) {
        const headers = bearer(sandbox.controlToken);
        const { status, code } = await send({ ...targetOf(route), headers, body });
        expect([400, 413, 422], `${title}, ${what}: ${status} ${code}`).toContain(status);
        expect(code, `${title}, ${what}`).not.toBeNull();
      }
  });
});
