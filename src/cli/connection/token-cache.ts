import { createHash } from "node:crypto";
import { join } from "node:path";
import type { TokenCache } from "../../client/auth/access-tokens.ts";
import type { Credential } from "../../client/auth/credential.ts";
import { number, object, recordOf, string } from "../../domain/shape.ts";
import type { Context } from "../context.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { describeFileError } from "../files/file-errors.ts";
import { acquireLock, type Lock } from "../files/file-lock.ts";
import { createStateFolder, resolveStateFolder } from "../files/folders.ts";
import { readJsonFile, refuseSpecialFile } from "../files/regular-file.ts";
import { printMessage } from "../output/stderr.ts";

/** A token that expires sooner is not used. */
const EXPIRY_MARGIN_MS = 30_000;

interface CachedToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

type CachedTokens = Readonly<Record<string, CachedToken>>;

const tokensShape = recordOf(object({ token: string, expiresAt: number }));

interface TokenOwner {
  readonly baseUrl: string;
  readonly credential: Credential | null;
}

/** Keeps tokens for other commands, in a file of mode 0600; undefined without an OAuth client. A failure to write is only a warning. */
export function createTokenCache(context: Context, owner: TokenOwner): TokenCache | undefined {
  const key = cacheKey(owner);
  if (key === null) return undefined;
  const warn = (error: Error) => {
    if (context.signal.aborted) throw error;
    printMessage(context, `warning: cannot cache the access token: ${error.message}`);
    return null;
  };
  const save = async (token: string, expiresIn: number | null) => {
    const cached =
      expiresIn === null ? {} : { [key]: { token, expiresAt: context.now() + expiresIn * 1000 } };
    await editTokens(context, ({ [key]: _, ...others }) => ({ ...others, ...cached })).catch(warn);
  };
  return {
    read: async () => (await findCachedToken(context, owner))?.token ?? null,
    async exclusively(work) {
      const lock = await lockTokens(context).catch(warn);
      return lock === null ? work(async () => {}) : work(save).finally(lock.release);
    },
  };
}

export async function findCachedToken(context: Context, owner: TokenOwner): Promise<CachedToken | null> {
  const key = cacheKey(owner);
  const cached = key === null ? undefined : (await readTokens(context))[key];
  return cached && isFresh(context, cached) ? cached : null;
}

export async function removeTokens(context: Context, owners: readonly TokenOwner[] | "all"): Promise<void> {
  const keys = owners === "all" ? null : new Set(owners.map(cacheKey));
  const isKept = ([key]: readonly [string, CachedToken]) => keys !== null && !keys.has(key);
  if (Object.entries(await readTokens(context)).every(isKept)) return;
  const lock = await lockTokens(context);
  const edit = (tokens: CachedTokens) => Object.fromEntries(Object.entries(tokens).filter(isKept));
  await editTokens(context, edit).finally(lock.release);
}

/** A hash with the secret, so that a mistyped secret finds no token. */
function cacheKey({ baseUrl, credential }: TokenOwner): string | null {
  if (credential?.kind !== "oauth_client") return null;
  const parts = [baseUrl, credential.clientId, credential.clientSecret];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

const isFresh = ({ now }: Context, { expiresAt }: CachedToken): boolean =>
  expiresAt - EXPIRY_MARGIN_MS > now();

const cachePath = (context: Context): string => join(resolveStateFolder(context), "tokens.json");

/** An unusable file counts as empty; the next token replaces it. */
async function readTokens(context: Context): Promise<CachedTokens> {
  const path = cachePath(context);
  try {
    return (await readJsonFile<CachedTokens>(path, tokensShape, "it is invalid")) ?? {};
  } catch (error) {
    printMessage(context, `warning: ignoring ${path}: ${describeFileError(error)}`);
    return {};
  }
}

/** Another process may hold it for a request to the token route, with its retries. */
const LOCK_WAIT_MS = 60_000;

async function lockTokens(context: Context): Promise<Lock> {
  const path = cachePath(context);
  await createStateFolder(context);
  await refuseSpecialFile(path);
  return acquireLock(context, path, { waitMs: LOCK_WAIT_MS });
}

async function editTokens(context: Context, edit: (tokens: CachedTokens) => CachedTokens): Promise<void> {
  const tokens = Object.entries(edit(await readTokens(context)));
  const fresh = Object.fromEntries(tokens.filter(([, cached]) => isFresh(context, cached)));
  await writeFileAtomically(cachePath(context), [`${JSON.stringify(fresh)}\n`], { mode: 0o600 });
}
