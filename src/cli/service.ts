import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Client, ClientOptions } from "../client/client.ts";
import type { ProxySettings } from "../client/proxy.ts";
import type { contractHash } from "../contract/hash.ts";
import type { OPERATIONS } from "../contract/operations.ts";
import { ClaimsError } from "../domain/errors.ts";
import type { Call } from "./command.ts";
import { confirm } from "./confirm.ts";
import { type Connection, resolveConnection } from "./connection.ts";
import type { Context } from "./context.ts";
import { fileProblem } from "./file-problem.ts";
import type { GlobalOptions } from "./global-options.ts";
import { say } from "./say.ts";

/** The service a command was pointed at, ready to be asked. */
export interface Service {
  readonly client: Client;
  readonly operations: typeof OPERATIONS;
  readonly contractHash: typeof contractHash;
  readonly connection: Connection;
  close(): Promise<void>;
}

type ConnectOptions = Partial<Pick<ClientOptions, "ca" | "log" | "rehearse" | "requestTimeout">>;

/** Whether nothing is to be sent, only told. */
const rehearses = ({ dryRun, print }: GlobalOptions): boolean => dryRun === true || print !== undefined;

/** Opens the service that the flags, the environment or the local sandbox name, for as long as the command runs. */
export async function openService(
  context: Context,
  { global, onEnd, requestTimeout }: Call,
): Promise<Service> {
  // Before an embedded sandbox is started, which somebody would have to stop.
  const ca = await authorityIn(context, global.caFile);
  const connection = await resolveConnection(context, global);
  if (connection.notice) say(context, connection.notice);
  const service = await connect(context, connection, {
    ca,
    rehearse: rehearses(global),
    requestTimeout,
    ...(global.verbose && { log: (line) => say(context, line) }),
  });
  onEnd(service.close);
  return service;
}

/** Loads client and contract, which cost more than anything else a command loads, and connects. */
export async function connect(
  context: Context,
  connection: Connection,
  options: ConnectOptions = {},
): Promise<Service> {
  if (!connection.close) context.tuneForShortRun();
  const { Client, operations, contractHash } = await import("../index.ts");
  const client = new Client({
    baseUrl: connection.baseUrl,
    credential: connection.credential,
    surroundings: context,
    userAgent: `claims/${context.version}`,
    signal: context.signal,
    proxy: proxiesIn(context),
    ...options,
  });
  const close = async () => {
    await client.close();
    await connection.close?.();
  };
  return { client, operations, contractHash, connection, close };
}

/** The proxies of the environment; in small letters they win, as everywhere. */
const proxiesIn = ({ env }: Context): ProxySettings => ({
  http: env.http_proxy || env.HTTP_PROXY,
  https: env.https_proxy || env.HTTPS_PROXY,
  no: env.no_proxy || env.NO_PROXY,
});

/** A write against production is asked about, or needs `--yes` (product.md §4). */
export async function guardWrite(
  context: Context,
  global: GlobalOptions,
  { connection }: Service,
): Promise<void> {
  if (connection.environment !== "production" || global.yes || rehearses(global)) return;
  const question = `This writes to PRODUCTION at ${connection.baseUrl}. Go on?`;
  if (await confirm(context, global, question)) return;
  throw new ClaimsError(
    "credential",
    "production_not_confirmed",
    "a write against production was not confirmed",
    {
      hint: "give --yes to go on, or --environment sandbox",
    },
  );
}

async function authorityIn({ cwd }: Context, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(resolve(cwd, path), "utf8");
  } catch (error) {
    throw new ClaimsError("usage", "ca_unreadable", `--ca-file: cannot read ${path}: ${fileProblem(error)}`, {
      hint: "name a file with the certificate of the authority, PEM",
      cause: error,
    });
  }
}
