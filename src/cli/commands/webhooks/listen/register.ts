import { randomUUID } from "node:crypto";
import { rejectedError, unreachableError, usageError } from "../../../../domain/errors.ts";
import { findErrorCode, isLoopback } from "../../../../domain/net.ts";
import { EVENT_TYPES } from "../../../../domain/webhooks/event-types.ts";
import { resolveConnection } from "../../../connection/connection.ts";
import { parseJsonResponse } from "../../../connection/json-response.ts";
import { fetchSandboxState } from "../../../connection/sandbox-health.ts";
import { openConnection } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import { printMessage } from "../../../output/stderr.ts";
import { idOf } from "../../../records/paged-list.ts";
import { type ControlClient, findPresentControl } from "../../../sandbox-control/control.ts";
import { describeJsonWrite } from "../../../write-log/describe-write.ts";
import { sendLogged } from "../../../write-log/send-logged.ts";
import { findSecrets } from "../create/created-endpoint.ts";

/** What a listener knows of its endpoint: enough to find out later whether an endpoint with its id is still that one. */
export interface OwnEndpoint {
  readonly id: string;
  readonly label: string;
  readonly url: string;
  /** Of the state that has it. */
  readonly instance: string;
  readonly secret: string;
}

export interface ListenerAddress {
  readonly url: string;
  /** Null stands for all published events. */
  readonly events: readonly string[] | null;
}

/** @throws ClaimsError `not_local` */
export async function requireLocalSandbox(context: Context, call: BaseInvocation) {
  const connection = await resolveConnection(context, call);
  const control = await findPresentControl(context, connection.baseUrl);
  if (control) return { connection, control };
  const message = `--register needs a sandbox on this machine; ${connection.baseUrl} is not one`;
  const hint =
    "make this listener reachable, run `claims webhooks create` with its URL and --secret-file, and listen with that secret";
  throw rejectedError("not_local", message, { hint });
}

/** @throws ClaimsError `unreachable` without a sandbox at the address */
export async function requireInstance(context: Context, baseUrl: string): Promise<string> {
  const hint = "`claims sandbox status` shows its state";
  const state = await fetchSandboxState(context, baseUrl).catch((cause: unknown) => {
    const message = `the sandbox at ${baseUrl} does not respond (${findErrorCode(cause)})`;
    throw unreachableError("unreachable", message, { hint, cause });
  });
  if (state !== null) return state.instanceId;
  throw unreachableError("unreachable", `what responds at ${baseUrl} is no sandbox that has started`, {
    hint,
  });
}

/** The label of an endpoint that ends with its listener. */
const LABEL = "claims listen";

/** The label of one that is disabled meanwhile, because its secret is in a file. */
export const KEPT_LABEL = "claims listen --secret-file";

/** Creates an endpoint, after those of killed listeners at this URL. */
export async function createEndpoint(
  context: Context,
  call: BaseInvocation,
  { url, events }: ListenerAddress,
  { isKept }: { readonly isKept: boolean },
): Promise<OwnEndpoint> {
  const { connection, control } = await requireLocalSandbox(context, call);
  await endAbandoned(context, control, url);
  const instance = await requireInstance(context, connection.baseUrl);
  const service = await openConnection(context, call, connection, {});
  const operation = service.operations.webhooks.create;
  const label = isKept ? KEPT_LABEL : LABEL;
  const subscribedEvents = events ?? EVENT_TYPES;
  const json = {
    label,
    url,
    subscribedEvents: [...subscribedEvents],
    environmentScope: connection.environment,
  };
  // A new key each time: an earlier listener may have created an endpoint without learning its secret.
  const write = describeJsonWrite(operation.id, json);
  const options = { idempotencyKey: randomUUID() };
  // An error of the listener later loses nothing of this write: the endpoint ends with the listener, or its secret is in a file.
  const separate = { ...context, sentWrites: new Map() };
  const answer = await sendLogged(separate, service, write, options, (key) =>
    service.client.send(operation, { json, idempotencyKey: key }),
  );
  const [found] = findSecrets(parseJsonResponse(answer, "the new endpoint"));
  const id = found ? idOf(found.endpoint) : null;
  if (found && id !== null) return { id, label, url, instance, secret: found.secret };
  throw rejectedError("response_incomplete", "the response for the new endpoint has no signingSecret", {
    hint: "the interface promises one (§2): the versions of this program and the sandbox differ",
  });
}

/**
 * The endpoint at this listener that has the secret, made active; null if there is none.
 *
 * @throws ClaimsError `option_conflict` if it gets other events
 */
export async function adoptEndpoint(
  context: Context,
  call: BaseInvocation,
  { url, events }: ListenerAddress,
  secret: string,
): Promise<OwnEndpoint | null> {
  const { connection, control } = await requireLocalSandbox(context, call);
  const instance = await requireInstance(context, connection.baseUrl);
  const found = (await control.list("GET /endpoints")).find(
    ({ status, ...endpoint }) =>
      status !== "revoked" && isSameReceiver(endpoint.url, url) && secret.startsWith(endpoint.secretPrefix),
  );
  if (!found) return null;
  const { id, label, subscribedEvents } = found;
  if (events && events.toSorted().join() !== subscribedEvents.toSorted().join())
    throw usageError("option_conflict", `endpoint ${id} gets ${subscribedEvents.join(", ")}`, {
      hint: "leave out --event, or name another --secret-file for an endpoint that gets them",
    });
  if (found.status === "disabled") await setStatus(control, id, "active");
  return { id, label, url: found.url, instance, secret };
}

/** Whether deliveries to a URL reach this listener, which takes them at any path. */
function isSameReceiver(endpointUrl: string, listener: string): boolean {
  const [one, other] = [new URL(endpointUrl), new URL(listener)];
  const isSameHost =
    one.hostname === other.hostname || [one, other].every(({ hostname }) => isLoopback(hostname));
  return one.protocol === other.protocol && one.port === other.port && isSameHost;
}

/** The own endpoint as the sandbox has it; null if its state has changed since, and an endpoint with that id is another one. */
export async function findOwnEndpoint(control: ControlClient, instance: string, own: OwnEndpoint) {
  if (instance !== own.instance) return null;
  const found = (await control.list("GET /endpoints")).find(({ id }) => id === own.id);
  const isOwn =
    found?.url === own.url && found.label === own.label && own.secret.startsWith(found.secretPrefix);
  return isOwn ? found : null;
}

export const setStatus = (control: ControlClient, id: string, status: "active" | "disabled" | "revoked") =>
  control.fetch("POST /endpoints/{id}/status", { params: { id }, body: { status } });

/** A listener at this URL that was killed could not end its endpoint. */
async function endAbandoned(context: Context, control: ControlClient, ownUrl: string): Promise<void> {
  for (const { id, label, status, url } of await control.list("GET /endpoints")) {
    if (url !== ownUrl || status !== "active") continue;
    // Its secret is in a file, which a later listener may name.
    const isKept = label === KEPT_LABEL;
    if (!isKept && label !== LABEL) continue;
    await setStatus(control, id, isKept ? "disabled" : "revoked");
    const change = isKept ? "disabled" : "revoked";
    printMessage(context, `${change} endpoint ${id} of a listener that is no longer running`);
  }
}
