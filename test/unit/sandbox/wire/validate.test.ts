import { expect, it } from "vitest";
import { ALL_OPERATIONS } from "../../../../src/contract/operations/operations.ts";
import { sandboxForTest } from "../../../support/sandbox.ts";
import { call, post } from "../../../support/sandbox-requests.ts";

const ENDPOINT = {
  label: "Receiver",
  url: "http://127.0.0.1:9/hook",
  subscribedEvents: ["partner.test"],
  environmentScope: "sandbox",
};

/** Sends an invalid request and returns its errors, each with its pointer, code and detail. */
async function listErrors(path: string, body?: unknown): Promise<string[]> {
  const sandbox = await sandboxForTest();
  const response = body === undefined ? await call(sandbox, path) : await post(sandbox, path, body);
  expect(response.status).toBe(422);
  const { errors } = response.body as { errors: Record<string, string>[] };
  return errors.map(({ pointer, parameter, code, detail }) => `${pointer ?? parameter} ${code} ${detail}`);
}

it.each([
  ["null", null, " wrong_type The body: must be an object."],
  [
    "a long text",
    { ...ENDPOINT, label: "x".repeat(201) },
    "/label too_long label: must have at most 200 characters.",
  ],
  [
    "a string that does not match its pattern",
    { ...ENDPOINT, subscribedEvents: ["ok.event", "Nope"] },
    "/subscribedEvents/1 malformed subscribedEvents/1: must be an event name: lower-case words with dots between them, no wildcard.",
  ],
  ["a name with a slash", { ...ENDPOINT, "a/b~c": 1 }, "/a~1b~0c unknown_field a~1b~0c: unknown field."],
])("422 for a body that does not match its schema lists the error of %s", async (_, body, expected) => {
  expect(await listErrors("/v1/webhooks/endpoints", body)).toEqual([expected]);
});

/** Operations that read a JSON body, including those that accept only an empty one. */
const READ_JSON = ALL_OPERATIONS.filter(
  ({ method, request }) => method !== "GET" && (!request || request.kind === "json"),
);

it.each(
  READ_JSON.flatMap(({ id, method, path, legacyPath }) =>
    [path, legacyPath].flatMap((each) => (each ? [[`${id} at ${each}`, method, each] as const] : [])),
  ),
)("422 for a body that is nested too deep is the response of %s", async (_, method, path) => {
  const failures: unknown[] = [];
  const sandbox = await sandboxForTest({ onError: (error) => failures.push(error) });
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  const target = path.replace(/\{\w+\}/g, "00000000-0000-4000-8000-000000000000");
  for (const body of [deep, `{"label":${deep}}`, '{"a":'.repeat(20_000) + "1" + "}".repeat(20_000)])
    expect(
      await post(sandbox, target, null, { method, body, headers: { "idempotency-key": "deep" } }),
    ).toMatchObject({
      status: 422,
      body: {
        errors: [{ pointer: "", code: "too_deep", detail: "The body is nested more than 500 levels deep." }],
      },
    });
  expect(failures).toEqual([]);
});

it.each([
  ["limit=0", ["limit out_of_range limit: must be at least 1."]],
  ["limit=201", ["limit out_of_range limit: must be at most 200."]],
  ["limit=ten", ["limit wrong_type limit: must be a whole number."]],
  ["limit=1&limit=2", ["limit duplicate limit: given more than once."]],
  ["status=done", ["status not_allowed status: must be one of queued, delivered, retrying, failed."]],
  ["endpointId=e-1", ["endpointId malformed endpointId: must be the UUID of an endpoint."]],
  ["page=2", ["page unknown_field page: unknown parameter."]],
])("422 for a query that does not match its schema lists the errors of %s", async (query, expected) => {
  expect(await listErrors(`/v1/webhook-deliveries?${query}`)).toEqual(expected);
});

it("an operation without a query refuses any parameter", async () => {
  const event = { eventType: "partner.test", environment: "sandbox" };
  expect(await listErrors("/v1/sandbox/webhooks/test?endpointId=e-1", event)).toEqual([
    "endpointId unknown_field endpointId: unknown parameter.",
  ]);
});
