import { once } from "node:events";
import { Agent, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../../sandbox/index.ts";
import { CONTROL_OPERATIONS, type ControlOperation } from "../../../../src/contract/control.ts";
import { openSandbox } from "../../../support/sandbox.ts";
import { bearer, call, rawRequest } from "../../../support/sandbox-requests.ts";

const agent = new Agent({ keepAlive: true });
const failures: unknown[] = [];
let shutdowns = 0;
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox({
    onError: (error) => failures.push(error),
    onShutdownRequested: () => {
      shutdowns += 1;
    },
  });
  await call(sandbox, "/v1/clients");
});
afterAll(async () => {
  agent.destroy();
  await sandbox.close();
});

interface ControlRoute extends ControlOperation {
  readonly method: string;
  readonly path: string;
}

/** The path of a record that exists, where the path names one, so that a request gets past the lookup. */
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
const methodOf = ({ method }: ControlRoute): string => (method === "ANY" ? "POST" : method);

interface Wish {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

async function ask({ method, path, headers = {}, body }: Wish) {
  const request = rawRequest(sandbox, {
    method,
    path: `/_sandbox${path}`,
    headers: { ...headers, ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }) },
    agent,
  });
  const answered = once(request, "response");
  request.end(body);
  const [answer] = (await answered) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const isProblem = answer.headers["content-type"] === "application/problem+json";
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    code: isProblem && text !== "" ? (JSON.parse(text).code as string) : null,
  };
}

/** Everything that a control call could have changed. */
const picture = async () => ({
  state: (await call(sandbox, "/_sandbox/state", { token: sandbox.controlToken })).body,
  agenda: sandbox.clock.agenda(),
  credentials: sandbox.credentials,
  faults: sandbox.faults.list(),
  snapshots: sandbox.snapshots.list(),
  endpoints: await sandbox.webhooks.endpoints(),
  requests: (await sandbox.requests.list()).length,
  sink: await sandbox.webhooks.sink("x"),
  shutdowns,
});

/** None of these requests changes anything or causes an unexpected error. */
async function changesNothing(work: () => Promise<void>): Promise<void> {
  const before = await picture();
  await work();
  expect(await picture()).toEqual(before);
  expect(failures).toEqual([]);
}

describe("without the right token", () => {
  it.each(guarded)("%s does nothing", async (_title, route) => {
    const { apiKey } = sandbox.credentials.sandbox;
    const token = sandbox.controlToken;
    await changesNothing(async () => {
      for (const [authorization, code] of [
        [undefined, "control_token_missing"],
        ["", "control_token_missing"],
        ["Bearer", "control_token_missing"],
        [`Basic ${btoa(`x:${token}`)}`, "control_token_missing"],
        [`Bearer ${apiKey}`, "control_token_invalid"],
        [`Bearer ${token}x`, "control_token_invalid"],
        [`Bearer ${token.slice(0, -1)}`, "control_token_invalid"],
        [`Bearer ${token.toUpperCase()}`, "control_token_invalid"],
      ] as const) {
        const answer = await ask({
          method: methodOf(route),
          path: pathOf(route),
          headers: authorization === undefined ? {} : { authorization },
          body: "{}",
        });
        expect([answer.status, answer.code], authorization).toEqual([401, code]);
        expect(answer.headers["www-authenticate"]).toMatch(/^Bearer /);
      }
      const query = await ask({
        method: methodOf(route),
        path: `${pathOf(route)}?token=${token}&access_token=${token}`,
        headers: { "x-api-key": token },
      });
      expect(query.status).toBe(401);
    });
  });
});

describe("a page in a browser", () => {
  it.each(titles)("gets nothing from %s, not even with the token", async (_title, route) => {
    const own = `127.0.0.1:${sandbox.port}`;
    const token = bearer(sandbox.controlToken);
    await changesNothing(async () => {
      for (const [headers, code] of [
        // A name of its own that it rebinds to this machine, in the ways that a browser writes it.
        [{ host: `evil.example:${sandbox.port}` }, "host_not_allowed"],
        [{ host: `127.0.0.1.evil.example:${sandbox.port}` }, "host_not_allowed"],
        [{ host: `rebound.evil.example`, origin: `http://rebound.evil.example` }, "host_not_allowed"],
        [{ host: `localhost.`, origin: "http://localhost." }, "host_not_allowed"],
        // The address itself, from a page of elsewhere.
        [{ host: own, origin: "https://evil.example" }, "origin_not_allowed"],
        [{ host: own, origin: "null" }, "origin_not_allowed"],
        [{ host: own, origin: `https://${own}` }, "origin_not_allowed"],
        [{ host: own, origin: "http://localhost:3000" }, "origin_not_allowed"],
        // What needs no preflight: a form, an image.
        [{ host: own, origin: "http://a.example", "content-type": "text/plain" }, "origin_not_allowed"],
        [{ host: own, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, "origin_not_allowed"],
        [{ host: own, "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }, "origin_not_allowed"],
      ] as const) {
        const answer = await ask({
          method: methodOf(route),
          path: pathOf(route),
          headers: { ...token, ...headers },
          body: "{}",
        });
        expect([answer.status, answer.code], JSON.stringify(headers)).toEqual([403, code]);
        expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
    });
  });

  it("gets no response to a preflight", async () => {
    for (const [, { path }] of titles) {
      const answer = await ask({
        method: "OPTIONS",
        path: path.replace(/\{\w+\}/, "x"),
        headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
      });
      expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
    }
  });

  it("is allowed when the user typed the address", async () => {
    const own = `127.0.0.1:${sandbox.port}`;
    for (const site of ["none", "same-origin"]) {
      const answer = await ask({
        method: "GET",
        path: "/health",
        headers: { host: own, "sec-fetch-site": site },
      });
      expect(answer.status).toBe(200);
    }
  });
});

describe("another method", () => {
  it.each(titles)("than that of %s gets the allowed ones", async (_title, route) => {
    const path = pathOf(route);
    const there = titles
      .filter(([, each]) => new RegExp(`^${each.path.replace(/\{\w+\}/, "[^/]+")}$`).test(path))
      .flatMap(([, each]) => (each.method === "GET" ? ["GET", "HEAD"] : [each.method]));
    await changesNothing(async () => {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
        if (there.includes(method) || there.includes("ANY")) continue;
        const answer = await ask({ method, path, headers: bearer(sandbox.controlToken) });
        expect([answer.status, answer.code], method).toEqual([405, "method_not_allowed"]);
        expect(answer.headers.allow?.split(", ").sort()).toEqual([...new Set(there)].sort());
      }
    });
  });
});

/** What a JSON object is sent to, and what of it is right: its fields are then spoilt one by one. */
const OBJECTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "POST /clock/advance": { to: "1s" },
  "POST /clock/set": { to: "2027-01-01T00:00:00Z" },
  "POST /emit": { type: "partner.test", data: {}, environment: "sandbox", endpointId: "x" },
  "POST /endpoints/{id}/status": { status: "disabled" },
  "POST /credentials/rotate": { environment: "sandbox" },
  "POST /wait": { job: { id: "x", state: "completed" }, timeoutMs: 0 },
  "POST /reset": { to: "x" },
  "POST /faults": {
    preset: "flaky",
    probability: 0.5,
    times: 1,
    skip: 0,
    phase: "before",
    match: {},
    then: {},
  },
  "POST /requests/{number}/replay": { newKey: true },
};
const DOCUMENTS = ["PUT /snapshots/{name}", "PUT /state"];

/** JSON text of lists within each other. */
function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

const NO_OBJECTS: readonly (readonly [what: string, body: string | Uint8Array])[] = [
  ["white space", " "],
  ["no JSON", "to=1s"],
  ["half of it", '{"to":'],
  ["two of it", "{}{}"],
  ["a list", "[]"],
  ["null", "null"],
  ["a text", '"x"'],
  ["a number", "1e999"],
  ["no UTF-8", Buffer.from('{"to":"\xff"}', "latin1")],
  ["a byte order mark", "\ufeff{}"],
  ["lists in lists", "[".repeat(100_000)],
  ["records in records", '{"to":'.repeat(100_000)],
  ["lists in lists to their end", nested(300_000)],
  ["more than a mebibyte", JSON.stringify({ to: "x".repeat(2 * 1024 * 1024) })],
];

const WRONG_VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e300, "", " ", "x".repeat(10_000), [], ["1s"], {}, { to: "1s" }],
  ...["__proto__", "constructor", "\u0000", "\ud800", "2026-02-30T00:00:00Z", "-1s", "99999999999999d"],
];

describe("a body", () => {
  it("is tested for every operation that takes one", () => {
    const withBody = titles.filter(([, { method, isPublic: open }]) => !open && /POST|PUT/.test(method));
    const without = [
      ...["POST /shutdown", "POST /clock/freeze", "POST /clock/unfreeze", "POST /deliveries/{id}/resend"],
      ...["POST /snapshots/{name}", "POST /snapshots/{name}/load"],
    ];
    const tested = [...Object.keys(OBJECTS), ...DOCUMENTS, ...without];
    expect(withBody.map(([title]) => title).sort()).toEqual(tested.sort());
  });

  it.each([...Object.keys(OBJECTS), ...DOCUMENTS])(
    "of %s that is not an object is refused",
    async (title) => {
      const route = routeOf(title);
      await changesNothing(async () => {
        for (const [what, body] of NO_OBJECTS) {
          const { status, code } = await ask({ ...withToken(route), body });
          expect([400, 413, 422], `${what}: ${status} ${code}`).toContain(status);
          expect(code, what).not.toBeNull();
        }
        const packed = await ask({
          ...withToken(route, { "content-encoding": "gzip" }),
          body: "not packed at all",
        });
        expect([400, 422]).toContain(packed.status);
      });
    },
  );

  it.each(Object.entries(OBJECTS))(
    "of %s with an invalid value or field is refused",
    async (title, right) => {
      const route = routeOf(title);
      const optional = new Set(title === "POST /emit" ? ["data"] : []);
      await changesNothing(async () => {
        const { status, code } = await ask({
          ...withToken(route),
          body: JSON.stringify({ ...right, unheardOf: 1 }),
        });
        expect([status, code], "an unknown field").toEqual([422, "validation_failed"]);
        for (const name of Object.keys(right).filter((each) => !optional.has(each))) {
          for (const value of WRONG_VALUES) {
            if (isRight(title, name, value)) continue;
            const answer = await ask({
              ...withToken(route),
              body: JSON.stringify({ ...right, [name]: value }),
            });
            const what = `${name}: ${JSON.stringify(value)?.slice(0, 40)}`;
            expect([404, 409, 422], `${what} → ${answer.status} ${answer.code}`).toContain(answer.status);
          }
        }
      });
    },
  );

  it.each(Object.entries(OBJECTS))("of %s that nests too deep is refused", async (title, right) => {
    const route = routeOf(title);
    await changesNothing(async () => {
      for (const name of [...Object.keys(right), "data"]) {
        // JSON.stringify could not write it.
        const body = JSON.stringify({ ...right, [name]: "@" }).replace('"@"', nested(20_000));
        const { status, code } = await ask({ ...withToken(route), body });
        expect([status, code], name).toEqual([422, "validation_failed"]);
      }
    });
  });

  it.each(Object.entries(OBJECTS))(
    "of %s with a value that has no text form is refused",
    async (title, right) => {
      const route = routeOf(title);
      const stubborn = { toString: 1, valueOf: 1 };
      await changesNothing(async () => {
        for (const [name, value] of Object.entries(right)) {
          if (name === "data") continue;
          const inner = Object.keys(Object(value)).map((part) => ({ ...Object(value), [part]: stubborn }));
          for (const wrong of [stubborn, [stubborn], ...inner]) {
            const body = JSON.stringify({ ...right, [name]: wrong });
            const { status } = await ask({ ...withToken(route), body });
            expect(status, body).toBe(422);
          }
        }
      });
    },
  );

  it("that the operation does not take is not read, and the connection continues", async () => {
    const big = "x".repeat(3 * 1024 * 1024);
    for (const path of ["/clock/freeze", "/clock/unfreeze", "/clock/freeze"]) {
      const { status } = await ask({ ...withToken(routeOf(`POST ${path}`)), body: big });
      expect(status).toBe(200);
    }
    expect((await ask({ method: "GET", path: "/health" })).status).toBe(200);
    expect(failures).toEqual([]);
  });
});

/** Of what is wrong for most, what is right here. */
function isRight(title: string, name: string, value: unknown): boolean {
  if (title === "POST /faults")
    return (
      (name === "probability" && value === 0) ||
      (name === "skip" && value === 0) ||
      (name === "match" && JSON.stringify(value) === "{}") ||
      (name === "then" && JSON.stringify(value) === "{}")
    );
  return title === "POST /requests/{number}/replay" && name === "newKey" && value === true;
}

function routeOf(title: string): ControlRoute {
  const [, route] = titles.find(([each]) => each === title) ?? [];
  if (!route) throw new Error(`there is no ${title}`);
  return route;
}

const withToken = (route: ControlRoute, headers: Record<string, string> = {}) => ({
  method: methodOf(route),
  path: pathOf(route),
  headers: { ...bearer(sandbox.controlToken), ...headers },
});

describe("a path", () => {
  it.each(titles)("similar to that of %s gets 404", async (_title, route) => {
    const method = methodOf(route);
    const headers = bearer(sandbox.controlToken);
    await changesNothing(async () => {
      for (const path of [
        `${pathOf(route)}/`,
        `/${pathOf(route)}`,
        `${pathOf(route)}/x/y/z`,
        "/%",
        "/%2e%2e",
      ]) {
        const answer = await ask({ method, path, headers });
        expect([answer.status, answer.code], path).toEqual([404, "control_route_not_found"]);
      }
    });
  });

  it.each(titles.filter(([, { path }]) => path.includes("{")))(
    "of %s with an invalid name is refused",
    async (_title, route) => {
      await changesNothing(async () => {
        for (const name of ["%20", "%00", "..%2f..%2fetc", "%F0%9F%92%A9", "x".repeat(2_000), "1e3", "-1"]) {
          const path = route.path.replace(/\{\w+\}/, name);
          // The names of snapshots and sinks may be like that.
          if (/^\/(snapshots|sinks?)/.test(route.path) && /^(1e3|-1)$/.test(name)) continue;
          const answer = await ask({
            method: methodOf(route),
            path,
            headers: bearer(sandbox.controlToken),
            body: "{}",
          });
          expect([404, 422], `${name} → ${answer.status} ${answer.code}`).toContain(answer.status);
        }
      });
    },
  );
});
