import { describe, expect, it } from "vitest";
import type { ObservedService } from "../../src/contract/observed/observed-service.ts";
import { runCli } from "../support/cli.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { callOtherService, startOtherService } from "../support/other-service.ts";
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
      ["webhooks.deliveries", "data", "deliveries"],
      ["clients.list", "data[].id", "client_id: text:uuid"],
      ["clients.list", "data[].createdAt", "created_at: text:date-time-offset"],
      ["diligence.status", "jobId", "job_id: text:uuid"],
      ["diligence.status", "state", "current_state: text"],
      ["diligence.status", "404 job_not_found", "an error as other"],
    ],
  },
  {
    file: "enveloped.py",
    choice: "has every response in an envelope, and refuses with 400",
    differences: [
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
    const { exchanges, jobId } = await callOtherService({ url });
    const learn = async (...args: string[]): Promise<ObservedService> => {
      const result = await runCli(["contract", "learn", "--json", ...args], { env });
      expect(result.code, result.stderr).toBe(0);
      return JSON.parse(result.stdout);
    };
    const fromReads = await learn("--job", jobId);
    const fromRecording = await learn("--har", saveHar(exchanges));
    for (const service of [fromReads, fromRecording]) {
      const differing = service.assumptions.flatMap(({ operation, subject, status, seen }) =>
        status === "differs" ? seen.map((each) => [operation, subject, each]) : [],
      );
      expect(differing).toEqual(expect.arrayContaining([...differences]));
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
