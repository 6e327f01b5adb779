// A nightly program with the client that Hey API generates: submits CLAIMS_CONFORMANCE_FILE, and exits 0 only when the job is
// complete and its results have been read.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { client } from "./hey-api/client.gen.js";
import {
  diligenceDataset,
  diligenceReport,
  diligenceResume,
  diligenceStatus,
  diligenceSubmit,
} from "./hey-api/sdk.gen.js";

const { CLAIMS_BASE_URL = "", CLAIMS_API_KEY = "", CLAIMS_CONFORMANCE_FILE: path = "" } = process.env;
const MAX_ATTEMPTS = 6;
const TRANSIENT = [429, 500, 502, 503, 504];

const pause = (headers?: Headers) => sleep(1_000 * Number(headers?.get("retry-after") ?? 0.3));

/** Each write has a key, so that any request can be repeated when there is no whole response in time. */
const retryingFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { status, headers, ...response } = await fetchWhole(request.clone());
      if (!TRANSIENT.includes(status) || attempt === MAX_ATTEMPTS)
        return new Response(response.body, { status, headers });
      await pause(headers);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
      await pause();
    }
  }
};

async function fetchWhole(request: Request) {
  const response = await fetch(request, { signal: AbortSignal.timeout(3_000) });
  return { status: response.status, headers: response.headers, body: await response.arrayBuffer() };
}

client.setConfig({ baseUrl: CLAIMS_BASE_URL, auth: () => CLAIMS_API_KEY, fetch: retryingFetch });

interface State {
  readonly key: string;
  readonly jobId?: string;
  readonly resumeKey?: string;
}

const stateFile = `${path}.state.json`;
const save = (state: State): State => {
  writeFileSync(stateFile, JSON.stringify(state));
  return state;
};
let state: State = existsSync(stateFile)
  ? JSON.parse(readFileSync(stateFile, "utf8"))
  : save({ key: randomUUID() });

/** The interface names neither the field of the job id nor the states besides partial and failed. */
const SUCCESSES = ["completed", "complete", "succeeded", "success", "done"];
type Fields = Readonly<Record<string, unknown>>;
const jobOf = (body: unknown): Fields => ({ ...(body as Fields), ...((body as Fields).job as Fields) });

async function submit(): Promise<string> {
  const file = new File([readFileSync(path)], "entries.csv", { type: "text/csv" });
  const body = {
    seller_name: readFileSync(join(dirname(path), "seller.txt"), "utf8").trim(),
    requires_protest_documentation: "false",
    file,
  } as const;
  const { data, response } = await diligenceSubmit({
    body,
    headers: { "Idempotency-Key": state.key },
    throwOnError: true,
  });
  const { jobId, job_id, id } = jobOf(data);
  const found = String(jobId ?? job_id ?? id ?? response.headers.get("location")?.split("/").at(-1));
  state = save({ ...state, jobId: found });
  await pause(response.headers);
  return found;
}

async function waitForEnd(jobId: string): Promise<string> {
  for (const deadline = Date.now() + 60_000; ; await sleep(500)) {
    const { data } = await diligenceStatus({ path: { jobId }, throwOnError: true });
    const job = String(jobOf(data).state);
    if ([...SUCCESSES, "partial", "failed"].includes(job) || Date.now() > deadline) return job;
  }
}

const jobId = state.jobId ?? (await submit());
let end = await waitForEnd(jobId);
if ((end === "partial" || end === "failed") && !state.resumeKey) {
  console.log(`${jobId} is ${end}: resuming it`);
  state = save({ ...state, resumeKey: randomUUID() });
  const headers = { "Idempotency-Key": state.resumeKey };
  const { response } = await diligenceResume({ path: { jobId }, headers, throwOnError: true });
  await pause(response.headers);
  end = await waitForEnd(jobId);
}
if (!SUCCESSES.includes(end)) throw new Error(`${jobId} is ${end}`);
const { data: report } = await diligenceReport({ path: { jobId }, throwOnError: true });
const { data: dataset } = await diligenceDataset({ path: { jobId }, throwOnError: true });
const { contractVersion } = dataset as Fields;
if (report.contractVersion !== contractVersion) throw new Error("the results are of two contract versions");
console.log(`${jobId}: ${JSON.stringify(report.rf8Review)}`);
