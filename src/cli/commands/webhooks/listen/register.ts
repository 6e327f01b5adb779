import { randomUUID } from "node:crypto";
import { ClaimsError, rejectedError } from "../../../../domain/errors.ts";
import { EVENT_TYPES } from "../../../../domain/webhooks/event-types.ts";
import { resolveConnection } from "../../../connection/connection.ts";
import { parseJsonResponse } from "../../../connection/json-response.ts";
import { openConnection } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { printMessage } from "../../../output/stderr.ts";
import { idOf } from "../../../records/paged-list.ts";
import { ControlClient, findControl } from "../../../sandbox-control/control.ts";
import { describeJsonWrite } from "../../../write-log/describe-write.ts";
import { sendLogged } from "../../../write-log/send-logged.ts";
import { findSecrets } from "../create/created-endpoint.ts";

/** @throws ClaimsError `not_local` */
export async function requireLocalSandbox(context: Context, call: BaseInvocation) {
  const connection = await resolveConnection(context, call);
  const control = await findControl(context, connection.baseUrl);
  if (control) return { connection, control };
  const message = `--register needs a sandbox on this machine; ${connection.baseUrl} is not one`;
  const hint =
    "make this listener reachable, run `claims webhooks create` with its URL and --secret-file, and listen with that secret";
  throw rejectedError("not_local", message, { hint });
}

/** Revokes the endpoint that a killed listener left behind, and registers this one. */
export async function registerListener(
  context: Context,
  call: BaseInvocation,
  { connection, control }: Awaited<ReturnType<typeof requireLocalSandbox>>,
  listener: string,
) {
  // A socket can listen on every address, but a sender needs one of them.
  const url = listener.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  await revokeAbandoned(context, control, url);
  const service = await openConnection(context, call, connection, {});
  const operation = service.operations.webhooks.create;
  const { environment } = connection;
  const json = { label: LABEL, url, subscribedEvents: [...EVENT_TYPES], environmentScope: environment };
  // A new key each time: an earlier listener may have created an endpoint without learning its secret.
  const write = describeJsonWrite(operation.id, json);
  const options = { idempotencyKey: randomUUID() };
  const answer = await sendLogged(context, service, write, options, (key) =>
    service.client.send(operation, { json, idempotencyKey: key }),
  );
  const [found] = findSecrets(parseJsonResponse(answer, "the new endpoint"));
  const id = found ? idOf(found.endpoint) : null;
  if (found && id !== null)
    return { id, secret: found.secret, environment, revoke: () => revokeLater(context, control, id) };
  throw rejectedError("response_incomplete", "the response for the new endpoint has no signingSecret", {
    hint: "the interface promises one (§2): the versions of this program and the sandbox differ",
  });
}

const REVOKE_TIMEOUT_MS = 5_000;

/** Also after Ctrl-C. A failure is only a warning: the next listener revokes the endpoint. */
async function revokeLater(context: Context, control: ControlClient, id: string) {
  const later = { ...context, signal: AbortSignal.timeout(REVOKE_TIMEOUT_MS) };
  await revoke(new ControlClient(later, control.target), id).catch((error: unknown) => {
    if (!(error instanceof ClaimsError)) throw error;
    printMessage(context, `warning: endpoint ${id} was not revoked: ${error.message}`);
  });
}

const revoke = (control: ControlClient, id: string) =>
  control.fetch("POST /endpoints/{id}/status", { params: { id }, body: { status: "revoked" } });

/** The label of each listener's endpoint. */
const LABEL = "claims listen";

/** A listener at this URL that was killed could not revoke its endpoint. */
async function revokeAbandoned(context: Context, control: ControlClient, ownUrl: string): Promise<void> {
  for (const { id, label, status, url } of await control.list("GET /endpoints")) {
    if (label !== LABEL || status === "revoked" || url !== ownUrl) continue;
    await revoke(control, id);
    printMessage(context, `revoked endpoint ${id} of a listener that is no longer running`);
  }
}
