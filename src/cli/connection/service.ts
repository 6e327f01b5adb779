import { MIN_SECRET_LENGTH, secretOf } from "../../client/auth/credential.ts";
import type { Client } from "../../client/client.ts";
import type { ClientOptions } from "../../client/client-options.ts";
import type { hashContract } from "../../contract/hash.ts";
import type { Mapping } from "../../contract/mapping/mapping.ts";
import type { OPERATIONS } from "../../contract/operations/operations.ts";
import { credentialError, rephraseError, unreachableError } from "../../domain/errors.ts";
import { formatTime } from "../../domain/times.ts";
import type { Context } from "../context.ts";
import type { BaseInvocation } from "../framework/command.ts";
import { handleFailure } from "../framework/handle-failure.ts";
import type { GlobalOptions } from "../framework/options.ts";
import { confirm } from "../framework/prompts.ts";
import { printMessage } from "../output/stderr.ts";
import { isLoopbackUrl } from "./base-url.ts";
import { logAliasUse } from "./broker-aliases.ts";
import { readCaOption } from "./ca-file.ts";
import { type Connection, resolveConnection } from "./connection.ts";
import { readMapping } from "./mapping-file.ts";
import type { SandboxState } from "./sandbox-health.ts";
import { createTokenCache } from "./token-cache.ts";

export interface Service {
  readonly client: Client;
  readonly operations: typeof OPERATIONS;
  readonly hashContract: typeof hashContract;
  readonly connection: Connection;
  /** Where the service keeps what the contract describes, if it differs. */
  readonly mapping: Mapping | undefined;
  readonly isDryRun: boolean;
  /** The id of the state of a local sandbox: a later one on the same port is another service. Null for other services. */
  findInstance(): Promise<string | null>;
  /** The present state of a local sandbox, which may be another one. Null for other services, and without a response. */
  findSandboxState(): Promise<SandboxState | null>;
  close(): Promise<void>;
}

type ConnectOptions = Partial<
  Pick<ClientOptions, "isDryRun" | "requestTimeoutMs" | "readTimeoutMs" | "retryPolicy" | "retryForMs">
> & {
  /** Parallel requests. A 429 slows all of them down. */
  readonly concurrency?: number;
  readonly verbose?: boolean | undefined;
};

type OpenOptions = Pick<ConnectOptions, "concurrency" | "retryPolicy" | "retryForMs">;

export const isDryRun = ({ dryRun, curl }: GlobalOptions): boolean => dryRun === true || curl === true;

export const openService = async (
  context: Context,
  call: BaseInvocation,
  options: OpenOptions = {},
): Promise<Service> => openConnection(context, call, await resolveConnection(context, call), options);

export async function openConnection(
  context: Context,
  { global, onEnd, remote, requestTimeout }: BaseInvocation,
  connection: Connection,
  options: OpenOptions,
): Promise<Service> {
  const { notice, writeNotice } = connection;
  if (notice) printMessage(context, notice);
  if (writeNotice && (remote === "writes" || global.verbose)) printMessage(context, writeNotice);
  const service = await connect(context, connection, {
    isDryRun: isDryRun(global),
    requestTimeoutMs: requestTimeout,
    readTimeoutMs: global.timeout,
    verbose: global.verbose,
    ...options,
  });
  onEnd(service.close);
  return service;
}

/** Loads the client and the contract, the slowest part of a command's start, and connects. */
export async function connect(
  context: Context,
  connection: Connection,
  { concurrency, verbose, ...options }: ConnectOptions = {},
): Promise<Service> {
  const { baseUrl, caFile, credential, isTemporary, mapping: mappingFile, proxy } = connection;
  const secret = credential && secretOf(credential);
  if (secret && secret.length >= MIN_SECRET_LENGTH) context.stderr.secrets?.add(secret);
  const ca = await readCaOption(context, caFile);
  const mapping = mappingFile === undefined ? undefined : await loadMapping(context, mappingFile);
  const { Client, AdaptiveLimiter, operations, hashContract } = await import("../../index.ts");
  const client = new Client({
    baseUrl,
    credential,
    runtime: context,
    userAgent: `claims/${context.version}`,
    signal: context.signal,
    ca,
    proxy,
    mapping,
    async onAlias(use) {
      const { alias, canonicalPath, lifecycle } = use;
      if (verbose)
        printMessage(
          context,
          `alias ${alias} → ${canonicalPath ?? "?"} (${lifecycle ?? "unknown lifecycle"})`,
        );
      // The client logs its alias traffic (interface §4).
      await logAliasUse(context, { at: new Date(context.now()).toISOString(), baseUrl, ...use });
    },
    tokenCache: isTemporary ? undefined : createTokenCache(context, connection),
    onOutage(error) {
      const event = error ? `${error.message}; waiting for the service` : "the service responds again";
      printMessage(context, `${event} (${formatTime(context.now())})`);
    },
    ...(concurrency !== undefined && { limiter: new AdaptiveLimiter({ runtime: context, concurrency }) }),
    ...(verbose && { log: (line: string) => printMessage(context, line) }),
    ...options,
  });
  if (!isTemporary) context.tuneForShortRun();
  const { isDryRun = false } = options;
  const isSandbox = !isTemporary && !isDryRun && baseUrl.startsWith("http:") && isLoopbackUrl(baseUrl);
  let instance: Promise<string | null> | undefined;
  const findInstance = async () => {
    if (isSandbox) instance ??= fetchInstance(context, client, baseUrl);
    return instance ?? null;
  };
  const findSandboxState = async () => {
    if ((await findInstance()) === null) return null;
    const { fetchSandboxState } = await import("./sandbox-health.ts");
    return fetchSandboxState(context, baseUrl).catch(() => null);
  };
  const close = () => client.close();
  const state = { findInstance, findSandboxState };
  return { client, operations, hashContract, connection, mapping, isDryRun, ...state, close };
}

/** Null for a service that does not respond, after the time of `--retry-for`. */
async function fetchInstance(context: Context, client: Client, baseUrl: string): Promise<string | null> {
  const { fetchSandboxState } = await import("./sandbox-health.ts");
  for (;;) {
    try {
      return (await fetchSandboxState(context, baseUrl))?.instanceId ?? null;
    } catch (cause) {
      const hint = "check the base URL";
      const error = unreachableError("unreachable", `${baseUrl} does not respond`, { hint, cause });
      if (context.signal.aborted || !(await client.outages.waitForRetry(error))) return null;
    }
  }
}

const loadMapping = (context: Context, path: string): Promise<Mapping> =>
  handleFailure(readMapping(context, path), (error) => {
    throw rephraseError(error, {
      hint: "`claims mapping check FILE` names each mistake; --mapping, CLAIMS_MAPPING or the profile names this file",
    });
  });

/** A write to production needs `--yes` or a confirmation (product.md §4). */
export async function confirmProductionWrite(
  context: Context,
  global: GlobalOptions,
  { connection }: Service,
  write: string,
): Promise<void> {
  if (connection.environment !== "production" || global.yes || isDryRun(global)) return;
  if (await confirm(context, global, `${write} to PRODUCTION ${connection.baseUrl} ?`)) return;
  throw credentialError("production_not_confirmed", "the write to production was not confirmed", {
    hint: "give --yes to write without a confirmation",
  });
}
