import type { Sandbox } from "../../sandbox/index.ts";
import { call, post, readFixture, submitAndSettle } from "./sandbox-requests.ts";

/** The amounts of `sample_entries.csv` on 2026-11-20, worked out by hand from its expected report; integer cents. */
export const SAMPLE = {
  entryCount: 200,
  ieepaDutyCents: 198_381_962,
  interestCents: 12_501_157,
  estimatedClaimCents: 210_883_119,
  litigationCents: 42_866_987,
  byGrade: {
    A: { entries: 73, claimCents: 82_143_792 },
    B: { entries: 68, claimCents: 77_225_382 },
    C: { entries: 38, claimCents: 42_378_147 },
    D: { entries: 9, claimCents: 9_135_798 },
    X: { entries: 12, claimCents: 0 },
  },
} as const;

export const sampleJob = (sandbox: Sandbox): Promise<string> =>
  submitAndSettle(sandbox, { file: readFixture("sample_entries.csv") });

/** The newest client that the caller has. */
export async function createClient(sandbox: Sandbox): Promise<string> {
  const { body } = await call(sandbox, "/v1/clients");
  return (body.data as { id: string }[])[0]?.id ?? "";
}

/** A new claim from a job, that of the sample unless another one is given. */
export async function createClaim(sandbox: Sandbox, job?: string): Promise<string> {
  const made = await post(sandbox, "/v1/claims", {
    clientId: await createClient(sandbox),
    jobId: job ?? (await sampleJob(sandbox)),
  });
  if (made.status !== 201) throw new Error(`${made.status} ${made.text}`);
  return String(made.body.id);
}
