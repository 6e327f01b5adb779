import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Sandbox } from "../../../../sandbox/index.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { startEmbedded } from "../../embedded-sandbox.ts";
import {
  DEFAULT_SANDBOX,
  findSandbox,
  type Locator,
  logFileOf,
  makeStateFolder,
  removeLocator,
  writeLocator,
} from "../../locator.ts";
import type { Output } from "../../output/output.ts";
import { sandboxName, sandboxOptions, startFlags, startOptions } from "./options.ts";

/** Where a sandbox listens unless told otherwise (product.md §5). */
const DEFAULT_PORT = 4750;

/** Milliseconds that a detached sandbox may take to come up. */
const PATIENCE = 15_000;

export const up = command({
  name: "up",
  summary: "start a sandbox and stay with it until Ctrl-C",
  remote: false,
  options: {
    ...sandboxName,
    ...startOptions,
    detach: { help: "leave it running and return when it is ready" },
  },
  examples: [
    "claims sandbox up",
    "claims sandbox up --port 0 --json",
    "claims sandbox up --frozen --at 2026-11-20T00:00:00Z --detach",
  ],
  async run(context, { options, global }) {
    const { name = DEFAULT_SANDBOX, detach } = options;
    const running = await findSandbox(context, name);
    if (running) {
      throw new ClaimsError(
        "usage",
        "already_up",
        `the sandbox "${name}" is already up at ${running.url} (pid ${running.pid})`,
        {
          hint: "stop it with `claims sandbox down`, or give the new one a --name",
        },
      );
    }
    const start = { port: DEFAULT_PORT, ...sandboxOptions(context, options) };
    if (detach) return ready(await startDetached(context, name, startFlags(options)), global.json);

    const stop = new AbortController();
    const onShutdownRequested = () => stop.abort();
    const sandbox = await startEmbedded(context, { ...start, onShutdownRequested });
    return { kind: "stream", body: serve(context, sandbox, name, global.json, stop.signal) };
  },
});

/** Tells where the sandbox is, then lets it work until somebody wants it to stop. */
async function* serve(
  context: Context,
  sandbox: Sandbox,
  name: string,
  json: boolean,
  stopped: AbortSignal,
): AsyncGenerator<string> {
  const { url, controlToken, credentials } = sandbox;
  const locator: Locator = { name, url, pid: context.pid, controlToken, credentials };
  try {
    await writeLocator(context, locator);
    yield json ? readyLine(locator) : welcome(locator);
    const either = AbortSignal.any([context.signal, stopped]);
    if (!either.aborted) await once(either, "abort");
  } finally {
    await removeLocator(context, locator);
    await sandbox.close();
  }
}

const ready = (locator: Locator, json: boolean): Output => ({
  kind: "stream",
  body: [json ? readyLine(locator) : welcome(locator)],
});

const readyLine = ({ url, pid, controlToken, credentials }: Locator): string =>
  `${JSON.stringify({ event: "ready", url, pid, controlToken, credentials })}\n`;

function welcome({ name, url, pid, credentials: { sandbox, production } }: Locator): string {
  const suffix = name === DEFAULT_SANDBOX ? "" : ` --name ${name}`;
  const facts = [
    ["API key, sandbox", sandbox.apiKey],
    ["API key, production", production.apiKey],
    ["OAuth client", sandbox.clientId],
    ["OAuth client secret", sandbox.clientSecret],
  ] as const;
  const commands = [
    [`eval "$(claims sandbox env${suffix})"`, "sets CLAIMS_* for curl and everything else"],
    [`claims sandbox down${suffix}`, "stops it, as Ctrl-C does here"],
  ] as const;
  const byDefault = [
    ["claims diligence submit FILE --seller-name NAME", "uses this sandbox by itself"],
  ] as const;
  return [
    `Sandbox ready at ${url} (pid ${pid})`,
    "",
    ...facts.map(([label, value]) => `  ${label.padEnd(22)}${value}`),
    "",
    "In another terminal:",
    ...(suffix === "" ? [...byDefault, ...commands] : commands).map(
      ([line, effect]) => `  ${line.padEnd(50)}${effect}`,
    ),
    "",
  ].join("\n");
}

/** Starts this program again as a process of its own, and waits for its locator. */
async function startDetached(context: Context, name: string, flags: readonly string[]): Promise<Locator> {
  await makeStateFolder(context);
  const logFile = logFileOf(context, name);
  const child = context.start({
    command: context.self.node,
    args: [context.self.script, "sandbox", "up", "--name", name, ...flags],
    env: context.env,
    mode: { kind: "detached", logFile },
  });
  let hasEnded = false;
  child.ended.then(
    () => (hasEnded = true),
    () => (hasEnded = true),
  );
  for (const deadline = context.now() + PATIENCE; context.now() < deadline && !hasEnded; ) {
    await context.sleep(25, context.signal);
    const locator = await findSandbox(context, name);
    if (locator?.pid === child.pid) {
      child.release();
      return locator;
    }
  }
  child.kill("SIGTERM");
  const log = (await readFile(logFile, "utf8")).trim();
  const [, said = log] = /^error: (.*)/m.exec(log) ?? [];
  throw new ClaimsError("usage", "not_started", `the sandbox did not start: ${said || "no word from it"}`, {
    hint: `its log is ${logFile}`,
  });
}
