import { OPERATIONS } from "../../src/contract/operations.ts";

/** Of a job, on the surface that the request used: X-API-Key works on the compatibility paths only (interface §5.2). */
export function statusPath(jobId: string, legacy: boolean): string {
  const { path, legacyPath } = OPERATIONS.diligence.status;
  return (legacy ? legacyPath : path).replace("{jobId}", jobId);
}
