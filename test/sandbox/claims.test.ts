import { describe, expect, it } from "vitest";
import { createClaim, createClient, SAMPLE, sampleJob } from "../support/sample-claims.ts";
import { sandboxForTest } from "../support/sandbox.ts";
import {
  call,
  entriesCsv,
  listOtherCredentials,
  ordinaryEntryNumber,
  post,
  problemOf,
  readFixture,
  resume,
  scriptedEntryNumber,
  submissionForm,
  submit,
  submitAndSettle,
} from "../support/sandbox-requests.ts";

const PATH = "/v1/claims";
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

describe("POST /v1/claims", () => {
  it("creates an open claim with the amounts of the job's report", async () => {
    const sandbox = await sandboxForTest();
    const clientId = await createClient(sandbox);
    const jobId = await sampleJob(sandbox);
    const created = await post(sandbox, PATH, { clientId, jobId });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      ...SAMPLE,
      ...{ clientId, clientName: "Harbor & Pine Trading, LLC", jobId, status: "open", currency: "USD" },
      ...{ reviewOutcome: "conditional", financedAt: null, enrolledAt: null },
    });
    expect((await call(sandbox, PATH)).body).toEqual({ data: [created.body], nextCursor: null });
  });

  it("waits for a job that was just submitted", async () => {
    const sandbox = await sandboxForTest();
    const { body } = await submit(sandbox, submissionForm({ file: readFixture("sample_entries.csv") }));
    const created = await post(sandbox, PATH, { clientId: await createClient(sandbox), jobId: body.jobId });
    expect(created.body).toMatchObject(SAMPLE);
  });

  it("refuses a second claim for the same job", async () => {
    const sandbox = await sandboxForTest();
    const jobId = await sampleJob(sandbox);
    const id = await createClaim(sandbox, jobId);
    const repeated = await post(sandbox, PATH, { clientId: await createClient(sandbox), jobId });
    expect(problemOf(repeated)).toEqual({ status: 409, code: "job_already_claimed", at: ["/jobId"] });
    expect(repeated.body.detail).toContain(id);
  });

  it("refuses a partial or failed job until a resume completes it", async () => {
    const sandbox = await sandboxForTest();
    const clientId = await createClient(sandbox);
    for (const [digit, state] of [
      ["1", "partial"],
      ["2", "failed"],
    ] as const) {
      const jobId = await submitAndSettle(sandbox, {
        file: entriesCsv([ordinaryEntryNumber(1), scriptedEntryNumber(digit)]),
      });
      const refused = await post(sandbox, PATH, { clientId, jobId });
      expect(problemOf(refused)).toEqual({ status: 409, code: "job_not_completed", at: ["/jobId"] });
      expect(refused.body.detail).toContain(state);
      await resume(sandbox, jobId);
      expect((await post(sandbox, PATH, { clientId, jobId })).body).toMatchObject({ entryCount: 2 });
    }
  });

  it("refuses clients and jobs of other partners and environments", async () => {
    const sandbox = await sandboxForTest();
    const own = { clientId: await createClient(sandbox), jobId: await sampleJob(sandbox) };
    const unknown = async (body: object, token?: string) =>
      problemOf(await post(sandbox, PATH, body, token === undefined ? {} : { token }));
    const noClient = { status: 404, code: "client_not_found", at: ["/clientId"] };
    const noJob = { status: 404, code: "job_not_found", at: ["/jobId"] };
    expect(await unknown({ ...own, clientId: UNKNOWN_ID })).toEqual(noClient);
    expect(await unknown({ ...own, jobId: UNKNOWN_ID })).toEqual(noJob);
    for (const [, token] of listOtherCredentials(sandbox)) {
      expect(await unknown(own, token)).toEqual(noClient);
      const theirs = (await post(sandbox, "/v1/clients", { name: "Theirs" }, { token })).body.id;
      expect(await unknown({ ...own, clientId: theirs })).toEqual(noClient);
      expect(await unknown({ ...own, clientId: theirs }, token)).toEqual(noJob);
    }
  });
});

it("GET /v1/claims filters claims by client, job and status, newest first, in pages", async () => {
  const sandbox = await sandboxForTest();
  const jobId = await sampleJob(sandbox);
  const [first, second] = [await createClaim(sandbox, jobId), await createClaim(sandbox)];
  const listIds = async (query: string) =>
    ((await call(sandbox, `${PATH}?${query}`)).body.data as { id: string }[]).map(({ id }) => id);
  expect(await listIds("")).toEqual([second, first]);
  expect(await listIds(`jobId=${jobId}`)).toEqual([first]);
  expect(await listIds(`clientId=${await createClient(sandbox)}&status=open`)).toEqual([second, first]);
  expect(await listIds("status=financed")).toEqual([]);
  expect(await listIds(`clientId=${UNKNOWN_ID}`)).toEqual([]);
  const page = await call(sandbox, `${PATH}?limit=1`);
  expect(await listIds(`limit=1&cursor=${page.body.nextCursor}`)).toEqual([first]);
});

it("GET /v1/claims/status refuses an unknown claim, and a claim of another partner or environment", async () => {
  const sandbox = await sandboxForTest();
  const readProblem = async (query: string, token?: string) =>
    problemOf(await call(sandbox, `${PATH}/status${query}`, token === undefined ? {} : { token }));
  expect(await readProblem("")).toEqual({ status: 422, code: "validation_failed", at: ["claimId"] });
  const unknown = { status: 404, code: "claim_not_found", at: ["claimId"] };
  expect(await readProblem(`?claimId=${UNKNOWN_ID}`)).toEqual(unknown);
  const claimId = await createClaim(sandbox);
  for (const [, token] of listOtherCredentials(sandbox))
    expect(await readProblem(`?claimId=${claimId}`, token)).toEqual(unknown);
  expect(await readProblem(`?claimId=${claimId}&claimId=${claimId}`)).toMatchObject({ status: 422 });
  expect(await readProblem(`?claimId=${"x".repeat(101)}`)).toMatchObject({ status: 422, at: ["claimId"] });
});
