import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Credential } from "../client/credential.ts";
import type { TokenCache } from "../client/token-cache.ts";
import { isRecord } from "../domain/json.ts";
import { writeWhole } from "./atomic-file.ts";
import type { Context } from "./context.ts";
import { withLock } from "./file-lock.ts";
import { fileProblem } from "./file-problem.ts";
import { makeStateFolder, stateFolder } from "./folders.ts";
import { readRegular, refuseSpecial } from "./regular-file.ts";
import { say } from "./say.ts";

/** Milliseconds before its end from which on a token is not worth starting with. */
const MARGIN = 30_000;

interface KeptToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

type KeptTokens = Readonly<Record<string, KeptToken>>;

/** A client at a service. */
interface Holder {
  readonly baseUrl: string;
  readonly credential: Credential | null;
}

/**
 * Keeps access tokens between commands, in a file of mode 0600; none where there is no OAuth client. A token that cannot
 * be kept has to be fetched again, which is no reason to fail.
 */
export function tokenCacheOf(context: Context, holder: Holder): TokenCache | undefined {
  const key = keyOf(holder);
  if (key === null) return undefined;
  const changeIfPossible = (edit: (tokens: KeptTokens) => KeptTokens) =>
    change(context, edit).catch((error: Error) => {
      if (context.signal.aborted) throw error;
      say(context, `warning: the access token is not kept: ${error.message}`);
    });
  return {
    read: async () => (await keptToken(context, holder))?.token ?? null,
    write: (token, expiresIn) => {
      const kept = { token, expiresAt: context.now() + expiresIn * 1000 };
      return changeIfPossible((tokens) => ({ ...tokens, [key]: kept }));
    },
    forget: (token) =>
      changeIfPossible((tokens) => {
        const { [key]: kept, ...others } = tokens;
        return kept?.token === token ? others : tokens;
      }),
  };
}

/** The token that the client would start with; null where there is none that is still good. */
export async function keptToken(context: Context, holder: Holder): Promise<KeptToken | null> {
  const key = keyOf(holder);
  const kept = key === null ? undefined : (await readTokens(context))[key];
  return kept && isGood(context, kept) ? kept : null;
}

/** Forgets the tokens of these clients, or everybody's. */
export async function forgetTokens(context: Context, holders: readonly Holder[] | "all"): Promise<void> {
  const keys = holders === "all" ? null : new Set(holders.map(keyOf));
  const isMeant = (key: string) => keys === null || keys.has(key);
  if (!Object.keys(await readTokens(context)).some(isMeant)) return;
  await change(context, (tokens) =>
    Object.fromEntries(Object.entries(tokens).filter(([key]) => !isMeant(key))),
  );
}

/** Changed, any part of the key makes another holder: whoever mistypes a secret gets no token of the right one. */
function keyOf({ baseUrl, credential }: Holder): string | null {
  if (credential?.kind !== "oauth_client") return null;
  const parts = [baseUrl, credential.clientId, credential.clientSecret];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

const isGood = ({ now }: Context, { expiresAt }: KeptToken): boolean => expiresAt - MARGIN > now();

const pathOf = (context: Context): string => join(stateFolder(context), "tokens.json");

/** A file that cannot be used is as good as none: the next token replaces it. */
async function readTokens(context: Context): Promise<KeptTokens> {
  const path = pathOf(context);
  try {
    const value: unknown = JSON.parse(await readRegular(path));
    if (isRecord(value) && Object.values(value).every(isKeptToken)) return value as KeptTokens;
    say(context, `warning: ${path} is broken and is not used`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return {};
    const what = error instanceof SyntaxError ? "is broken" : `cannot be read: ${fileProblem(error)}`;
    say(context, `warning: ${path} ${what} and is not used`);
  }
  return {};
}

const isKeptToken = (value: unknown): boolean =>
  isRecord(value) && typeof value.token === "string" && typeof value.expiresAt === "number";

async function change(context: Context, edit: (tokens: KeptTokens) => KeptTokens): Promise<void> {
  const path = pathOf(context);
  await makeStateFolder(context);
  await refuseSpecial(path);
  await withLock(context, path, async () => {
    const tokens = Object.entries(edit(await readTokens(context)));
    const good = Object.fromEntries(tokens.filter(([, kept]) => isGood(context, kept)));
    await writeWhole(path, [`${JSON.stringify(good)}\n`], { mode: 0o600 });
  });
}
