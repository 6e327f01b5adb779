import type { Answer } from "../../../client/client.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import type { Connection } from "../../connection.ts";
import type { Context } from "../../context.ts";
import { DEFAULT_SANDBOX, findSandbox, type Locator } from "../../locator.ts";
import { connect } from "../../service.ts";

/** The running sandbox of that name; there must be one. */
export async function requireSandbox(context: Context, name: string = DEFAULT_SANDBOX): Promise<Locator> {
  const locator = await findSandbox(context, name);
  if (locator) return locator;
  throw new ClaimsError("not_found", "no_sandbox", `no sandbox "${name}" is up`, {
    hint: `start one with \`claims sandbox up${name === DEFAULT_SANDBOX ? "" : ` --name ${name}`}\``,
  });
}

/** Asks the control API of a sandbox (product.md §5). */
export async function askControl(
  context: Context,
  { url, controlToken }: Locator,
  method: "GET" | "POST",
  path: string,
): Promise<Answer> {
  const connection: Connection = {
    baseUrl: `${url}/_sandbox`,
    environment: "sandbox",
    credential: { kind: "api_key", key: controlToken },
  };
  const { client, close } = await connect(context, connection, { requestTimeout: 5_000 });
  try {
    return await client.sendRaw({ method, path });
  } finally {
    await close();
  }
}
