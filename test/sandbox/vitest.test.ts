import { describe, expect, it } from "vitest";
import type { Sandbox, WaitCondition } from "../../sandbox/index.ts";
import { sandboxMatchers, sandboxTest } from "../../sandbox/vitest.ts";
import { call, post } from "../support/sandbox-requests.ts";

const test = sandboxTest({ frozenAt: "2026-11-20T00:00:00Z" });

describe("sandboxTest", () => {
  const urls = new Set<string>();

  test.for([1, 2])("gives test %i the same sandbox in its seeded state", async (_, { sandbox }) => {
    urls.add(sandbox.url);
    expect((await call(sandbox, "/v1/clients")).text.match(/"name"/g)).toHaveLength(2);
    await post(sandbox, "/v1/clients", { name: "Paper Lantern Imports, LLC" });
    await sandbox.clock.advance("3d");
    expect(await sandbox.requests.list()).toHaveLength(2);
  });

  it("has started one", () => expect(urls.size).toBe(1));
});

/** The message of a failed matcher, with durations and ports that do not change. */
async function failureOf(assertion: Promise<void>): Promise<string> {
  const error: Error = await assertion.then(
    () => new Error("it did not fail"),
    (reason) => reason,
  );
  return error.message.replace(/\d+(\.\d)? ms/g, "N ms").replace(/127\.0\.0\.1:\d+/g, "HOST");
}

const createClient = (sandbox: Sandbox, name: string) => post(sandbox, "/v1/clients", { name });

describe("toHaveReceived", () => {
  test("passes for requests that meet the condition", async ({ sandbox }) => {
    await createClient(sandbox, "One, Inc.");
    await createClient(sandbox, "");
    await expect(sandbox).toHaveReceived();
    await expect(sandbox).toHaveReceived({ operation: "clients.create" }, { times: 2 });
    await expect(sandbox).toHaveReceived({ operation: "clients.create", status: 201 }, { times: 1 });
    await expect(sandbox).not.toHaveReceived({ operation: "clients.list" });
    await expect(sandbox).not.toHaveReceived({ status: "5xx" });
    await expect(sandbox).not.toHaveReceived({}, { times: 1 });
  });

  test("says what was received instead", async ({ sandbox }) => {
    expect(await failureOf(expect(sandbox).toHaveReceived({ status: 201 }))).toMatchInlineSnapshot(
      `"expected the sandbox to have received { status: 201 }, but it received no request"`,
    );
    await createClient(sandbox, "One, Inc.");
    await createClient(sandbox, "");
    const { operation } = { operation: "clients.create" } as const;
    const failures = [
      expect(sandbox).toHaveReceived({ operation: "offers.create", method: "POST" }),
      expect(sandbox).toHaveReceived({ operation }, { times: 1 }),
      expect(sandbox).toHaveReceived({ operation, status: 201 }, { times: 2 }),
      expect(sandbox).not.toHaveReceived({ status: "4xx" }),
    ];
    expect((await Promise.all(failures.map(failureOf))).join("\n\n")).toMatchInlineSnapshot(`
      "expected the sandbox to have received { operation: 'offers.create', method: 'POST' }, but it has only:
        201  POST /v1/clients  N ms  #1  partner 1, sandbox
        422  POST /v1/clients  N ms  #2  partner 1, sandbox; name: must have at least 1 characters. name: must be a name in one line that is not blank.

      expected the sandbox to have received { operation: 'clients.create' } once, but it has 2 times:
        201  POST /v1/clients  N ms  #1  partner 1, sandbox
        422  POST /v1/clients  N ms  #2  partner 1, sandbox; name: must have at least 1 characters. name: must be a name in one line that is not blank.

      expected the sandbox to have received { operation: 'clients.create', status: 201 } 2 times, but it has once. All together:
        201  POST /v1/clients  N ms  #1  partner 1, sandbox
        422  POST /v1/clients  N ms  #2  partner 1, sandbox; name: must have at least 1 characters. name: must be a name in one line that is not blank.

      expected the sandbox not to have received { status: '4xx' }, but it has:
        422  POST /v1/clients  N ms  #2  partner 1, sandbox; name: must have at least 1 characters. name: must be a name in one line that is not blank."
    `);
  });

  test("lists the last twenty", async ({ sandbox }) => {
    for (let count = 0; count < 22; count += 1) await call(sandbox, "/v1/clients");
    const message = await failureOf(expect(sandbox).toHaveReceived({ status: 404 }));
    expect(message).toMatch(/ {2}… 2 earlier\n.*#3 [\s\S]*#22 /);
  });
});

describe("toHaveDelivered", () => {
  test("passes for events that a receiver accepted", async ({ sandbox }) => {
    await sandbox.webhooks.emit({ type: "partner.test" });
    await expect(sandbox).toHaveDelivered();
    await expect(sandbox).toHaveDelivered({ eventType: "partner.test" }, { times: 1 });
    await expect(sandbox).not.toHaveDelivered({ eventType: "claim.updated" });
  });

  test("says what was delivered instead", async ({ sandbox }) => {
    const condition = { eventType: "partner.test" };
    const nothing = await failureOf(expect(sandbox).toHaveDelivered(condition));
    const { body } = await post(sandbox, "/v1/webhooks/endpoints", {
      label: "down",
      url: `${sandbox.url}/_sandbox/sink/down?status=503`,
      subscribedEvents: ["partner.down"],
      environmentScope: "sandbox",
    });
    await sandbox.webhooks.emit({ type: "partner.test", endpointId: String(body.id) });
    const failing = await failureOf(expect(sandbox).toHaveDelivered(condition));
    await sandbox.webhooks.emit({ type: "partner.test" });
    const twice = await failureOf(expect(sandbox).toHaveDelivered(condition, { times: 2 }));
    const not = await failureOf(expect(sandbox).not.toHaveDelivered(condition));
    expect([nothing, failing, twice, not].join("\n\n")).toMatchInlineSnapshot(`
      "expected the sandbox to have delivered { eventType: 'partner.test' }, but nothing was emitted, or no endpoint subscribes to it

      expected the sandbox to have delivered { eventType: 'partner.test' }, but it has only:
        503  event partner.test to http://HOST/_sandbox/sink/down?…  N ms  attempt 1  next at 00:00:04

      expected the sandbox to have delivered { eventType: 'partner.test' } 2 times, but it has once. All together:
        503  event partner.test to http://HOST/_sandbox/sink/down?…  N ms  attempt 1  next at 00:00:04
        200  event partner.test to http://HOST/_sandbox/sink/default  N ms  attempt 1

      expected the sandbox not to have delivered { eventType: 'partner.test' }, but it has:
        200  event partner.test to http://HOST/_sandbox/sink/default  N ms  attempt 1"
    `);
  });

  test("refuses what is not a sandbox, and an unknown condition", async ({ sandbox }) => {
    expect(await failureOf(expect({}).toHaveDelivered())).toContain("expected a sandbox");
    const unknown = { type: "partner.test" } as object;
    expect(await failureOf(expect(sandbox).toHaveDelivered(unknown))).toContain("has no field type");
    expect(await failureOf(expect(sandbox).toHaveReceived(unknown))).toContain("has no field type");
  });
});

describe.for(["toHaveReceived", "toHaveDelivered"] as const)("%s", (matcher) => {
  test.for([
    [{ time: 7 }, `${matcher}() has no option time`],
    [7, `${matcher}() takes options, not 7`],
    [null, `${matcher}() takes options, not null`],
    [{ times: "1" }, 'times cannot be "1"'],
    [{ times: -1 }, "times cannot be -1"],
    [{ times: 0.5 }, "times cannot be 0.5"],
    [{ times: null }, "times cannot be null"],
  ] as const)("refuses the options %j", async ([options, message], { sandbox }) => {
    const given = options as object;
    expect(await failureOf(expect(sandbox)[matcher]({}, given))).toBe(message);
    expect(await failureOf(expect(sandbox).not[matcher]({}, given))).toBe(message);
  });

  test("refuses a field that is undefined", async ({ sandbox }) => {
    for (const name of ["endpointId", "operation"]) {
      const message = `${name} of the condition of ${matcher}() is undefined`;
      const condition = { [name]: undefined };
      expect(await failureOf(expect(sandbox)[matcher](condition))).toBe(message);
      expect(await failureOf(expect(sandbox).not[matcher](condition))).toBe(message);
    }
  });
});

it("the matchers are exported for the expect of another runner", () => {
  expect(Object.keys(sandboxMatchers)).toEqual(["toHaveReceived", "toHaveDelivered"]);
});

const strict = sandboxTest({ frozenAt: "2026-11-20T00:00:00Z", failOn: "unexpected" });
const own = sandboxTest({ scope: "test" });

describe("sandboxTest with failOn and scope", () => {
  strict.fails("fails a test whose program got 422", async ({ sandbox }) => {
    await createClient(sandbox, "");
  });

  strict("passes a test that expects the refusal, by a matcher, a list or a wait", async ({ sandbox }) => {
    await createClient(sandbox, "");
    await expect(sandbox).toHaveReceived({ status: 422 });
    await call(sandbox, "/v1/none");
    expect(await sandbox.requests.list({ status: 404 })).toHaveLength(1);
    await call(sandbox, "/v1/portfolio-scans/8a9c6ea1-c73d-4d7a-962c-075b786dc71e");
    await sandbox.waitFor({ request: { operation: "scans.get" } });
  });

  strict("passes a test whose refusal is a fault", async ({ sandbox }) => {
    sandbox.faults.add({ match: { operation: "clients.list" }, then: { status: 404 } });
    await call(sandbox, "/v1/clients");
  });

  const urls = new Set<string>();

  describe.concurrent("with a sandbox for each test", () => {
    own.for([1, 2])("gives test %i a sandbox of its own", async (_, { sandbox }) => {
      urls.add(sandbox.url);
      await createClient(sandbox, "One, Inc.");
      await expect(sandbox).toHaveReceived({}, { times: 1 });
    });
  });

  it("has started two", () => expect(urls.size).toBe(2));

  it.each([
    [{ scope: "tests" }, "worker or test"],
    [{ failOn: "all" }, "give unexpected"],
  ])("refuses %j", (options, hint) => {
    expect(() => sandboxTest(options as object)).toThrow(
      expect.objectContaining({ hint: expect.stringContaining(hint) }),
    );
  });
});

describe("a condition with a typing error", () => {
  test("is refused with the closest word, also under not", async ({ sandbox }) => {
    const hintOf = (assertion: Promise<unknown>) =>
      assertion.then(
        () => "it did not fail",
        ({ hint }) => hint,
      );
    const wrong: [Promise<unknown>, string][] = [
      [
        expect(sandbox).not.toHaveReceived({ operation: "clients.creat" as "clients.create" }),
        "clients.create",
      ],
      [expect(sandbox).not.toHaveDelivered({ eventType: "partner.tst" }), "partner.test"],
      [sandbox.requests.list({ operation: "client.list" as "clients.list" }), "clients.list"],
      [sandbox.webhooks.deliveries({ eventType: "partner.tset" }), "partner.test"],
      [sandbox.waitFor({ delivery: { eventTyp: "partner.test" } as object }), "eventType"],
      [sandbox.waitFor({ delivery: { eventType: "partner.tst" } }), "partner.test"],
    ];
    for (const [assertion, hint] of wrong) expect(await hintOf(assertion)).toContain(hint);
  });

  test("an aborted wait rejects with the reason of its signal", async ({ sandbox }) => {
    const reason = new Error("enough");
    const other = sandbox.waitFor({ request: {} }, { signal: AbortSignal.abort(reason) });
    await expect(other).rejects.toBe(reason);
  });

  it("a wait with two conditions does not compile", () => {
    // @ts-expect-error one of the conditions is enough
    const condition: WaitCondition = { request: {}, delivery: {} };
    expect(condition).toBeDefined();
  });
});
