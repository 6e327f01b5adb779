import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Exchange } from "../../src/contract/service-form/learn/samples.ts";
import { bareEnvironment } from "./cli.ts";
import { readFixture, submissionForm } from "./sandbox-requests.ts";

const API_KEY = "sk_of_another_service";

/** Starts one of the services in `fixtures/services`, none of which uses our code. */
export async function startOtherService(file: string) {
  const script = fileURLToPath(new URL(`../../fixtures/services/${file}`, import.meta.url));
  const program = file.endsWith(".py") ? ["python3", "-B"] : [process.execPath];
  const [command = "", ...args] = [...program, script];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const [port] = await once(child.stdout, "data");
  const url = `http://127.0.0.1:${String(port).trim()}`;
  return { url, env: { ...bareEnvironment(), CLAIMS_BASE_URL: url, CLAIMS_API_KEY: API_KEY } };
}

interface CalledService {
  readonly url: string;
  readonly apiKey?: string;
  /** Lets the job go on. */
  readonly proceed?: () => Promise<unknown>;
  /** The ids of an equal sandbox, for one whose responses do not show them. */
  readonly ids?: Ids;
}

interface Ids {
  readonly clientId: string;
  readonly jobId: string;
  readonly claimId: string;
}

/** Calls what the interface describes of webhooks, diligence, clients and claims, and returns the exchanges. */
export async function callOtherService({
  url,
  apiKey = API_KEY,
  proceed = async () => {},
  ids,
}: CalledService): Promise<{ exchanges: Exchange[]; ids: Ids }> {
  const exchanges: Exchange[] = [];
  const call = async (method: string, path: string, body?: object): Promise<string> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body && !(body instanceof FormData) && { "content-type": "application/json" }),
      },
      ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    exchanges.push({
      method,
      path,
      status: response.status,
      headers: [...response.headers],
      body: text,
      at: Date.now(),
    });
    return findId(`${response.headers.get("location")} ${text}`);
  };
  const endpoint = { label: "one", url: "http://127.0.0.1:9/hook", environmentScope: "sandbox" };
  for (const label of ["one", "two"])
    await call("POST", "/v1/webhooks/endpoints", { ...endpoint, label, subscribedEvents: ["partner.test"] });
  await call("POST", "/v1/sandbox/webhooks/test", { eventType: "partner.test", environment: "sandbox" });
  const newClient = await call("POST", "/v1/clients", { name: "Harbor & Pine Trading, LLC" });
  const { clientId = newClient } = ids ?? {};
  await call("POST", "/v1/clients", { name: "North Pier" });
  const form = submissionForm({ file: readFixture("sample_entries.csv") });
  const newJob = await call("POST", "/v1/diligence/submit", form);
  const { jobId = newJob } = ids ?? {};
  for (let poll = 0; poll < 3; poll += 1) {
    await call("GET", `/v1/diligence/status/${jobId}`);
    await proceed();
  }
  const newClaim = await call("POST", "/v1/claims", { clientId, jobId });
  const { claimId = newClaim } = ids ?? {};
  await call("POST", `/v1/diligence/jobs/${jobId}/resume`);
  for (const path of [
    ...["/v1/webhooks/endpoints", "/v1/webhook-deliveries", "/v1/clients", "/v1/claims"],
    ...[`/v1/claims/status?claimId=${claimId}`, `/v1/diligence/report/${jobId}`],
    ...["/v1/offers", "/v1/revenue/ledger", "/v1/revenue/dashboard", "/v1/docs/openapi"],
    ...[`/v1/diligence/dataset/${jobId}`, "/v1/diligence/status/00000000-0000-4000-8000-000000000000"],
  ])
    await call("GET", path);
  return { exchanges, ids: { clientId, jobId, claimId } };
}

/** The first id of a response, whatever its field. */
const findId = (text: string): string =>
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/.exec(text)?.[0] ?? "1";
