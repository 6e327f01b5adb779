import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { type Exchange, findRoute } from "../../src/contract/service-form/learn/samples.ts";
import type { ObservedService } from "../../src/contract/observed/observed-service.ts";
import { listFieldPlaces } from "../../src/contract/observed/places.ts";
import { isRecord, parseJsonText } from "../../src/domain/json.ts";
import { runCli } from "../support/cli.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { callOtherService, startOtherService } from "../support/other-service.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import { saveHar } from "../support/service-script.ts";
import { hasProgram } from "../support/shells.ts";

/** A service, and what differs from what we assume: operation, subject and what was seen. */
const SERVICES: readonly {
  readonly file: string;
  readonly choice: string;
  readonly differences: readonly (readonly [operation: string, subject: string, seen: string])[];
  readonly types?: readonly (readonly [operation: string, type: string])[];
}[] = [
  {
    file: "snake_case.py",
    choice: "has names in snake_case",
    differences: [
      ["clients.list", "data", "clients"],
      ["claims.list", "data", "claims"],
      ["webhooks.deliveries", "data", "deliveries"],
      ["clients.list", "data[].id", "client_id: text:uuid"],
      ["clients.list", "data[].createdAt", "created_at: text:date-time-offset"],
      ["diligence.status", "jobId", "job_id: text:uuid"],
      ["diligence.status", "404 job_not_found", "an error as other"],
    ],
  },
  {
    file: "enveloped.py",
    choice: "has every response in an envelope, and refuses with 400",
    differences: [
      ["clients.list", "data", "entries"],
      ["webhooks.endpoints", "data", "entries"],
      ["*", "400 malformed_request", "an error as other"],
      ["*", "code", "an error as other"],
    ],
  },
  {
    file: "csv_dataset.py",
    choice: "has a dataset in CSV, refusals in plain text, and the times of HTTP headers",
    differences: [
      ["clients.list", "data", "a bare list"],
      ["clients.list", "data[].createdAt", "createdAt: text"],
      ["diligence.status", "404 job_not_found", "an error as text"],
    ],
    types: [["diligence.dataset", "text/csv"]],
  },
  {
    file: "hypermedia.mjs",
    choice: "has hypermedia documents",
    differences: [
      ["diligence.status", "jobId", "id: text:uuid"],
      ["clients.list", "data", "clients"],
      ["diligence.dataset", "rows", "_embedded.rows: array"],
      ["diligence.status", "404 job_not_found", "an error as message"],
    ],
    types: [["clients.list", "application/hal+json"]],
  },
  {
    file: "empty-bodies.mjs",
    choice: "has no body in the response to a write",
    differences: [
      ["clients.list", "data", "a bare list"],
      ["clients.list", "data[].createdAt", "createdAt: integer:seconds"],
      ["diligence.status", "404 job_not_found", "an error as other"],
    ],
  },
];

const isRun = ({ file }: { readonly file: string }, index: number): boolean =>
  (IS_EXHAUSTIVE || index === 0) && (!file.endsWith(".py") || hasProgram("python3"));

describe("contract learn of a service that is not ours", () => {
  it.each(SERVICES.filter(isRun))("$file: $choice", async ({ file, differences, types = [] }) => {
    const { url, env } = await startOtherService(file);
    const { exchanges, ids } = await callOtherService({ url });
    const learn = async (...args: string[]): Promise<ObservedService> => {
      const result = await runCli(["contract", "learn", "--json", ...args], { env });
      expect(result.code, result.stderr).toBe(0);
      return JSON.parse(result.stdout);
    };
    const fromReads = await learn("--job", ids.jobId);
    const fromRecording = await learn("--har", saveHar(exchanges));
    for (const service of [fromReads, fromRecording]) {
      const differing = service.assumptions.flatMap(({ operation, subject, status, seen }) =>
        status === "differs" ? seen.map((each) => [operation, subject, each].join(" ")) : [],
      );
      const missing = differences.map((each) => each.join(" ")).filter((each) => !differing.includes(each));
      expect(missing).toEqual([]);
      const seenTypes = service.responses.map(({ operation, type }) => [operation, type]);
      expect(seenTypes).toEqual(expect.arrayContaining([...types]));
    }
    const writes = fromRecording.responses.filter(({ operation }) => /submit|create/.test(operation));
    expect(writes.length).toBeGreaterThan(2);
    // Documented fields are found as documented.
    const endpoints = fromReads.fields.filter(({ place, name }) => place === "Endpoint" && name !== null);
    for (const { field, name } of endpoints) expect(name).toBe(field);
    const kept = JSON.stringify([fromReads, fromRecording]);
    const identifying =
      /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}|whsec_\w{20,}|Harbor|North Pier|sk_of_another/g;
    const values = new Set(JSON.stringify(exchanges).match(identifying));
    expect(values.size).toBeGreaterThan(5);
    expect([...values].filter((value) => kept.includes(value))).toEqual([]);
  });
});

const SANDBOX = { frozenAt: "2026-11-20T00:00:00Z" };

const callSandbox = (sandbox: Sandbox, ids?: Awaited<ReturnType<typeof callOtherService>>["ids"]) =>
  callOtherService({
    url: sandbox.url,
    apiKey: sandbox.credentials.sandbox.apiKey,
    proceed: () => sandbox.clock.advance("1s"),
    ...(ids && { ids }),
  });

describe("sandbox --like of a service that is not ours", () => {
  it.each(SERVICES.filter(isRun))("lists exactly what it does not imitate of $file", async ({ file }) => {
    const { url, env } = await startOtherService(file);
    const real = await callOtherService({ url });
    const { ids } = await callSandbox(await sandboxForTest(SANDBOX));
    const recording = ["--har", saveHar(real.exchanges)];
    for (const args of IS_EXHAUSTIVE ? [recording, ["--job", real.ids.jobId]] : [recording]) {
      const learned = await runCli(["contract", "learn", "--json", ...args], { env });
      const like: ObservedService = JSON.parse(learned.stdout);
      const sandbox = await sandboxForTest({ ...SANDBOX, like });
      const imitation = await callSandbox(sandbox, ids);
      const differing = new Set<string>();
      for (const [index, exchange] of real.exchanges.entries()) {
        const operation = findRoute(exchange.method, exchange.path)?.operation.id ?? "";
        const own = imitation.exchanges[index];
        const { status } = exchange;
        // What only a write can show is not learned from reads.
        if (!like.responses.some((each) => each.operation === operation && each.status === status)) continue;
        if (own && compareForms(exchange, own, like)) differing.add(`${operation} ${status}`);
      }
      const listed = (sandbox.like?.notImitated ?? []).map(({ subject }) => subject);
      expect(listed.length).toBeGreaterThan(3);
      const unlisted = [...differing].filter((key) => !listed.some((subject) => isAbout(subject, key)));
      expect(unlisted, "differs, and is not listed").toEqual([]);
      const imitated = listed.filter((subject) => ![...differing].some((key) => isAbout(subject, key)));
      expect(imitated, "is listed, and does not differ").toEqual([]);
    }
  });
});

const PLACES = listFieldPlaces();

/** Whether a line of the list says something of the responses of an operation with a status. */
function isAbout(subject: string, key: string): boolean {
  const [operation = "", status = ""] = key.split(" ");
  if (subject === "Error" || subject.startsWith("Error.")) return Number(status) >= 400;
  const own = PLACES.filter((each) => each.operation === operation).map(({ place }) => place);
  const names = [operation, `${operation} document`, ...own];
  return names.some((name) => subject === name || subject.startsWith(`${name}.`));
}

/** Whether two responses differ in more than values: ids, times, amounts, texts, and what may be null. */
function compareForms(real: Exchange, own: Exchange, { unknownFields }: ObservedService): boolean {
  const typeOf = ({ headers }: Exchange) =>
    headers.find(([name]) => name === "content-type")?.[1]?.split(";")[0];
  if (real.status !== own.status || typeOf(real) !== typeOf(own)) return true;
  const [seen, sent] = [listForms(real.body), listForms(own.body)];
  const isNullable = (path: string) => seen.get(path)?.has("null") || sent.get(path)?.has("null");
  // An unknown field belongs to every record of its kind, also where one response did not have it.
  const isUnknown = (path: string) => {
    const name = path.split(".").at(-1);
    return unknownFields.some((each) => each.name === name) || /\.unknown_\d$/.test(path);
  };
  const isMissing = [...seen].some(
    ([path, forms]) =>
      !sent.has(path) || (!isNullable(path) && ![...forms].some((form) => sent.get(path)?.has(form))),
  );
  return isMissing || [...sent.keys()].some((path) => !seen.has(path) && !isUnknown(path));
}

/** Path → forms of its values. The items of a list have one path. */
function listForms(body: string): Map<string, Set<string>> {
  const forms = new Map<string, Set<string>>();
  const add = (path: string, value: unknown): void => {
    const known = forms.get(path) ?? new Set();
    forms.set(path, known.add(formOf(value)));
    if (Array.isArray(value)) for (const item of value) add(`${path}[]`, item);
    else if (isRecord(value))
      for (const [name, inner] of Object.entries(value)) add(`${path}.${name}`, inner);
  };
  add("", parseJsonText(body) ?? body);
  return forms;
}

const TEXT_FORMS: readonly (readonly [form: string, pattern: RegExp])[] = [
  ["uuid", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ["time", /^\d{4}-\d{2}-\d{2}T.*Z$/],
  ["time with offset", /^\d{4}-\d{2}-\d{2}T.*[+-]\d{2}:\d{2}$/],
  ["integer in text", /^\d+$/],
  ["decimal in text", /^\d+\.\d+$/],
];

function formOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "string") return typeof value;
  return TEXT_FORMS.find(([, pattern]) => pattern.test(value))?.[0] ?? "text";
}
