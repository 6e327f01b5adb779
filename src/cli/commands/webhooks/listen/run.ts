import { Readable } from "node:stream";
import { formatCount } from "../../../../domain/numbers.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import type { Output } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { refuseForwardLoop } from "../options.ts";
import { readCandidateSecrets, readSecrets, requireCleanSecret } from "../signing-secrets.ts";
import { toJsonLine } from "./delivery.ts";
import { DeliveryHandler, StopCondition } from "./delivery-handler.ts";
import { createForwarder } from "./forwarder.ts";
import type { ListenOptions } from "./listen.ts";
import { openRecorder } from "./recorder.ts";
import { registerListener, requireLocalSandbox } from "./register.ts";
import { renderDelivery } from "./render-delivery.ts";
import { startDeliveryServer } from "./server.ts";

/** Next to the sandbox's 4750. */
const DEFAULT_PORT = 4800;

/** Receives deliveries until the stop condition is met. A terminal gets text, everything else a line of JSON each. */
export async function runListen(
  context: Context,
  options: ListenOptions,
  call: BaseInvocation,
): Promise<Output> {
  const { host = "127.0.0.1", port = DEFAULT_PORT, forwardTo, forwardUnverified, record } = options;
  const { global, onEnd } = call;
  const asJson = global.json || !context.stdout.isTerminal;
  const local = options.register ? await requireLocalSandbox(context, call) : null;
  const secrets = (await readSecrets(context, options)).map(requireCleanSecret);
  const output = createLineQueue((dropped) => {
    if (asJson) return `${JSON.stringify({ event: "dropped", dropped })}\n`;
    return `${formatCount(dropped, "delivery", "deliveries")} not shown: more arrived than were read\n`;
  });
  const stopCondition = new StopCondition(options);
  const forwarder =
    forwardTo === undefined ? null : await createForwarder(context, forwardTo, options.caFile);
  if (forwarder) onEnd(forwarder.close);
  const recorder = record === undefined ? null : await openRecorder(context, record);
  const handler = new DeliveryHandler({
    ...options,
    secrets,
    candidateSecrets: await readCandidateSecrets(context, []),
    forwarder,
    recorder,
    stopCondition,
    now: context.now,
    emit: (delivery) => output.pushDelivery(asJson ? `${toJsonLine(delivery)}\n` : renderDelivery(delivery)),
  });
  const { url, close } = await startDeliveryServer(context, { host, port }, handler, output.fail);
  onEnd(close);
  if (forwardTo !== undefined) refuseForwardLoop(forwardTo, url);
  const registration = local && (await registerListener(context, call, local, url));
  if (local && registration) {
    onEnd(registration.revoke);
    secrets.push(registration.secret);
  }
  const fingerprints = secrets.map(fingerprint);
  const endpointId = registration?.id ?? null;
  const targets = forwardTo === undefined ? [] : [forwardTo];
  printMessage(context, `listening at ${url}, on any path; press Ctrl-C to stop`);
  if (registration) printMessage(context, `registered as endpoint ${endpointId} until then`);
  printMessage(context, describeSecrets(fingerprints, options));
  for (const target of targets)
    printMessage(context, `forwarding ${forwardUnverified ? "" : "verified "}deliveries to ${target}`);
  if (registration?.environment === "sandbox")
    printMessage(context, "in another terminal, `claims webhooks test partner.test` sends an event");
  if (asJson)
    output.push(`${JSON.stringify({ event: "ready", url, endpointId, fingerprints, forwardTo: targets })}\n`);
  return { kind: "stream", body: streamUntilStopped() };

  async function* streamUntilStopped(): AsyncGenerator<string> {
    const stopped = stopCondition.wait(context).then(async (reason) => {
      await close();
      output.end();
      return reason;
    });
    stopped.catch(output.fail);
    yield* output.lines;
    const reason = await stopped;
    const failure = recorder?.toError() ?? stopCondition.toError(reason);
    if (failure) throw failure;
    if (reason === "stopped") printMessage(context, `stopped after ${stopCondition.describeReceived()}`);
  }
}

function describeSecrets(fingerprints: readonly string[], { forwardTo, forwardUnverified }: ListenOptions) {
  if (fingerprints.length > 0) return `verifying with the secret of fingerprint ${fingerprints.join(", ")}`;
  const blocked =
    forwardTo === undefined || forwardUnverified ? "" : ", and not forwarded without --forward-unverified";
  return `warning: no signing secret configured; deliveries are not verified${blocked}; --secret-file names a file with the signingSecret, --register gets one`;
}

/** Characters that wait for a slow reader of stdout. */
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024;

/** While nothing reads stdout, senders must not fill the memory: further deliveries are dropped and counted. */
export function createLineQueue(describeDropped: (count: number) => string) {
  const stream = new Readable({ encoding: "utf8", read() {} });
  let dropped = 0;
  const push = (line: string | null): void => {
    if (dropped > 0) stream.push(describeDropped(dropped));
    dropped = 0;
    stream.push(line);
  };
  return {
    lines: stream as AsyncIterable<string>,
    push,
    pushDelivery(line: string): void {
      if (stream.readableLength > MAX_WAITING_CHARACTERS) dropped += 1;
      else push(line);
    },
    end: (): void => push(null),
    fail: (error: Error): void => void stream.destroy(error),
  };
}
