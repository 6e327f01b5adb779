import type { TrafficRequest, Trial } from "../../../conformance/trial.ts";
import { interruptedError } from "../../../domain/errors.ts";
import { startEmbeddedSandbox } from "../../connection/embedded-sandbox.ts";
import type { Context } from "../../context.ts";
import { childEnvironment, createWorkspace } from "../sandbox/exec/child.ts";
import { redactOutput, startProgram } from "./program.ts";
import type { ProgramInvocation } from "./run-all-scenarios.ts";
import { followRequests, listOpenJobs, readTraffic, splitByReset } from "./traffic.ts";

/** A test suite may make more requests than the default log keeps. */
const REQUEST_LOG_SIZE = 100_000;

/** Runs the program once, with a running clock. A reset of the sandbox clears its log, and so begins another trial. */
export async function runPassively(
  context: Context,
  { command: [program = "", ...args], seed, grease, options, onEnd }: ProgramInvocation,
): Promise<readonly Trial[]> {
  const workspace = await createWorkspace(context, { onEnd });
  workspace.guard.watchPath();
  const sandbox = await startEmbeddedSandbox(context, {
    seed,
    grease,
    tempDir: workspace.folder,
    requestLogSize: REQUEST_LOG_SIZE,
  });
  onEnd(() => sandbox.close());
  const ended = new Map<string, TrafficRequest>();
  const collect = (request: TrafficRequest) =>
    void ended.set(`${request.number} ${request.elapsedMs}`, request);
  const unfollow = followRequests(sandbox, new Set([collect]));
  const started = startProgram(context, {
    command: { program, args },
    env: childEnvironment(context, sandbox, workspace.binFolder),
    timeoutMs: options.timeout,
    onOutput: (chunk) => void context.stderr.writable.write(chunk),
  });
  const { output, ...end } = await started.ended;
  if (context.signal.aborted) throw interruptedError(context.signal.reason);
  const openJobs = await listOpenJobs(sandbox);
  for (const request of await readTraffic(context, sandbox)) collect(request);
  await unfollow();
  return splitByReset([...ended.values()]).map((requests) => {
    const last = requests.at(-1)?.number ?? 0;
    const run = { ...end, ...redactOutput(sandbox, output), firstAfter: 0, last, openJobs };
    return { scenario: null, requests, runs: [run], plain: null, strayCredentials: [] };
  });
}
