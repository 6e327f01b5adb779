import { beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../../sandbox/index.ts";
import { createInspectorAccess } from "../../../../sandbox/inspector/access.ts";
import { INSPECTOR_ROUTES } from "../../../../sandbox/inspector/inspector.tsx";
import type { Mapping } from "../../../../src/contract/mapping/mapping.ts";
import { sampleFor } from "../../../support/exhaustive.ts";
import { type InspectorClient, openInspector, readPage } from "../../../support/inspector.ts";
import { openSandbox, sandboxForTest } from "../../../support/sandbox.ts";
import {
  bearer,
  call,
  callControl,
  entriesCsv,
  ordinaryEntryNumber,
  post,
  rawRequest,
  readFixture,
  readResponse,
  scriptedEntryNumber,
  submitAndSettle,
} from "../../../support/sandbox-requests.ts";

/** Sends any headers and any path, which fetch does not allow. */
function send(sandbox: Sandbox, method: string, path: string, headers: Record<string, string>, body = "") {
  const request = rawRequest(sandbox, `${method} /_sandbox/ui${path}`, headers);
  return readResponse(request.end(method === "POST" ? body : ""));
}

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** A path of each route with an id that exists. */
async function fillRoutes(sandbox: Sandbox): Promise<{ readonly method: string; readonly path: string }[]> {
  const jobId = await submitAndSettle(sandbox);
  const { deliveries } = await sandbox.webhooks.emit({ type: "partner.test" });
  await sandbox.idle();
  await sandbox.snapshots.save("before");
  const rule = sandbox.faults.add({ match: { operation: "offers.create" }, then: { status: 503 } });
  const [endpoint] = await sandbox.webhooks.endpoints();
  const idOf = (route: string) => {
    if (route.includes("/jobs/")) return jobId;
    if (route.includes("/deliveries/")) return deliveries[0]?.deliveryId ?? "";
    return route.includes("/faults/") ? String(rule.id) : (endpoint?.id ?? "");
  };
  return INSPECTOR_ROUTES.map((route) => {
    const [method = "", path = ""] = route.split(" ");
    const filled = path
      .replace("{number}", "1")
      .replace("{name}", "before")
      .replace("{ticket}", "0".repeat(48));
    return { method, path: filled.replace("{id}", idOf(route)) };
  });
}

describe("access to the inspector", () => {
  let sandbox: Sandbox;
  let inspector: InspectorClient;
  let routes: readonly { readonly method: string; readonly path: string }[];
  /** What no attack may change. */
  const readState = async () =>
    JSON.stringify([
      sandbox.clock.now(),
      sandbox.clock.frozen,
      sandbox.faults.list(),
      sandbox.snapshots.list(),
      await sandbox.webhooks.endpoints(),
      await sandbox.requests.list(),
    ]);

  beforeAll(async () => {
    sandbox = await openSandbox();
    routes = await fillRoutes(sandbox);
    inspector = await openInspector(sandbox);
    return () => sandbox.close();
  });

  it("refuses every route without a session, with a session of another port and with the control token", async () => {
    const before = await readState();
    const [name, secret] = inspector.cookie.split("=");
    const body = `token=${inspector.formToken}`;
    for (const [index, { method, path }] of routes.entries()) {
      for (const headers of sampleFor<Record<string, string>>(index, [
        {},
        { cookie: "claims_inspector_1=0" },
        { cookie: `claims_inspector_${sandbox.port + 1}=${secret}` },
        { cookie: `${name}=${"0".repeat(48)}` },
        bearer(sandbox.controlToken),
        bearer(sandbox.credentials.sandbox.apiKey),
      ])) {
        const response = await send(sandbox, method, path, { ...FORM, ...headers }, body);
        expect([method, path, [401, 403].includes(response.status)]).toEqual([method, path, true]);
        expect(response.text).not.toContain(sandbox.controlToken);
      }
    }
    expect(await readState()).toBe(before);
  });

  it("refuses every route to another Host, another origin and another site, also with a session", async () => {
    const before = await readState();
    const body = `token=${inspector.formToken}&to=1d&name=x`;
    const session = { ...FORM, cookie: inspector.cookie };
    for (const [index, { method, path }] of routes.entries()) {
      for (const headers of sampleFor<Record<string, string>>(index, [
        { host: "evil.example" },
        { host: "evil@127.0.0.1" },
        { host: "localhost ,evil" },
        { host: `127.0.0.1.evil.example:${sandbox.port}` },
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: `http://127.0.0.1:${sandbox.port + 1}` },
        // A page, an image, a form and a frame of another site.
        { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
        { "sec-fetch-site": "CROSS-SITE", "sec-fetch-dest": "image" },
        { "sec-fetch-site": "same-site", "sec-fetch-dest": "iframe" },
      ])) {
        const response = await send(sandbox, method, path, { ...session, ...headers }, body);
        const status = "host" in headers ? 421 : 403;
        expect([method, path, headers, response.status]).toEqual([method, path, headers, status]);
      }
    }
    expect(await readState()).toBe(before);
  });

  it("refuses every action without the form token, with another one, as JSON and as GET", async () => {
    const before = await readState();
    const headers = { cookie: inspector.cookie, origin: sandbox.url };
    const actions = routes.filter(({ method }) => method === "POST");
    for (const { path } of actions) {
      const values = "to=1d&name=x";
      for (const [type, body] of [
        [FORM["content-type"], values],
        [FORM["content-type"], `${values}&token=`],
        [FORM["content-type"], `${values}&token=${"0".repeat(48)}`],
        ["application/json", JSON.stringify({ token: inspector.formToken, to: "1d" })],
        ["text/plain", `${values}&token=${inspector.formToken}`],
      ] as const)
        expect(
          await send(sandbox, "POST", path, { ...headers, "content-type": type }, body),
          path,
        ).toMatchObject({
          status: 403,
        });
      const asGet = await send(sandbox, "GET", `${path}?${values}&token=${inspector.formToken}`, headers);
      expect([path, [200, 404].includes(asGet.status)]).toEqual([path, true]);
      expect([path, (await send(sandbox, "PUT", path, headers)).status]).toEqual([path, 405]);
    }
    expect(await readState()).toBe(before);
  });

  it("sends every page with headers that forbid framing, foreign scripts and storing", async () => {
    for (const { method, path } of routes.filter((route) => route.method === "GET")) {
      const { headers } = await send(sandbox, method, path, { cookie: inspector.cookie });
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
      expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
      expect(headers["content-security-policy"]).not.toContain("unsafe");
      expect(headers["x-frame-options"]).toBe("DENY");
      expect(headers["cache-control"]).toBe("no-store");
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  it("shows no secret on any page, and no inline script or style", async () => {
    const { credentials, controlToken } = sandbox;
    const secrets = [
      controlToken,
      credentials.sandbox.apiKey,
      credentials.sandbox.clientSecret,
      credentials.production.apiKey,
      credentials.otherPartner.apiKey,
      credentials.webhook.signingSecret,
    ];
    for (const { path } of routes.filter(
      ({ method, path }) => method === "GET" && !path.startsWith("/tickets") && !path.startsWith("/assets"),
    )) {
      const page = await readPage(inspector, path);
      expect([path, page.status]).toEqual([path, 200]);
      for (const secret of secrets) expect(page.text).not.toContain(secret);
      expect(page.text).not.toMatch(
        /<script(?! src="\/_sandbox\/ui\/)|<style|\sstyle=|\son\w+=|javascript:/i,
      );
    }
  });

  it("returns an action only to a page of its own", async () => {
    const act = async (back: string) =>
      (await inspector.act("/clock", { to: "freeze", back })).headers.get("location");
    expect(await act("/state?from=before")).toBe("/_sandbox/ui/state?from=before");
    for (const back of [
      "//evil.example",
      "https://evil.example",
      "/../../v1/clients",
      "/\r\nSet-Cookie: a=b",
      "@evil.example",
    ])
      expect([back, await act(back)]).toEqual([back, "/_sandbox/ui"]);
  });
});

describe("the lists", () => {
  it("fold equal polls in a row, filter and search", async () => {
    const sandbox = await sandboxForTest();
    const inspector = await openInspector(sandbox);
    const jobId = await submitAndSettle(sandbox, { seller_name: "Harbor & Pine" });
    for (let count = 0; count < 5; count += 1) await call(sandbox, `/v1/diligence/status/${jobId}`);
    await post(sandbox, "/v1/clients", {});
    const listEvents = async (query: string) => {
      const { text } = await readPage(inspector, query);
      const [, events = ""] = /<ol class="events">(.*?)<\/ol>/s.exec(text) ?? [];
      return [...events.matchAll(/class="what" [^>]*>(.*?)<small>/g)].map(([, what = ""]) =>
        what.replace(/<[^>]*>/g, "").trim(),
      );
    };
    const poll = `GET /v1/diligence/status/${jobId}`;
    const submission = "POST /v1/diligence/submit";
    const client = "POST /v1/clients";
    const run = "job of Harbor &amp; Pine";
    expect(await listEvents("")).toEqual([client, `5 × ${poll}`, run, submission]);
    expect(await listEvents("?fold=no")).toEqual([client, ...Array(5).fill(poll), run, submission]);
    expect(await listEvents("?show=failed")).toEqual([client]);
    expect(await listEvents("?show=writes")).toEqual([client, submission]);
    expect(await listEvents("?show=jobs")).toEqual([`5 × ${poll}`, run, submission]);
    expect(await listEvents("?q=NAME: IS MISSING")).toEqual([client]);
    expect(await listEvents(`?q=${jobId}`)).toEqual([`5 × ${poll}`, run]);
    expect(await listEvents("?q=Pine&show=failed")).toEqual([]);
    expect(await listEvents("?show=no-such-filter")).toHaveLength(4);
  });

  it("fold deliveries in a row to one endpoint that failed alike", async () => {
    const sandbox = await sandboxForTest();
    const url = `${sandbox.url}/_sandbox/sink/staging?status=503`;
    const { body } = await post(sandbox, "/v1/webhooks/endpoints", {
      ...{ label: "Staging", url, environmentScope: "all", subscribedEvents: ["partner.test"] },
    });
    const endpointId = String(body.id);
    for (let count = 0; count < 3; count += 1)
      await sandbox.webhooks.emit({ type: "partner.test", endpointId });
    await sandbox.idle();
    const inspector = await openInspector(sandbox);
    const read = async (path: string) => (await readPage(inspector, path)).text;
    expect(await read("/deliveries")).toContain("<b>3 ×</b> 503 since");
    expect((await read("/deliveries?fold=no")).split("<tr>").length - 2).toBe(3);
    expect(await read("/deliveries?status=delivered")).toContain("no such delivery");
    expect(await read("/deliveries?q=HTTP_STATUS")).toContain("<b>3 ×</b>");
    expect(await read(`/endpoints/${endpointId}`)).toContain("0 of 3 attempts succeeded");
  });

  it("show the rows of a job by kind, route, grade and code, 50 at a time", async () => {
    const sandbox = await sandboxForTest();
    const inspector = await openInspector(sandbox);
    const large = await submitAndSettle(sandbox, { file: readFixture("sample_entries.csv") });
    const bad = await submitAndSettle(sandbox, { file: readFixture("bad_entries.csv") });
    const listLines = async (path: string) =>
      [...(await readPage(inspector, path)).text.matchAll(/data-label="Line">(\d+)</g)].map(([, line]) =>
        Number(line),
      );
    const first = await listLines(`/jobs/${large}`);
    expect([first.length, first[0], first.at(-1)]).toEqual([50, 2, 51]);
    const second = await listLines(`/jobs/${large}?after=51`);
    expect([second.length, second[0]]).toEqual([50, 52]);
    expect((await listLines(`/jobs/${large}?after=200`)).at(-1)).toBe(201);
    // More than one page of the store has.
    const numbers = Array.from({ length: 2_000 }, (_, index) => ordinaryEntryNumber(index + 1));
    const huge = await submitAndSettle(sandbox, { file: entriesCsv(numbers) });
    for (const after of [0, 600, 1_399, 1_400, 1_990])
      expect((await listLines(`/jobs/${huge}?after=${after}`))[0]).toBe(Math.max(2, after + 1));
    const filtered = await readPage(inspector, `/jobs/${large}?route=litigation&grade=C`);
    expect(filtered.text).toMatch(/data-label="Route">Litigation</);
    expect(filtered.text).not.toMatch(/data-label="Route">CAPE|data-label="Grade">[ABDX]</);
    expect((await listLines(`/jobs/${bad}`)).length).toBeGreaterThan(15);
    expect(await listLines(`/jobs/${bad}?code=DATE_INVALID`)).toEqual([9]);
    expect(await listLines(`/jobs/${bad}?rows=accepted`)).toEqual([2]);
  });

  it("show how far a job is that is processing, and when it ends", async () => {
    const sandbox = await sandboxForTest();
    const jobId = await submitAndSettle(sandbox, { file: entriesCsv([scriptedEntryNumber("4")]) });
    const { text } = await readPage(await openInspector(sandbox), `/jobs/${jobId}`);
    expect(text).toContain("The job is processing: 1 of 1 rows are read.");
    expect(text).toMatch(/Next, at .*2026-11-20 00:00 UTC.*: job of .* ends\./);
  });
});

describe("the page of a request", () => {
  it("says that the headers in the preview of a test event are documented", async () => {
    const sandbox = await sandboxForTest();
    await post(sandbox, "/v1/sandbox/webhooks/test", { eventType: "partner.test", environment: "sandbox" });
    const { text } = await readPage(await openInspector(sandbox), "/requests/1");
    const rowOf = (name: string) =>
      text.split("<tr>").find((row) => row.includes(`<code>${name} </code>`)) ?? "";
    for (const header of ["X-Service-Event", "X-Service-Timestamp", "X-Service-Signature"])
      expect(rowOf(`previews[].headers.${header}`)).toContain("documented</span> §6");
    expect(rowOf("previews[].headers.Content-Type")).toContain("assumed</span>");
    expect(text).not.toContain("not in the contract");
  });

  it("says which fields are observed, in a sandbox with the mapping of a real service", async () => {
    const mapping: Mapping = {
      clients: "clients",
      "clients.name": "client_name",
      "clients.reference": "<b>",
    };
    const sandbox = await sandboxForTest({ mapping });
    await post(sandbox, "/v1/clients", { name: "Acme" });
    await call(sandbox, "/v1/clients");
    const latest = (await sandbox.requests.list()).at(-1);
    const { text } = await readPage(await openInspector(sandbox), `/requests/${latest?.number}`);
    const rowOf = (name: string) =>
      text.split("<tr>").find((row) => row.includes(`<code>${name} </code>`)) ?? "";
    for (const name of ["clients[].client_name", "clients[].&lt;b>"])
      expect(rowOf(name), name).toMatch(/observed<\/span> .*the mapping of the service/);
    expect(text).not.toContain("not in the contract");
    expect(text).not.toContain("<b>");
    expect(await sandbox.report()).toContain("observed</span>");
  });
});

describe("a report", () => {
  it("has each of 20 requests whose bodies are nested very deep", async () => {
    const sandbox = await sandboxForTest();
    const send = (depth: number) =>
      post(sandbox, "/v1/clients", null, {
        body: `${"[".repeat(depth)}${"1,".repeat(6_000)}1${"]".repeat(depth)}`,
      });
    for (let sent = 0; sent < 20; sent += 1) await send(3_000);
    await send(25_000);
    const report = await sandbox.report();
    expect(report.match(/id="request-/g)).toHaveLength(21);
    expect(report.length).toBeLessThan(5_000_000);
  });

  it("has the beginning and the size of a long delivery, and the way to all of it", async () => {
    const sandbox = await sandboxForTest();
    const { deliveries } = await sandbox.webhooks.emit({
      type: "partner.test",
      data: { text: "x".repeat(1_000_000) },
    });
    await sandbox.idle();
    const [{ deliveryId = "" } = {}] = deliveries;
    const { bodyBase64 } = await sandbox.webhooks.delivery(deliveryId);
    const { text } = await readPage(await openInspector(sandbox), `/deliveries/${deliveryId}`);
    expect(text).toContain(`${Buffer.from(bodyBase64, "base64").length} bytes, the same`);
    expect(text).toContain(`claims webhooks deliveries show ${deliveryId} --json`);
    expect(text.length).toBeLessThan(100_000);
  });
});

describe("a ticket", () => {
  it("opens one session, and is made only with the control token", async () => {
    const sandbox = await sandboxForTest();
    for (const token of [null, sandbox.credentials.sandbox.apiKey])
      expect((await call(sandbox, "/_sandbox/inspect", { method: "POST", token })).status).toBe(401);
    const { body } = await callControl(sandbox, "POST", "/inspect");
    const url = String(body.url);
    expect([url.startsWith(`${sandbox.url}/_sandbox/ui/tickets/`), body.expiresInSeconds]).toEqual([
      true,
      60,
    ]);
    expect(url).not.toContain(sandbox.controlToken);
    const first = await fetch(url, { redirect: "manual" });
    expect([first.status, first.headers.get("location")]).toEqual([303, "/_sandbox/ui"]);
    expect(first.headers.get("set-cookie")).toMatch(
      new RegExp(
        `^claims_inspector_${sandbox.port}=[0-9a-f]{48}; path=/_sandbox/ui; samesite=strict; httponly$`,
        "i",
      ),
    );
    expect((await fetch(url, { redirect: "manual" })).status).toBe(403);
  });

  it("expires after 60 seconds", () => {
    let now = 0;
    const access = createInspectorAccess(() => now);
    const late = access.createTicket();
    now = 60_001;
    expect(access.redeem(late)).toBeNull();
    expect(access.findSession(access.redeem(access.createTicket()) ?? "")).toBeDefined();
  });

  it("does not exist beyond loopback, and neither do the pages", async () => {
    await using exposed = await startSandbox({ host: "0.0.0.0" });
    const ticket = await callControl(exposed, "POST", "/inspect");
    expect([ticket.status, ticket.body.code]).toEqual([409, "inspector_not_available"]);
    for (const path of ["", "/state", "/assets/style.css"])
      expect((await send(exposed, "GET", path, { cookie: "claims_inspector_1=0" })).status).toBe(409);
  });
});
