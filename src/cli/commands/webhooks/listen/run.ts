import { Readable } from "node:stream";
import type { Context } from "../../../context.ts";
import type { BaseInvocation } from "../../../framework/command.ts";
import type { OptionValues } from "../../../framework/options.ts";
import type { Output } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { readCandidateSecrets, readSecrets, requireCleanSecret } from "../signing-secrets.ts";
import { toJsonLine } from "./delivery-event.ts";
import { DeliveryHandler } from "./delivery-handler.ts";
import { Forwarder } from "./forwarder.ts";
import type { listenOptions } from "./listen.ts";
import { Recorder } from "./recorder.ts";
import { findSandboxRegistry } from "./register.ts";
import { renderDelivery } from "./render-delivery.ts";
import { refuseForwardLoop } from "./routes.ts";
import { DeliveryServer } from "./server.ts";
import { type ListenerInfo, readyLine, startupLines } from "./startup-lines.ts";
import { StopCondition } from "./stop-condition.ts";

export type ListenOptions = OptionValues<typeof listenOptions>;

/** Where it listens unless told otherwise: beside the sandbox's 4750. */
const DEFAULT_PORT = 4800;

/** Takes deliveries until it is to end; a terminal gets lines for a person, everything else a line of JSON each. */
export async function runListen(
  context: Context,
  options: ListenOptions,
  call: BaseInvocation,
): Promise<Output> {
  const { host = "127.0.0.1", port = DEFAULT_PORT, forwardTo = [], route = [], record } = options;
  const { tolerance, forwardUnverified = false } = options;
  const { global, onEnd } = call;
  const asJson = global.json || !context.stdout.isTerminal;
  const registry = options.register ? await findSandboxRegistry(context, call) : null;
  const secrets = (await readSecrets(context, options)).map(requireCleanSecret);
  const routes = [...forwardTo, ...route];
  const feed = new Readable({ objectMode: true, read() {} });
  const goal = new StopCondition(options);
  const forwarder = new Forwarder(context, routes);
  onEnd(() => forwarder.close());
  const recorder = record === undefined ? null : await Recorder.open(context, record);
  const session = new DeliveryHandler({
    ...{ secrets, candidateSecrets: await readCandidateSecrets(context, []), tolerance, forwardUnverified },
    ...{ forwarder, recorder, stopCondition: goal, now: context.now },
    emit: (told) => void feed.push(asJson ? `${toJsonLine(told)}\n` : renderDelivery(told)),
  });
  const server = new DeliveryServer({
    ...{ host, port, now: context.now },
    receive: (incoming, answer) => session.handle(incoming, answer),
    onError: (error) => void feed.destroy(error as Error),
    log: (line) => printMessage(context, line),
  });
  const url = await server.listen();
  onEnd(() => server.close());
  refuseForwardLoop(routes, url);
  const registered = (await registry?.register(url)) ?? null;
  if (registered) {
    onEnd(registered.revoke);
    secrets.push(registered.secret);
  }
  const ready: ListenerInfo = { url, secrets, routes, forwardUnverified, registered };
  for (const line of startupLines(ready)) printMessage(context, line);
  if (asJson) feed.push(readyLine(ready));
  return { kind: "stream", body: streamDeliveries(context, { goal, server, recorder, feed }) };
}

interface StreamParts {
  readonly goal: StopCondition;
  readonly server: DeliveryServer;
  readonly recorder: Recorder | null;
  readonly feed: Readable;
}

/** What there is to tell, as it comes; then whether it was what was hoped for. */
async function* streamDeliveries(
  context: Context,
  { goal, server, recorder, feed }: StreamParts,
): AsyncGenerator<string> {
  const closing = goal.wait(context).then(async (ended) => {
    await server.close();
    feed.push(null);
    return ended;
  });
  closing.catch((error: Error) => feed.destroy(error));
  yield* feed as AsyncIterable<string>;
  const failure = recorder?.toError() ?? goal.toError(await closing);
  if (failure) throw failure;
}
