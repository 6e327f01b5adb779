import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Credential } from "../../client/auth/credential.ts";
import type { TokenCache } from "../../client/auth/token-cache.ts";
import { isRecord } from "../../domain/json.ts";
import type { Context } from "../context.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { describeFileError } from "../files/file-errors.ts";
import { withLock } from "../files/file-lock.ts";
import { createStateFolder, resolveStateFolder } from "../files/folders.ts";
import { readRegularFile, refuseSpecialFile } from "../files/regular-file.ts";
import { printMessage } from "../output/stderr.ts";

/** Milliseconds before its end from which on a token is not worth starting with. */
const EXPIRY_MARGIN_MS = 30_000;

interface CachedToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

type CachedTokens = Readonly<Record<string, CachedToken>>;

/** A client at a service. */
interface TokenOwner {
  readonly baseUrl: string;
  readonly credential: Credential | null;
}

/**
 * Keeps access tokens between commands, in a file of mode 0600; none where there is no OAuth client. A token that cannot
 * be kept has to be fetched again, which is no reason to fail.
 */
export function createTokenCache(context: Context, holder: TokenOwner): TokenCache | undefined {
  const key = cacheKey(holder);
  if (key === null) return undefined;
  const tryUpdate = (edit: (tokens: CachedTokens) => CachedTokens) =>
    updateTokens(context, edit).catch((error: Error) => {
      if (context.signal.aborted) throw error;
      printMessage(context, `warning: the access token is not kept: ${error.message}`);
    });
  return {
    read: async () => (await findCachedToken(context, holder))?.token ?? null,
    write: (token, expiresIn) => {
      const kept = { token, expiresAt: context.now() + expiresIn * 1000 };
      return tryUpdate((tokens) => ({ ...tokens, [key]: kept }));
    },
    forget: (token) =>
      tryUpdate((tokens) => {
        const { [key]: kept, ...others } = tokens;
        return kept?.token === token ? others : tokens;
      }),
  };
}

/** The token that the client would start with; null where there is none that is still good. */
export async function findCachedToken(context: Context, holder: TokenOwner): Promise<CachedToken | null> {
  const key = cacheKey(holder);
  const kept = key === null ? undefined : (await readTokens(context))[key];
  return kept && isFresh(context, kept) ? kept : null;
}

/** Forgets the tokens of these clients, or everybody's. */
export async function removeTokens(context: Context, holders: readonly TokenOwner[] | "all"): Promise<void> {
  const keys = holders === "all" ? null : new Set(holders.map(cacheKey));
  const isSelected = (key: string) => keys === null || keys.has(key);
  if (!Object.keys(await readTokens(context)).some(isSelected)) return;
  await updateTokens(context, (tokens) =>
    Object.fromEntries(Object.entries(tokens).filter(([key]) => !isSelected(key))),
  );
}

/** Changed, any part of the key makes another holder: whoever mistypes a secret gets no token of the right one. */
function cacheKey({ baseUrl, credential }: TokenOwner): string | null {
  if (credential?.kind !== "oauth_client") return null;
  const parts = [baseUrl, credential.clientId, credential.clientSecret];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

const isFresh = ({ now }: Context, { expiresAt }: CachedToken): boolean =>
  expiresAt - EXPIRY_MARGIN_MS > now();

const cachePath = (context: Context): string => join(resolveStateFolder(context), "tokens.json");

/** A file that cannot be used is as good as none: the next token replaces it. */
async function readTokens(context: Context): Promise<CachedTokens> {
  const path = cachePath(context);
  try {
    const value: unknown = JSON.parse(await readRegularFile(path));
    if (isRecord(value) && Object.values(value).every(isCachedToken)) return value as CachedTokens;
    printMessage(context, `warning: ${path} is broken and is not used`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return {};
    const what = error instanceof SyntaxError ? "is broken" : `cannot be read: ${describeFileError(error)}`;
    printMessage(context, `warning: ${path} ${what} and is not used`);
  }
  return {};
}

const isCachedToken = (value: unknown): boolean =>
  isRecord(value) && typeof value.token === "string" && typeof value.expiresAt === "number";

async function updateTokens(context: Context, edit: (tokens: CachedTokens) => CachedTokens): Promise<void> {
  const path = cachePath(context);
  await createStateFolder(context);
  await refuseSpecialFile(path);
  await withLock(context, path, async () => {
    const tokens = Object.entries(edit(await readTokens(context)));
    const good = Object.fromEntries(tokens.filter(([, kept]) => isFresh(context, kept)));
    await writeFileAtomically(path, [`${JSON.stringify(good)}\n`], { mode: 0o600 });
  });
}
