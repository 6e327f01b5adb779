import { expect, it } from "vitest";
import { createLearner } from "../../../../../src/contract/service-form/learn/learner.ts";
import type { Exchange } from "../../../../../src/contract/service-form/learn/samples.ts";

const ID = (number: number) => `7d9c1f3e-5b7a-4d83-9a1c-${String(number).padStart(12, "0")}`;
const SELF = "https://api.portline.example";

const exchange = (method: string, path: string, status: number, body: unknown, more = {}): Exchange => ({
  ...{ method, path, status, headers: [["Content-Type", "application/json"]], at: 1_795_132_806_000 },
  body: body === undefined ? "" : JSON.stringify(body),
  ...more,
});

function learn(
  exchanges: readonly Exchange[],
  deliveries: Parameters<ReturnType<typeof createLearner>["addDelivery"]>[] = [],
) {
  const learner = createLearner();
  for (const each of exchanges) expect(learner.add(each)).toBe(true);
  for (const each of deliveries) learner.addDelivery(...each);
  const { evidence: _, ...form } = learner.finish("0".repeat(64));
  return form;
}

const poll = ([job, stage, step, ended]: readonly [number, string, number, string | null]) =>
  exchange("GET", `/v1/diligence/status/${ID(job)}`, 200, {
    ...{ jobId: ID(job), stage, step, isOver: ended !== null, ended, rows: step * 3 + job },
  });
const END = "2026-11-20T10:00:00+01:00";
const POLLS = [
  [1, "new", 0, null],
  [1, "busy", 10, null],
  [1, "ready", 20, END],
  [1, "ready", 20, END],
  [1, "ready", 20, END],
  [2, "new", 0, null],
  [2, "partial", 30, END],
  [3, "new", 0, null],
  [3, "failed", 40, END],
] as const;
const REPORT = exchange("GET", `/v1/diligence/report/${ID(1)}`, 200, { jobId: ID(1), rf8Review: {} });

it("learns which fields the state of a job decides, and when it ended", () => {
  const { records, operations } = learn([...POLLS.map(poll), REPORT]);
  const words = { queued: "new", processing: "busy", completed: "ready" };
  expect(records?.Job).toMatchObject({
    fields: { state: { at: "stage", words }, finishedAt: "ended" },
    derived: {
      step: { from: "state", words: { queued: 0, processing: 10, completed: 20, partial: 30, failed: 40 } },
      isOver: {
        from: "state",
        words: { queued: false, processing: false, completed: true, partial: true, failed: true },
      },
    },
  });
  // It differs between two jobs of one state, so the state does not decide it.
  expect(operations?.["diligence.status"]?.extras).toEqual({ rows: "integer" });
});

it("does not take a field for decided where two states have the same number", () => {
  const same = POLLS.map(([job, stage, , ended]) => poll([job, stage, ended === null ? 0 : 100, ended]));
  expect(learn([...same, REPORT]).records?.Job?.derived).not.toHaveProperty("step");
});

it("learns the Location of a record, with or without the origin, and no path that is not of the contract", () => {
  const created = (number: number, location: string) =>
    exchange(
      "POST",
      "/v1/clients",
      201,
      { id: ID(number), name: "Acme" },
      { headers: [["Location", location]] },
    );
  const locationOf = (write: (id: string) => string) =>
    learn([1, 2].map((number) => created(number, write(ID(number))))).operations?.["clients.create"]
      ?.location;
  expect(locationOf((id) => `/v1/clients/${id}`)).toBe("/v1/clients/{id}");
  expect(locationOf((id) => `${SELF}/v1/clients/${id}`)).toBe("{origin}/v1/clients/{id}");
  expect(locationOf((id) => `/acme-imports/${id}`)).toBeUndefined();
  expect(locationOf(() => `/v1/clients/${ID(9)}`)).toBeUndefined();
});

it("learns that keys are ignored, if one key made two jobs", () => {
  const submit = (job: number, idempotencyKey: string) =>
    exchange("POST", "/v1/diligence/submit", 202, { jobId: ID(job) }, { idempotencyKey });
  expect(learn([submit(1, "a"), submit(2, "a")]).idempotencyKeys).toBe("ignored");
  for (const kept of [
    [submit(1, "a"), submit(1, "a")],
    [submit(1, "a"), submit(2, "b")],
    [submit(1, "a"), submit(2, "a"), submit(3, "b"), submit(3, "b")],
  ])
    expect(learn(kept).idempotencyKeys).toBeUndefined();
});

it("learns the number, the size and the URL of a page, and that links have the origin", () => {
  const page = (query: string, number: number, size: number, next: string | null) =>
    exchange("GET", `/v1/clients${query}`, 200, {
      list: Array.from({ length: size }, (_, index) => ({ id: ID(10 * number + index), name: "Acme" })),
      ...{ number, size, self: `${SELF}/v1/clients?page=${number}&size=${size}` },
      next: next && SELF + next,
    });
  const { operations } = learn([
    page("", 0, 4, "/v1/clients?page=1&size=4"),
    page("?page=1&size=3", 1, 3, "/v1/clients?page=2&size=3"),
    page("?page=2&size=3", 2, 3, null),
  ]);
  expect(operations?.["clients.list"]?.paging).toEqual({
    ...{ kind: "page", parameter: "page", size: "size", rows: 4, first: 0 },
    ...{ current: "number", count: "size", self: "self", next: "next", isUrl: true, isAbsolute: true },
  });
});

it("takes the second page of two rows for a page or an offset only if there is a number of pages", () => {
  const client = (number: number) => ({ id: ID(number), name: `Client ${number}` });
  const pagingOf = (pages?: number) => {
    const rows = [1, 2, 3, 4, 5].map(client);
    const send = (query: string, list: object[]) =>
      exchange("GET", `/v1/clients${query}`, 200, { list, ...(pages && { pages }) });
    const exchanges = [send("", rows.slice(0, 3)), send("?p=2&n=2", rows.slice(2, 4)), send("?n=9", rows)];
    return learn(exchanges).operations?.["clients.list"]?.paging;
  };
  expect(pagingOf(2)).toMatchObject({ kind: "page", parameter: "p", size: "n", pages: "pages" });
  expect(pagingOf()).toBeUndefined();
});

it("gives a list without a next page the paging of the others only if its envelope has the same members", () => {
  const item = { id: ID(1), name: "Acme" };
  const first = exchange(
    "GET",
    "/v1/clients?n=1",
    200,
    { list: [item], after: "YWJj" },
    {
      headers: [["Link", '</v1/clients?n=1&from=YWJj>; rel="next"']],
    },
  );
  const pagingOf = (beside: object) => {
    const claims = exchange("GET", "/v1/claims", 200, { list: [{ id: ID(2), status: "open" }], ...beside });
    return learn([first, claims]).operations?.["claims.list"]?.paging;
  };
  expect(pagingOf({ after: null })).toMatchObject({ parameter: "from", next: "after" });
  expect(pagingOf({})).toBeUndefined();
});

it("learns the written status, its phrase and the path of an error", () => {
  const missing = [1, 2].map((number) =>
    exchange("GET", `/v1/diligence/status/${ID(number)}`, 404, {
      ...{ code: "NO_JOB", text: `No job ${number}.`, status: "404", title: "Not Found" },
      path: `/v1/diligence/status/${ID(number)}`,
    }),
  );
  const refused = exchange("GET", "/v1/clients", 401, {
    ...{
      code: "BAD_KEY",
      text: "The key is wrong.",
      status: "401",
      title: "Unauthorized",
      path: "/v1/clients",
    },
  });
  expect(learn([...missing, refused]).errors).toMatchObject({
    ...{ code: "code", message: "text", status: "status", statusAs: "text", reason: "title", path: "path" },
  });
});

it("learns the type and the timestamp of deliveries", () => {
  const send = (timestamp: string) =>
    learn(
      [],
      [
        [
          [
            ["content-type", "application/cloudevents+json"],
            ["x-service-timestamp", timestamp],
          ],
          '{"id":"1","type":"partner.test"}',
          0,
        ],
      ],
    ).deliveries;
  expect(send("1795132806.125")).toMatchObject({
    ...{ contentType: "application/cloudevents+json", timestamp: "epoch-seconds-decimal-text" },
  });
  expect(send("20261120T000006Z")).toMatchObject({ timestamp: "iso-basic" });
});
