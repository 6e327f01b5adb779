import { json, type RunningService, startServer } from "./server.ts";

/** The job that the service has. */
export const JOB_ID = "3f2b8c1e-7d54-4a1b-9e6f-0c5d2a8b4e71";

const JOB = { job: { id: JOB_ID, status: "done" } };
const REPORT = { report: { jobId: JOB_ID, rf8Review: { outcome: "eligible", reasons: [] } } };

/** What the tests of foreign responses need besides them, with names, states and envelopes of its own. */
export function startService(): Promise<RunningService> {
  return startServer(({ method, path, headers }) => {
    if (headers.authorization === undefined) return json(401, { detail: "Credentials are required" });
    if (method === "GET" && path === `/v1/diligence/status/${JOB_ID}`) return json(200, JOB);
    if (method === "GET" && path === `/v1/diligence/report/${JOB_ID}`) return json(200, REPORT);
    return json(404, { detail: `No route ${method} ${path}` });
  });
}
