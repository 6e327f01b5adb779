import { Readable } from "node:stream";
import { usageError } from "../../../../domain/errors.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import type { Output } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { describeUnpublishedEvents } from "../create/create.ts";
import { openKeptSecret } from "../create/secret-destination.ts";
import { refuseForwardLoop } from "../options.ts";
import { readCandidateSecrets, readSecrets, requireCleanSecret } from "../signing-secrets.ts";
import type { ReadyEvent } from "./delivery.ts";
import { createDeliveryHandler, StopCondition } from "./delivery-handler.ts";
import { createForwarder } from "./forwarder.ts";
import type { ListenOptions } from "./listen.ts";
import { openRecorder } from "./recorder.ts";
import { Registration, requireLocalSandbox } from "./registration.ts";
import { createDeliveryRenderer } from "./render-delivery.ts";
import { startDeliveryServer } from "./server.ts";

/** The default of the sandbox is 4750, so both can run. */
const DEFAULT_PORT = 4800;

/** Receives deliveries until the stop condition is met. A terminal gets text, everything else a line of JSON each. */
export async function runListen(
  context: Context,
  options: ListenOptions,
  call: BaseInvocation,
): Promise<Output> {
  const { host = "127.0.0.1", port = DEFAULT_PORT, forwardTo, record } = options;
  const { global, onEnd } = call;
  const asJson = global.json || !context.stdout.isTerminal;
  refuseUnusedEvents(context, options);
  const local = options.register ? await requireLocalSandbox(context, call) : null;
  const kept = await openKeptSecret(context, options);
  if (kept?.secret === null) onEnd(async () => kept.destination.release?.());
  const given = await readSecrets(context, kept ? { ...options, secretFile: undefined } : options);
  const secrets = given.map(requireCleanSecret);
  const output = new Readable({ encoding: "utf8", read() {} });
  const fail = (error: Error) => void output.destroy(error);
  const render = createDeliveryRenderer(context.stdout);
  const stopCondition = new StopCondition(options);
  const forwarder = forwardTo === undefined ? null : await createForwarder(context, forwardTo);
  if (forwarder) onEnd(forwarder.close);
  const recorder = record === undefined ? null : await openRecorder(context, record);
  const handle = createDeliveryHandler({
    ...options,
    secrets,
    candidateSecrets: await readCandidateSecrets(context, []),
    forwarder,
    recorder,
    stopCondition,
    emit: (delivery) => void output.push(asJson ? `${JSON.stringify(delivery)}\n` : render(delivery)),
  });
  const { url, close } = await startDeliveryServer(context, { host, port }, handle, fail);
  onEnd(close);
  if (forwardTo !== undefined) refuseForwardLoop(forwardTo, url);
  const registration =
    local &&
    (await Registration.open(context, {
      call,
      kept,
      baseUrl: local.baseUrl,
      url: toReachableUrl(url),
      events: options.event ?? null,
      addSecret: (secret) => void (secrets.includes(secret) || secrets.push(secret)),
      onError: fail,
    }));
  if (registration) onEnd(() => registration.end());
  const fingerprints = secrets.map(fingerprint);
  const endpointId = registration?.id ?? null;
  const ready = { event: "ready", url, endpointId, fingerprints, forwardTo: forwardTo ?? null } as const;
  printStart(context, options, ready, kept?.file);
  if (local?.environment === "sandbox")
    printMessage(context, "in another terminal, `claims webhooks test partner.test` sends an event");
  if (asJson) output.push(`${JSON.stringify(ready)}\n`);
  return { kind: "stream", body: streamUntilStopped(), ...(!asJson && { isForTerminal: true }) };

  async function* streamUntilStopped(): AsyncGenerator<string> {
    const stopped = stopCondition.wait(context).then(async (reason) => {
      await close();
      output.push(null);
      return reason;
    });
    stopped.catch(fail);
    yield* output;
    const reason = await stopped;
    const failure = recorder?.toError() ?? stopCondition.toError(reason, registration?.problem);
    if (failure) throw failure;
    if (reason === "stopped") printMessage(context, `stopped after ${stopCondition.describeReceived()}`);
  }
}

/** Says where it listens, and what it verifies with. */
function printStart(
  context: Context,
  options: ListenOptions,
  ready: ReadyEvent,
  keptFile: string | undefined,
) {
  const { url, endpointId, fingerprints } = ready;
  const { forwardTo, forwardUnverified } = options;
  const isRegistered = endpointId !== null;
  const until = keptFile === undefined ? " until then" : "";
  printMessage(context, `listening at ${url}, on any path; press Ctrl-C to stop`);
  if (isRegistered) printMessage(context, `registered as endpoint ${endpointId}${until}`);
  printMessage(context, describeSecrets(fingerprints, options));
  if (forwardTo !== undefined)
    printMessage(context, `forwarding ${forwardUnverified ? "" : "verified "}deliveries to ${forwardTo}`);
  if (forwardTo !== undefined && isRegistered)
    printMessage(context, describeSecretOfApp(forwardTo, keptFile));
}

/** A socket can listen on every address, but a sender needs one of them. */
const toReachableUrl = (listener: string): string =>
  listener.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");

function refuseUnusedEvents(context: Context, { register, event: events = [] }: ListenOptions): void {
  if (events.length > 0 && !register)
    throw usageError("option_conflict", "--event needs --register: it says which events the endpoint gets", {
      hint: "give --register; a listener takes every event that is sent to it",
    });
  for (const warning of describeUnpublishedEvents(events)) printMessage(context, `warning: ${warning}`);
}

/** An app that verifies has to know the secret of the new endpoint. */
const describeSecretOfApp = (app: string, file: string | undefined): string =>
  file === undefined
    ? `the app at ${app} cannot verify these deliveries, because this secret is new and shown nowhere; for an app that verifies: claims webhooks listen --register --secret-file whsec.txt --forward-to ${app}`
    : `the app at ${app} verifies with the secret in ${file}`;

function describeSecrets(fingerprints: readonly string[], { forwardTo, forwardUnverified }: ListenOptions) {
  if (fingerprints.length > 0) return `verifying with the secret of fingerprint ${fingerprints.join(", ")}`;
  const blocked =
    forwardTo === undefined || forwardUnverified ? "" : ", and not forwarded without --forward-unverified";
  return `warning: no signing secret configured; deliveries are not verified${blocked}; --secret-file names a file with the signingSecret, --register gets one`;
}
