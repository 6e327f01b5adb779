import type { AliasUse } from "../../client/alias-use.ts";
import type { Client, ClientOptions } from "../../client/client.ts";
import type { hashContract } from "../../contract/hash.ts";
import type { OPERATIONS } from "../../contract/operations.ts";
import { credentialError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import type { BaseInvocation } from "../framework/command.ts";
import type { GlobalOptions } from "../framework/options.ts";
import { confirm } from "../framework/prompts.ts";
import { printMessage } from "../output/stderr.ts";
import { logAliasUse } from "./alias-log.ts";
import { readCaFile } from "./ca-file.ts";
import { type Connection, isTemporary, resolveConnection } from "./connection.ts";
import { createTokenCache } from "./token-cache.ts";

/** The service a command was pointed at, ready to be asked. */
export interface Service {
  readonly client: Client;
  readonly operations: typeof OPERATIONS;
  readonly contractHash: typeof hashContract;
  readonly connection: Connection;
  close(): Promise<void>;
}

type ConnectOptions = Partial<Pick<ClientOptions, "isDryRun" | "requestTimeoutMs" | "retryPolicy">> & {
  /** Requests at once, for a command that sends many; one that is refused for now slows all of them. */
  readonly concurrency?: number;
  /** Tells each request on stderr. */
  readonly verbose?: boolean | undefined;
};

type OpenOptions = Pick<ConnectOptions, "concurrency" | "retryPolicy">;

/** Whether nothing is to be sent, only told. */
export const isDryRun = ({ dryRun, print }: GlobalOptions): boolean => dryRun === true || print !== undefined;

/** Opens the service that the sources of `connection.ts` name, for as long as the command runs. */
export async function openService(
  context: Context,
  call: BaseInvocation,
  options: OpenOptions = {},
): Promise<Service> {
  const connection = await resolveConnection(context, call.global);
  if (connection.close) call.onEnd(connection.close);
  return openConnection(context, call, connection, options);
}

/** The same where it is known which service that is. */
export async function openConnection(
  context: Context,
  { global, onEnd, requestTimeout }: BaseInvocation,
  connection: Connection,
  options: OpenOptions,
): Promise<Service> {
  if (connection.notice) printMessage(context, connection.notice);
  const service = await connect(context, connection, {
    isDryRun: isDryRun(global),
    requestTimeoutMs: requestTimeout,
    verbose: global.verbose,
    ...options,
  });
  onEnd(service.close);
  return service;
}

/** Loads client and contract, which cost more than anything else a command loads, and connects. */
export async function connect(
  context: Context,
  connection: Connection,
  { concurrency, verbose, ...options }: ConnectOptions = {},
): Promise<Service> {
  const { baseUrl, caFile, credential, proxy } = connection;
  const ca = caFile === undefined ? undefined : await readCaFile(context, caFile);
  const isTemporaryService = isTemporary(connection);
  if (!isTemporaryService) context.tuneForShortRun();
  const { Client, AdaptiveLimiter, operations, hashContract: contractHash } = await import("../../index.ts");
  const client = new Client({
    baseUrl,
    credential,
    runtime: context,
    userAgent: `claims/${context.version}`,
    signal: context.signal,
    ca,
    proxy,
    onAlias: (use) => logAlias(context, baseUrl, use, verbose),
    tokenCache: isTemporaryService ? undefined : createTokenCache(context, connection),
    ...(concurrency !== undefined && { limiter: new AdaptiveLimiter({ runtime: context, concurrency }) }),
    ...(verbose && { log: (line: string) => printMessage(context, line) }),
    ...options,
  });
  return { client, operations, contractHash, connection, close: () => client.close() };
}

/** Interface §4: alias traffic is to be logged. */
async function logAlias(
  context: Context,
  baseUrl: string,
  use: AliasUse,
  verbose: boolean | undefined,
): Promise<void> {
  const { alias, canonicalPath, lifecycle } = use;
  if (verbose)
    printMessage(context, `alias ${alias} → ${canonicalPath ?? "?"} (${lifecycle ?? "no lifecycle told"})`);
  await logAliasUse(context, { at: new Date(context.now()).toISOString(), baseUrl, ...use });
}

/** A write against production is asked about, or needs `--yes` (product.md §4). */
export async function confirmProductionWrite(
  context: Context,
  global: GlobalOptions,
  { connection }: Service,
): Promise<void> {
  if (connection.environment !== "production" || global.yes || isDryRun(global)) return;
  const question = `This writes to PRODUCTION at ${connection.baseUrl}. Go on?`;
  if (await confirm(context, global, question)) return;
  throw credentialError("production_not_confirmed", "a write against production was not confirmed", {
    hint: "give --yes to go on",
  });
}
