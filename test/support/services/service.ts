import { json, type RunningService, startServer, type WireResponse } from "./server.ts";

/** The status route knows this job, and those that were submitted. */
export const JOB_ID = "3f2b8c1e-7d54-4a1b-9e6f-0c5d2a8b4e71";

const STATES = ["waiting", "in_progress", "done"];
const CLIENT = { id: "c0a8e1d2-0000-4000-8000-000000000001", name: "Acme Imports" };
const ENDPOINT = {
  id: "e0a8e1d2-0000-4000-8000-000000000001",
  secretPrefix: "whsec_forei",
  signingSecret: "whsec_foreign_service_0123456789",
};

const notFound = (text: string): WireResponse => json(404, { detail: text });

/** What the tests of foreign responses need besides them, with names, states and envelopes of its own. */
export function startService(): Promise<RunningService> {
  const reads = new Map<string, number>([[JOB_ID, STATES.length]]);
  return startServer(({ method, path, headers }) => {
    if (headers.authorization === undefined) return json(401, { detail: "Credentials are required" });
    const [, route, id = ""] = /^\/v1\/diligence\/(status|report|dataset)\/([^/]+)$/.exec(path) ?? [];
    const count = reads.get(id);
    if (route !== undefined && count === undefined) return notFound(`Unknown job ${id}`);
    reads.set(id, (count ?? 0) + 1);
    switch (`${method} ${route ?? path}`) {
      case "POST /v1/diligence/submit": {
        const jobId = `5ab3c1de-0000-4000-8000-${String(reads.size).padStart(12, "0")}`;
        reads.set(jobId, 0);
        return json(202, { job: { job_id: jobId, status: STATES[0] } });
      }
      case "GET status":
        return json(200, { job: { id, status: STATES[count ?? 0] ?? STATES.at(-1) } });
      case "GET report":
        return json(200, { report: { jobId: id, rf8Review: { outcome: "eligible", reasons: [] } } });
      case "GET dataset":
        return json(200, { jobId: id, rows: [{ entryNumber: "ABC-1234567-8", dutyPaid: "129.90" }] });
      case "GET /v1/clients":
        return json(200, { count: 1, next: null, previous: null, results: [CLIENT] });
      case "POST /v1/clients":
        return json(201, { client: CLIENT });
      case "POST /v1/webhooks/endpoints":
        return json(201, { endpoint: ENDPOINT });
      default:
        return notFound(`No route ${method} ${path}`);
    }
  });
}
