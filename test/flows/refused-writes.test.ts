import { describe, expect, it } from "vitest";
import { errorOf } from "../support/cli.ts";
import { startCountedMachine, toEntryFile } from "../support/counted-machine.ts";
import {
  type CountingService,
  executeAndRespond,
  type Reaction,
  refuse,
  sendPage,
} from "../support/counting-service.ts";
import { describeEachFirst, itEachFirst } from "../support/large.ts";

async function setUp({ keepsKeys = false } = {}) {
  const machine = await startCountedMachine({ keepsKeys });
  return { ...machine, file: machine.write("a.csv", toEntryFile(1)) };
}

const SUBMIT_PATH = "/v1/diligence/submit";

/** The response proves that nothing was executed: the next run sends the file as a new submission. */
async function expectRefused(toReaction: (service: CountingService) => Reaction) {
  for (const keepsKeys of [true, false]) {
    const { file, history, service, submit } = await setUp({ keepsKeys });
    service.react(toReaction(service));
    const { code } = await submit(file, "--timeout", "20s");
    expect([0, 1, 2, 10]).not.toContain(code);
    expect(service.begunUploads).toBe(1);
    expect(await history("--unknown")).toEqual({ code: 0, rows: [] });
    expect((await submit(file)).code).toBe(0);
    expect([service.jobs.length, service.begunUploads]).toEqual([1, 2]);
    expect(await history("--unknown")).toEqual({ code: 0, rows: [] });
  }
}

/** The service may have executed it: the next run repeats it under its key, or a person must decide. */
async function expectUnknown(toReaction: (service: CountingService) => Reaction) {
  for (const keepsKeys of [true, false]) {
    const { file, history, service, submit } = await setUp({ keepsKeys });
    service.react(toReaction(service));
    const code = keepsKeys ? 6 : 10;
    expect((await submit(file, "--timeout", "20s")).code).toBe(code);
    expect(service.begunUploads).toBe(1);
    expect(await history("--unknown")).toMatchObject({ code, rows: [{ key: service.uploads[0]?.key }] });
    expect((await submit(file)).code).toBe(keepsKeys ? 0 : 10);
    expect(service.begunUploads).toBe(keepsKeys ? 2 : 1);
    expect(new Set(service.uploads.map(({ key }) => key)).size).toBe(1);
    expect(service.jobs).toHaveLength(1);
  }
}

describe("a submission that was refused", () => {
  const STATUSES = [
    ...[422, 400, 401, 402, 403, 404, 405, 407, 410, 411, 412, 413, 414, 415, 417, 421, 425, 426, 428],
    ...[431, 451, 501, 505, 511],
  ];
  itEachFirst(STATUSES.map((status) => [status]))("with %i", (status) => expectRefused(() => refuse(status)));

  it("with 429 and a pause that is too long", () =>
    expectRefused(() => refuse(429, { "retry-after": "3600" })));

  it("with a page of a proxy and 403", () => expectRefused(() => sendPage(403, false)));

  it("with 409, because its key belongs to other content", () =>
    expectRefused(() =>
      refuse(
        409,
        { "content-type": "application/problem+json" },
        { code: "idempotency_key_reused", title: "reused" },
      ),
    ));
});

it.each([
  ["code", { code: "idempotency_key_reused", title: "reused" }],
  ["type", { type: "https://service.example/problems/idempotency-key-reused", title: "reused" }],
])(
  "a submission whose key belongs to other content says to take another key, by the %s of the problem",
  async (_, body) => {
    for (const status of [409, 422]) {
      const { file, service, submit } = await setUp();
      service.react(refuse(status, { "content-type": "application/problem+json" }, body));
      const result = await submit(file, "--idempotency-key", "k-1", "--json");
      expect([result.code, errorOf(result).code]).toEqual([5, "idempotency_key_reused"]);
      expect(errorOf(result).hint).toMatch(/another key.*--idempotency-key/);
      expect(errorOf(result).hint).not.toContain("diligence status");
    }
  },
);

describe("a submission whose outcome is unknown", () => {
  const STATUSES = [
    ...[502, 300, 303, 304, 305, 306, 406, 408, 409, 416, 418, 419, 420, 423, 424, 427, 430, 444, 499],
    ...[500, 503, 504, 506, 507, 508, 510, 520, 522, 530, 598, 599],
  ];
  itEachFirst(STATUSES.map((status) => [status]))("after %i", (status) =>
    expectUnknown(() => executeAndRespond(status)),
  );

  const IN_USE = { code: "idempotency_key_in_use", title: "The request is still running" };

  it.each<[string, Reaction]>([
    ["409 for a key in use", executeAndRespond(409, {}, IN_USE)],
    ["409 for a key in use with Retry-After", executeAndRespond(409, { "retry-after": "0" }, IN_USE)],
    ["409 with another code", executeAndRespond(409, {}, { code: "conflict", title: "conflict" })],
    ["409 with text alone", executeAndRespond(409, {}, { message: "the key belongs to other content" })],
    ["409 with a page", sendPage(409, true)],
    ["503 with Retry-After", executeAndRespond(503, { "retry-after": "0" })],
    ["503 with a page", sendPage(503, true)],
    ["408 with Retry-After", executeAndRespond(408, { "retry-after": "0" })],
  ])("after %s", (_, reaction) => expectUnknown(() => reaction));
});

const REDIRECTS = [[307], [301], [302], [308]] as const;

describe("a redirected submission", () => {
  describeEachFirst(REDIRECTS)("with %i", (status) => {
    itEachFirst<readonly [string, (url: string, port: number) => string]>([
      ["scheme", (url) => `${url.replace("http:", "https:")}${SUBMIT_PATH}`],
      ["host", (url) => `${url.replace("127.0.0.1", "localhost")}${SUBMIT_PATH}`],
      ["port", (_, port) => `http://127.0.0.1:${port === 65_535 ? 1 : port + 1}${SUBMIT_PATH}`],
      ["scheme, without its port", () => `https://127.0.0.1${SUBMIT_PATH}`],
      ["slash at the end", (url) => `${url}${SUBMIT_PATH}/`],
      ["slash at the end of a path", () => `${SUBMIT_PATH}/`],
      ["scheme, host and slash", () => `https://api.example.test${SUBMIT_PATH}/`],
    ])("was refused, because the base URL has another %s", (_, toLocation) =>
      expectRefused(({ url, port }) => refuse(status, { location: toLocation(url, port) })),
    );

    itEachFirst<readonly [string, (url: string) => string | undefined]>([
      ["the same URL", (url) => `${url}${SUBMIT_PATH}`],
      ["the same path", () => SUBMIT_PATH],
      ["another path", () => "/jobs/1"],
      ["another path of another host", () => "https://login.example.test/"],
      ["the same path with a query", () => `${SUBMIT_PATH}?again=1`],
      ["the same path in capitals", () => SUBMIT_PATH.toUpperCase()],
      ["two slashes at the end", () => `${SUBMIT_PATH}//`],
      ["a path below", () => `${SUBMIT_PATH}/1`],
      ["text that is not a URL", () => "http://[/"],
      ["nothing", () => undefined],
    ])("has an unknown outcome: to %s", (_, toLocation) =>
      expectUnknown(({ url }) => {
        const location = toLocation(url);
        return executeAndRespond(status, location === undefined ? {} : { location });
      }),
    );
  });

  it.each([300, 303, 304, 305])("with %i has an unknown outcome, also to another scheme", (status) =>
    expectUnknown(({ url }) =>
      executeAndRespond(status, { location: `${url.replace("http:", "https:")}${SUBMIT_PATH}` }),
    ),
  );
});

it("names the job of a 409 to a submission", async () => {
  const { file, history, service, submit } = await setUp({ keepsKeys: false });
  service.react(executeAndRespond(409, {}, { message: "already submitted", jobId: "J-7" }));
  const { stderr } = await submit(file, "--timeout", "20s");
  expect(stderr).toContain("--job-id J-7");
  expect((await history("--unknown")).code).toBe(10);
});

describe("409 to another write", () => {
  const create = ["clients", "create", "--name", "A client", "--importer-number", "98-7654321"];

  it("was refused if it is about the record", async () => {
    const { claims, history, service } = await setUp();
    service.react(refuse(409, {}, { code: "exists", title: "The client exists" }));
    expect((await claims(create)).code).toBe(5);
    expect(await history("--unknown")).toEqual({ code: 0, rows: [] });
  });

  it.each<[string, Reaction]>([
    ["has Retry-After", executeAndRespond(409, { "retry-after": "0" }, { code: "conflict" })],
    ["names the key", executeAndRespond(409, {}, { title: "The Idempotency-Key is in use" })],
  ])("has an unknown outcome if it %s", async (_, reaction) => {
    const { claims, history, service } = await setUp();
    service.react(reaction);
    expect((await claims(create)).code).toBe(10);
    expect((await history("--unknown")).rows).toHaveLength(1);
    expect((await claims(create)).code).toBe(10);
    expect(service.begunUploads).toBe(1);
  });
});

it("a batch of submissions with each kind of status makes one job of each file over two runs", async () => {
  for (const keepsKeys of [true, false]) {
    const { batch, home, service, write } = await setUp({ keepsKeys });
    const names = Array.from({ length: 7 }, (_, number) => `${number}.csv`);
    for (const [number, name] of names.entries()) write(name, toEntryFile(number + 1));
    const manifest = write("manifest.csv", `file\n${names.join("\n")}\n`);
    const statuses = [422, 409, 303, 406, 408, 425];
    const refused = [422, 425];
    service.react(
      ...statuses.map((status) => (refused.includes(status) ? refuse(status) : executeAndRespond(status))),
    );
    expect([5, 6, 10], home).toContain((await batch(manifest, "--concurrency", "1")).code);
    await batch(manifest, "--concurrency", "1");
    expect((await batch(manifest)).code).toBe(keepsKeys ? 0 : 10);
    expect(new Set(service.jobs.map(({ sha256 }) => sha256)).size).toBe(7);
    expect(service.jobs).toHaveLength(7);
  }
});
