import type { ForeignResponse, Readings } from "./foreign-response.ts";
import { json, type WireResponse } from "./server.ts";
import { JOB_ID } from "./service.ts";

const accepted = (
  name: string,
  source: string,
  response: WireResponse,
  jobId: string = JOB_ID,
): ForeignResponse => ({ name, source, ...response, readings: { submission: "accepted" }, jobId });

const unknownId = (name: string, source: string, response: WireResponse): ForeignResponse => ({
  name,
  source,
  ...response,
  readings: { submission: "accepted with unknown id", write: "done" },
});

const OTHER_UUID = "b1946ac9-2f3d-4e6a-9c58-7d0e1f2a3b4c";

/** Responses to a submission that do come from the service. */
export const SUBMISSIONS: readonly ForeignResponse[] = [
  accepted("202 with jobId", "the sandbox's form", json(202, { jobId: JOB_ID, status: "queued" })),
  accepted("201 with id", "REST frameworks", json(201, { id: JOB_ID, type: "diligence" })),
  accepted("a job id that is no UUID", "sequences", json(202, { jobId: "DJ-2026-000123" }), "DJ-2026-000123"),
  accepted(
    "a job id above 2^53",
    "Snowflake ids",
    { ...json(202, {}), body: '{"id":1729382256910270465}' },
    "1729382256910270465",
  ),
  accepted(
    "submissionId, the only UUID",
    "another name",
    json(202, { submissionId: JOB_ID, state: "received" }),
  ),
  accepted(
    "a UUID in an envelope",
    "JSON:API",
    json(202, { data: { type: "jobs", id: JOB_ID, attributes: { state: "queued" } } }),
  ),
  accepted("empty 202 with Location of the status route", "RFC 9110 §15.3.3", {
    status: 202,
    headers: { location: `/v1/diligence/status/${JOB_ID}` },
  }),
  accepted(
    "201 with a body without an id and a Location",
    "REST frameworks",
    json(201, { status: "queued" }, { location: `/v1/diligence/status/${JOB_ID}` }),
  ),
  accepted(
    "JSON as text/plain",
    "hand-written handlers",
    json(202, { jobId: JOB_ID }, { "content-type": "text/plain; charset=utf-8" }),
  ),
  accepted(
    "vendor JSON",
    "media types with a suffix",
    json(202, { jobId: JOB_ID }, { "content-type": "application/vnd.claims.v1+json" }),
  ),
  unknownId("202 with an empty object", "frameworks that send an object always", json(202, {})),
  unknownId(
    "202 with an object and Location: /login",
    "single sign-on",
    json(202, { status: "ok" }, { location: "/login" }),
  ),
  unknownId("202 with a request id only", "gateways", json(202, { requestId: OTHER_UUID, status: "queued" })),
  unknownId(
    "202 with a UUID that the status route does not know",
    "other names",
    json(202, { correlation: "x", batch: OTHER_UUID }),
  ),
  unknownId("202 with two UUIDs", "other names", json(202, { submission: JOB_ID, batch: OTHER_UUID })),
];

const job = (name: string, source: string, value: unknown, readings: Readings): ForeignResponse => ({
  name,
  source,
  ...json(200, value),
  readings,
});

/** Jobs whose fields differ. */
export const JOBS: readonly ForeignResponse[] = [
  job("id under job_id", "snake case", { job_id: JOB_ID, state: "in_progress" }, { status: "job" }),
  job("record in data", "envelopes", { data: { id: JOB_ID, status: "processing" } }, { status: "job" }),
  job("an unknown state", "other words", { jobId: JOB_ID, status: "AWAITING_REVIEW" }, { status: "job" }),
  job("no state", "other names", { jobId: JOB_ID, phase: 3 }, { status: "job" }),
];
