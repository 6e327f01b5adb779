import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findProxy } from "../../client/http/proxy.ts";
import { BROKER_ALIASES, findAlias } from "../../contract/aliases.ts";
import { type ClaimsError, usageError } from "../../domain/errors.ts";
import { valueAt } from "../../domain/json.ts";
import { formatCount } from "../../domain/numbers.ts";
import { findSunset, readAliasLog } from "../connection/broker-aliases.ts";
import { configPath, readConfig } from "../connection/config.ts";
import { type Connection, type DescribedConnection, findConnection } from "../connection/connection.ts";
import { tryParseJson } from "../connection/json-response.ts";
import { openConnection, type Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import type { Document } from "../documents/index.ts";
import { describeFileError } from "../files/file-errors.ts";
import { createStateFolder, resolveStateFolder } from "../files/folders.ts";
import type { BaseInvocation } from "../framework/command.ts";
import { handleFailure } from "../framework/handle-failure.ts";
import { describeHint } from "../output/hints.ts";
import type { explainEndpoints } from "../records/disabled-endpoints.ts";
import { openWriteLog } from "../write-log/write-log.ts";
import { isOutcomeOpen } from "../write-log/write-record.ts";
import { toWriteRecords } from "../write-log/write-records.ts";

type DoctorCheck = Document<"DoctorChecks">[number] & {
  /** The error of a failed check, which decides the exit code. */
  readonly failure?: ClaimsError;
};

/** `skip`: another check failed that this one needs. */
type CheckResult = Omit<DoctorCheck, "check">;

const ok = (detail: string): CheckResult => ({ status: "ok", detail, hint: null });

const warn = (detail: string, hint: string): CheckResult => ({ status: "warn", detail, hint });

const skip = (detail: string): CheckResult => ({ status: "skip", detail, hint: null });

const fail = (failure: ClaimsError): CheckResult => ({
  status: "fail",
  detail: failure.message,
  hint: describeHint(failure),
  failure,
});

const NO_SERVICE = skip("the service and the credential are unknown");
const NO_RESPONSE = skip("no request was sent to the service");

/** The same as `engines` in package.json. */
const MIN_NODE_VERSION = [20, 19] as const;

function checkProgram({ runtime, version }: Context): CheckResult {
  const [, major = 0, minor = 0] = (/^Node (\d+)\.(\d+)/.exec(runtime) ?? []).map(Number);
  const [minMajor, minMinor] = MIN_NODE_VERSION;
  const isOld = runtime.startsWith("Node ") && (major < minMajor || (major === minMajor && minor < minMinor));
  const detail = `claims ${version} on ${runtime}`;
  return isOld ? warn(detail, `update Node to ${MIN_NODE_VERSION.join(".")} or newer`) : ok(detail);
}

async function checkConfiguration(context: Context): Promise<CheckResult> {
  const { current, profiles } = await readConfig(context);
  const names = Object.keys(profiles).map((name) => (name === current ? `${name} (current)` : name));
  return ok(names.length ? `${configPath(context)}: ${names.join(", ")}` : "no profiles yet");
}

/** Writes a file, because permission bits do not show a full or read-only disk. */
async function checkStateFolder(context: Context): Promise<CheckResult> {
  const folder = resolveStateFolder(context);
  try {
    await createStateFolder(context);
    const probe = join(folder, `doctor-${context.processes.own.pid}.tmp`);
    await writeFile(probe, "x", { mode: 0o600 }).finally(() => rm(probe, { force: true }));
    const { mode } = await stat(folder);
    if (context.platform === "win32" || (mode & 0o077) === 0) return ok(folder);
    return warn(`other users can read ${folder}`, `restrict it: chmod 700 ${folder}`);
  } catch (cause) {
    throw usageError("cannot_write", `cannot write in ${folder}: ${describeFileError(cause)}`, {
      hint: "make room or make it writable, or set CLAIMS_CONFIG_DIR to another folder",
      cause,
    });
  }
}

async function checkWriteLog(context: Context): Promise<CheckResult> {
  const entries = toWriteRecords(await openWriteLog(context).read());
  const unknown = entries.filter((entry) => isOutcomeOpen(entry, context)).length;
  if (unknown === 0) return ok(`${formatCount(entries.length, "write")} with a known outcome`);
  return warn(
    `${unknown} of ${formatCount(entries.length, "write")} ${unknown === 1 ? "has" : "have"} an unknown outcome`,
    "`claims history --unknown` lists them; repeating a write uses the same key",
  );
}

/** The service ends a migration-only alias some day; this program refuses it from the date that the integrator sets. */
async function checkAliases(context: Context): Promise<CheckResult> {
  const { sunsets } = await readConfig(context);
  const undated = BROKER_ALIASES.filter(
    (alias) => alias.lifecycle === "migration_only" && findSunset(sunsets, alias) === null,
  );
  const uses = await readAliasLog(context);
  const used = undated.filter(({ path }) => uses.some(({ alias }) => findAlias(alias)?.path === path));
  if (used.length > 0)
    return warn(
      `in use without a sunset date: ${used.map(({ path }) => path).join(", ")}`,
      `set the date: claims aliases sunset ${used[0]?.path} YYYY-MM-DD`,
    );
  const count = formatCount(undated.length, "migration-only alias has", "migration-only aliases have");
  return ok(undated.length === 0 ? "all have a sunset date" : `${count} no sunset date; none is in use here`);
}

/** Differences between two clocks. The larger one breaks signatures and tokens. */
const CLOCK_WARNING_S = 30;
const CLOCK_FAILURE_S = 300;

function describeService({ baseUrl, sources, profile }: DescribedConnection): CheckResult {
  const used = profile === null ? "no profile" : `profile ${profile}`;
  const credential = sources.credential ?? "nowhere";
  return ok(`${baseUrl}, from ${sources.baseUrl}; credential from ${credential}; ${used}`);
}

/** The proxy for a service, without its name and password. */
function checkProxy({ baseUrl, proxy: settings = {} }: Connection): CheckResult {
  const url = new URL(baseUrl);
  const found = findProxy(url, settings);
  if (found) return ok(`${found.host} (${found.variable})`);
  const [name, setting] =
    url.protocol === "https:" ? ["HTTPS_PROXY", settings.https] : ["HTTP_PROXY", settings.http];
  return ok(setting ? `${name} does not apply to ${url.host}` : `${name} is not set`);
}

/** Requests the contract document, which accepts any credential (interface §1). */
async function requestContract(context: Context, { client, operations }: Service) {
  const startedAt = context.now();
  /** Our clock halfway through the request, milliseconds since 1970. */
  const at = () => (startedAt + context.now()) / 2;
  return handleFailure(
    client.send(operations.document.openapi).then((response) => ({ response, error: null, at: at() })),
    (error) => ({ response: null, error, at: at() }),
  );
}

type ProbeResponse = Awaited<ReturnType<typeof requestContract>>;

/** A refusal of the credential shows that a service responds. */
function checkReachable({ response, error }: ProbeResponse, baseUrl: string): CheckResult {
  if (error?.kind === "unreachable") return fail(error);
  if (error !== null && error.kind !== "credential") {
    const more = { hint: "check the base URL", status: error.status, cause: error };
    return fail(usageError("no_claims_service", `not a claims service: ${error.message}`, more));
  }
  const isContract = response === null || typeof valueAt(tryParseJson(response), "openapi") === "string";
  if (isContract) return ok(`${baseUrl} responds`);
  const hint = "check that the base URL is the service itself";
  return warn(`${baseUrl} responds, but not with a contract`, hint);
}

function checkCredential({ error }: ProbeResponse, { credential }: Connection): CheckResult {
  if (error) return error.kind === "credential" ? fail(error) : skip("the service did not respond");
  return ok(
    credential?.kind === "oauth_client"
      ? "the service accepts the token of the OAuth client"
      : "the service accepts the key",
  );
}

/** Compares our clock with the `Date` of the response, which has whole seconds. */
function checkClock({ response, at }: ProbeResponse): CheckResult {
  const theirs = Date.parse(response?.headers.date ?? "");
  if (Number.isNaN(theirs)) return skip("the response has no date");
  const seconds = Math.round((at - theirs) / 1000);
  const size = Math.abs(seconds);
  if (size < CLOCK_WARNING_S) return ok(`differs from the service's by less than ${CLOCK_WARNING_S} s`);
  const detail = `our clock is ${size} s ${seconds > 0 ? "ahead of" : "behind"} the service's`;
  const hint =
    "set the clock; webhook signatures look too old or too new, and tokens expire at the wrong time";
  if (size < CLOCK_FAILURE_S) return warn(detail, hint);
  return fail(usageError("clock_skew", detail, { hint }));
}

async function checkWebhooks(
  { response }: ProbeResponse,
  service: Service,
  explain: typeof explainEndpoints,
) {
  const found = response && (await explain(service));
  if (!found) return skip("the service does not list webhook endpoints");
  const [disabled, failing] = [found.disabled.join("; "), found.failing.join("; ")];
  if (disabled !== "") return warn("an endpoint is disabled, and gets no deliveries", disabled);
  if (failing !== "") return warn("the last delivery to an endpoint failed", failing);
  return ok("no endpoint is disabled, and no last delivery failed");
}

/** A doctor gives a quick answer. */
const SINGLE_ATTEMPT = { maxAttempts: 1, maxPauseMs: 0 };
const REQUEST_TIMEOUT_MS = 10_000;

/** What the later checks need; absent if the check that finds it failed. */
interface CheckState {
  connection?: DescribedConnection;
  service?: Service;
  response?: ProbeResponse;
}

export async function runChecks(
  context: Context,
  call: BaseInvocation,
  explain: typeof explainEndpoints,
): Promise<DoctorCheck[]> {
  const state: CheckState = {};
  const findings: DoctorCheck[] = [];
  const check = async (name: string, work: () => CheckResult | Promise<CheckResult>) => {
    const result = (async () => await work())();
    findings.push({ check: name, ...(await handleFailure(result, fail)) });
  };
  await check("program", () => checkProgram(context));
  await check("configuration", () => checkConfiguration(context));
  await check("state", () => checkStateFolder(context));
  await check("write-log", () => checkWriteLog(context));
  await check("aliases", () => checkAliases(context));
  await check("service", async () => {
    state.connection = await findConnection(context, call.global, call.onEnd);
    return describeService(state.connection);
  });
  await check("proxy", () => (state.connection ? checkProxy(state.connection) : NO_SERVICE));
  await check("connection", async () => {
    const { connection } = state;
    if (!connection) return NO_SERVICE;
    const quick = { ...call, requestTimeout: call.requestTimeout ?? REQUEST_TIMEOUT_MS };
    state.service = await openConnection(context, quick, connection, { retryPolicy: SINGLE_ATTEMPT });
    state.response = await requestContract(context, state.service);
    return checkReachable(state.response, connection.baseUrl);
  });
  const { connection, service, response } = state;
  await check("credential", () =>
    connection && response ? checkCredential(response, connection) : NO_RESPONSE,
  );
  await check("clock", () => (response ? checkClock(response) : NO_RESPONSE));
  await check("webhooks", () =>
    service && response ? checkWebhooks(response, service, explain) : NO_RESPONSE,
  );
  return findings;
}
