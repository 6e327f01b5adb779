import { ClaimsError, rephraseError } from "../../../../domain/errors.ts";
import type { Connection } from "../../../connection/connection.ts";
import { parseJsonResponse } from "../../../connection/json-response.ts";
import { connect } from "../../../connection/service.ts";
import { readProxySettings } from "../../../connection/sources.ts";
import type { Context } from "../../../context.ts";

/**
 * Uses a credential once: an OAuth client for a token, a key to read the contract (interface §4).
 *
 * @throws ClaimsError saying that nothing was stored
 */
export async function checkCredential(
  context: Context,
  connection: Connection,
  verbose: boolean | undefined,
): Promise<void> {
  const { client, operations, close } = await connect(
    context,
    { ...connection, proxy: readProxySettings(context.env) },
    { verbose },
  );
  try {
    if (connection.credential?.kind === "oauth_client") await client.fetchToken();
    else parseJsonResponse(await client.send(operations.document.openapi), "the contract");
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
    const { kind, message, hint } = error;
    throw rephraseError(error, {
      message: `nothing was stored: ${message}`,
      hint:
        kind === "credential"
          ? "check the credential, the base URL and the environment"
          : `${hint}; --no-check stores the credential without a check`,
    });
  } finally {
    await close();
  }
}
