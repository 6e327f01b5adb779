import { randomUUID } from "node:crypto";
import { ClaimsError, rejectedError } from "../../../../domain/errors.ts";
import { isRecord } from "../../../../domain/json.ts";
import { EVENT_TYPES } from "../../../../domain/webhooks/event-types.ts";
import { type Connection, resolveConnection } from "../../../connection/connection.ts";
import { parseJsonResponse } from "../../../connection/json-response.ts";
import { openConnection } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { quoteId } from "../../../output/shell-quote.ts";
import { printMessage } from "../../../output/stderr.ts";
import { ControlClient, findControl } from "../../../sandbox-control/control.ts";
import { describeJsonWrite } from "../../../write-log/describe-write.ts";
import { sendLogged } from "../../../write-log/send-logged.ts";

/** An endpoint of a local sandbox, as long as the listener runs. */
export interface Registration {
  readonly id: string;
  readonly secret: string;
  readonly environment: Connection["environment"];
  /** Revokes the endpoint. A failure is only a warning. */
  revoke(): Promise<void>;
}

export interface SandboxRegistry {
  register(url: string): Promise<Registration>;
}

/**
 * Finds the local sandbox of the command.
 *
 * @throws ClaimsError `not_local`: another service cannot reach the listener, and has no operation to revoke
 */
export async function findSandboxRegistry(context: Context, call: BaseInvocation): Promise<SandboxRegistry> {
  const connection = await resolveConnection(context, call);
  const control = await findControl(context, connection.baseUrl);
  if (!control) throw notLocal(connection);
  return { register: (url) => register(context, call, { connection, control, url: reachableUrl(url) }) };
}

const notLocal = ({ baseUrl }: Connection): ClaimsError =>
  rejectedError("not_local", `--register needs a sandbox on this machine; ${baseUrl} is not one`, {
    hint: "make this listener reachable, run `claims webhooks create` with its URL and --secret-file, and listen with that secret",
  });

/** A socket can listen on every address, but a sender needs one of them. */
const reachableUrl = (url: string): string =>
  url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");

interface RegisterOptions {
  readonly connection: Connection;
  readonly control: ControlClient;
  readonly url: string;
}

async function register(
  context: Context,
  call: BaseInvocation,
  { connection, control, url }: RegisterOptions,
): Promise<Registration> {
  const service = await openConnection(context, call, connection, {});
  const operation = service.operations.webhooks.create;
  const json = {
    label: "claims listen",
    url,
    subscribedEvents: [...EVENT_TYPES],
    environmentScope: connection.environment,
  };
  // A new key each time: an earlier listener may have created an endpoint without learning its secret.
  const write = { ...(await describeJsonWrite(operation.id, json)), given: randomUUID() };
  const answer = await sendLogged(context, service, write, (key) =>
    service.client.send(operation, { json, idempotencyKey: key }),
  );
  const { id, signingSecret: secret } = parseEndpoint(parseJsonResponse(answer, "the new endpoint"));
  return { id, secret, environment: connection.environment, revoke: () => revoke(context, control, id) };
}

function parseEndpoint(created: unknown): { readonly id: string; readonly signingSecret: string } {
  const { id, signingSecret } = isRecord(created) ? created : {};
  if (typeof id === "string" && typeof signingSecret === "string") return { id, signingSecret };
  throw rejectedError("signing_secret_missing", "the response for the new endpoint has no signingSecret", {
    hint: "the interface promises one (§2): the versions of this program and the sandbox differ",
  });
}

/** Also applies after Ctrl-C. */
const REVOKE_TIMEOUT_MS = 5_000;

async function revoke(context: Context, control: ControlClient, id: string): Promise<void> {
  try {
    const signal = AbortSignal.timeout(REVOKE_TIMEOUT_MS);
    await new ControlClient({ ...context, signal }, control.target).fetch("POST /endpoints/{id}/status", {
      params: { id },
      body: { status: "revoked" },
    });
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    printMessage(
      context,
      `warning: endpoint ${id} was not revoked: ${error.message}; run claims sandbox endpoints revoke ${quoteId(id)}`,
    );
  }
}
