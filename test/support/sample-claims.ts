import type { Sandbox } from "../../sandbox/index.ts";
import { call, post, readFixture, submitAndSettle } from "./sandbox-requests.ts";

/** The amounts of `sample_entries.csv` on 2026-11-20 in integer cents, calculated by hand from its expected report. */
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

/** The id of the newest client of the sandbox. */
export async function createClient(sandbox: Sandbox): Promise<string> {
  const { body } = await call(sandbox, "/v1/clients");
  return (body.data as { id: string }[])[0]?.id ?? "";
}

/** Creates a claim from a job, by default a job of the sample file. */
export async function createClaim(sandbox: Sandbox, job?: string): Promise<string> {
  const response = await post(sandbox, "/v1/claims", {
    clientId: await createClient(sandbox),
    jobId: job ?? (await sampleJob(sandbox)),
  });
  if (response.status !== 201) throw new Error(`${response.status} ${response.text}`);
  return String(response.body.id);
}

/** A partner organization as a request sends it. */
export const ORGANIZATION = {
  name: "North Pier Claims",
  contactName: "Ida Voss",
  contactEmail: "ida@northpier.example",
  countryCode: "US",
};

/** The flags of `claims orgs onboard` and of `claims notifications create`. */
export const ORGANIZATION_FLAGS = [
  ...["--name", "North Pier", "--contact-name", "Ida Voss"],
  ...["--contact-email", "ida@pier.example", "--country", "US"],
];
export const NOTIFICATION_FLAGS = [
  ...["--recipient", "desk@harborpine.example", "--subject", "Ready", "--message", "It is there."],
];
