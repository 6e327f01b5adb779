import { Readable } from "node:stream";
import type { BaseInvocation, OptionValues } from "../../../command.ts";
import type { Context } from "../../../context.ts";
import type { Output } from "../../../output/output.ts";
import { printMessage } from "../../../say.ts";
import { readSecrets, readCandidateSecrets } from "../given-secrets.ts";
import type { listenOptions } from "../listen.ts";
import { requireCleanSecret } from "../signing-secret.ts";
import { Forwarder } from "./forward.ts";
import { Goal } from "./goal.ts";
import { toldAsText } from "./lines.ts";
import { type Ready, readyLine, welcome } from "./ready.ts";
import { Recorder } from "./record.ts";
import { registryOf } from "./register.ts";
import { refuseLoop } from "./routes.ts";
import { DeliveryServer } from "./server.ts";
import { Session } from "./session.ts";
import { toldAsJson } from "./told.ts";

export type ListenOptions = OptionValues<typeof listenOptions>;

/** Where it listens unless told otherwise: beside the sandbox's 4750. */
const DEFAULT_PORT = 4800;

/** Takes deliveries until it is to end; a terminal gets lines for a person, everything else a line of JSON each. */
export async function listen(context: Context, options: ListenOptions, call: BaseInvocation): Promise<Output> {
  const { host = "127.0.0.1", port = DEFAULT_PORT, forwardTo = [], route = [], record } = options;
  const { tolerance, forwardUnverified = false } = options;
  const { global, onEnd } = call;
  const asJson = global.json || !context.stdout.isTerminal;
  const registry = options.register ? await registryOf(context, call) : null;
  const secrets = (await readSecrets(context, options)).map(requireCleanSecret);
  const routes = [...forwardTo, ...route];
  const feed = new Readable({ objectMode: true, read() {} });
  const goal = new Goal(options);
  const forwarder = new Forwarder(context, routes);
  onEnd(() => forwarder.close());
  const recorder = record === undefined ? null : await Recorder.open(context, record);
  const session = new Session({
    ...{ secrets, suspects: await readCandidateSecrets(context, []), tolerance, forwardUnverified },
    ...{ forwarder, recorder, goal, now: context.now },
    tell: (told) => void feed.push(asJson ? `${toldAsJson(told)}\n` : toldAsText(told)),
  });
  const server = new DeliveryServer({
    ...{ host, port, now: context.now },
    receive: (incoming, answer) => session.receive(incoming, answer),
    fail: (error) => void feed.destroy(error as Error),
    say: (line) => printMessage(context, line),
  });
  const url = await server.listen();
  onEnd(() => server.close());
  refuseLoop(routes, url);
  const registered = (await registry?.register(url)) ?? null;
  if (registered) {
    onEnd(registered.revoke);
    secrets.push(registered.secret);
  }
  const ready: Ready = { url, secrets, routes, forwardUnverified, registered };
  for (const line of welcome(ready)) printMessage(context, line);
  if (asJson) feed.push(readyLine(ready));
  return { kind: "stream", body: course(context, { goal, server, recorder, feed }) };
}

interface Course {
  readonly goal: Goal;
  readonly server: DeliveryServer;
  readonly recorder: Recorder | null;
  readonly feed: Readable;
}

/** What there is to tell, as it comes; then whether it was what was hoped for. */
async function* course(context: Context, { goal, server, recorder, feed }: Course): AsyncGenerator<string> {
  const closing = goal.end(context).then(async (ended) => {
    await server.close();
    feed.push(null);
    return ended;
  });
  closing.catch((error: Error) => feed.destroy(error));
  yield* feed as AsyncIterable<string>;
  const failure = recorder?.failure() ?? goal.failure(await closing);
  if (failure) throw failure;
}
