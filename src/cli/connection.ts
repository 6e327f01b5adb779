import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { SandboxCredentials } from "../../sandbox/index.ts";
import type { Credential } from "../client/credential.ts";
import { isLoopback } from "../client/loopback.ts";
import { ClaimsError } from "../domain/errors.ts";
import type { Context } from "./context.ts";
import { startEmbedded } from "./embedded-sandbox.ts";
import { fileProblem } from "./file-problem.ts";
import type { GlobalOptions } from "./global-options.ts";
import { findSandbox, listSandboxes } from "./locator.ts";

export type Environment = "sandbox" | "production";

/** Which service a command talks to, and as whom. */
export interface Connection {
  readonly baseUrl: string;
  readonly environment: Environment;
  readonly credential: Credential | null;
  /** Said on stderr before anything is sent. */
  readonly notice?: string;
  readonly close?: () => Promise<void>;
}

/** Decides it: flag over environment over the local sandbox (product.md §3, §4). */
export async function resolveConnection(context: Context, global: GlobalOptions): Promise<Connection> {
  if (global.sandbox) return embedded(context, global);
  const baseUrl = global.baseUrl ?? context.env.CLAIMS_BASE_URL;
  return baseUrl ? named(context, global, checkedUrl(baseUrl)) : local(context, global);
}

async function named(context: Context, global: GlobalOptions, baseUrl: URL): Promise<Connection> {
  const environment =
    environmentOf(context, global) ?? (isLoopback(baseUrl.hostname) ? "sandbox" : "production");
  const credential = await givenCredential(context, environment);
  if (!credential) {
    throw new ClaimsError("credential", "no_credential", `no credential is set for ${baseUrl.host}`, {
      hint: "set CLAIMS_API_KEY, or CLAIMS_CLIENT_ID and CLAIMS_CLIENT_SECRET",
    });
  }
  const readable = baseUrl.protocol === "http:" && !isLoopback(baseUrl.hostname);
  return {
    baseUrl: baseUrl.href.replace(/\/+$/, ""),
    environment,
    credential,
    ...(readable && {
      notice: `warning: ${baseUrl.host} is plain http; anybody on the way can read the credential`,
    }),
  };
}

async function local(context: Context, global: GlobalOptions): Promise<Connection> {
  const sandbox = await findSandbox(context);
  if (!sandbox) throw await noService(context);
  const environment = environmentOf(context, global) ?? "sandbox";
  return {
    baseUrl: sandbox.url,
    environment,
    credential:
      (await givenCredential(context, environment)) ?? sandboxCredential(sandbox.credentials, environment),
    notice: `using the local sandbox at ${sandbox.url}`,
  };
}

async function noService(context: Context): Promise<ClaimsError> {
  const [other] = await listSandboxes(context);
  return new ClaimsError("credential", "no_service", "no service is named and no default sandbox is up", {
    hint: other
      ? `the sandbox "${other.name}" is up: eval "$(claims sandbox env --name ${other.name})"`
      : "start one with `claims sandbox up`, or set CLAIMS_BASE_URL and CLAIMS_API_KEY",
  });
}

async function embedded(context: Context, global: GlobalOptions): Promise<Connection> {
  const environment = environmentOf(context, global) ?? "sandbox";
  const sandbox = await startEmbedded(context, {});
  return {
    baseUrl: sandbox.url,
    environment,
    credential: sandboxCredential(sandbox.credentials, environment),
    notice: "using a sandbox that lives for this command only",
    close: () => sandbox.close(),
  };
}

const sandboxCredential = (credentials: SandboxCredentials, environment: Environment): Credential => ({
  kind: "api_key",
  key: credentials[environment].apiKey,
});

function environmentOf({ env }: Context, global: GlobalOptions): Environment | undefined {
  const value = global.environment ?? (env.CLAIMS_ENVIRONMENT || undefined);
  if (value === undefined || value === "sandbox" || value === "production") return value;
  throw new ClaimsError("usage", "invalid_environment", `CLAIMS_ENVIRONMENT is "${value}"`, {
    hint: "use sandbox or production",
  });
}

/** The credential of the environment variables; an API key wins over OAuth client credentials (product.md §4). */
async function givenCredential(context: Context, environment: Environment): Promise<Credential | null> {
  const key = await secret(context, "CLAIMS_API_KEY");
  if (key !== null) return { kind: "api_key", key };
  const clientId = context.env.CLAIMS_CLIENT_ID;
  const clientSecret = await secret(context, "CLAIMS_CLIENT_SECRET");
  if (!clientId && clientSecret === null) return null;
  if (!clientId || clientSecret === null) {
    const missing = clientId ? "CLAIMS_CLIENT_SECRET (or CLAIMS_CLIENT_SECRET_FILE)" : "CLAIMS_CLIENT_ID";
    throw new ClaimsError("credential", "incomplete_credential", `${missing} is not set`, {
      hint: "an OAuth client needs both its id and its secret",
    });
  }
  if (environment === "production") {
    throw new ClaimsError(
      "credential",
      "oauth_is_sandbox_only",
      "OAuth client credentials work in the sandbox only",
      {
        hint: "production takes a managed key: set CLAIMS_API_KEY",
      },
    );
  }
  return { kind: "oauth_client", clientId, clientSecret };
}

async function secret({ env, cwd }: Context, name: string): Promise<string | null> {
  const value = env[name];
  if (value) return checkedSecret(value, name);
  const file = env[`${name}_FILE`];
  if (!file) return null;
  try {
    return checkedSecret((await readFile(resolve(cwd, file), "utf8")).trim(), `${name}_FILE`);
  } catch (error) {
    if (error instanceof ClaimsError) throw error;
    throw new ClaimsError(
      "credential",
      "secret_unreadable",
      `${name}_FILE: cannot read ${file}: ${fileProblem(error)}`,
      {
        hint: "name a file that holds nothing but the secret",
        cause: error,
      },
    );
  }
}

function checkedSecret(value: string, name: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new ClaimsError(
    "credential",
    "malformed_secret",
    `${name} holds no single word of visible ASCII characters`,
    {
      hint: "look for a line break, a space or quotes around it",
    },
  );
}

function checkedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password)
    return url;
  throw new ClaimsError(
    "usage",
    "invalid_base_url",
    "the base URL must be http(s)://host[:port][/path], nothing more",
    {
      hint: "for example https://partners.example.com",
    },
  );
}
