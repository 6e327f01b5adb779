import type { LoggedRequest, Trial } from "../../../conformance/trial.ts";
import { startEmbeddedSandbox } from "../../connection/embedded-sandbox.ts";
import type { Context } from "../../context.ts";
import { childEnvironment } from "../sandbox/exec/child.ts";
import { runProgram } from "./program.ts";
import type { ProgramSetup } from "./run-scenario.ts";
import { followRequests, REQUEST_LOG_SIZE, readTraffic } from "./traffic.ts";

/** Runs the program once, with a running clock. A reset of the sandbox clears its log, and so begins another trial. */
export async function runPassively(
  context: Context,
  { command, workspace, seed, grease, allowHosts, timeoutMs }: ProgramSetup,
): Promise<readonly Trial[]> {
  const options = { seed, grease, allowHosts, requestLogSize: REQUEST_LOG_SIZE };
  const sandbox = await startEmbeddedSandbox(context, options, { tempDir: workspace.folder });
  const ended = new Map<string, LoggedRequest>();
  const collect = (request: LoggedRequest) =>
    void ended.set(`${request.number} ${request.arrivalOffsetMs}`, request);
  const unfollow = followRequests(sandbox, new Set([collect]));
  try {
    const run = await runProgram(context, sandbox, {
      command,
      env: childEnvironment(context, sandbox, workspace.binFolder),
      timeoutMs,
      onOutput: (chunk) => void context.stderr.writable.write(chunk),
    });
    for (const request of await readTraffic(context, sandbox)) collect(request);
    return splitByReset([...ended.values()]).map((requests) => {
      const own = { ...run, firstAfter: 0, last: requests.at(-1)?.number ?? 0 };
      return { scenario: null, requests, runs: [own], plain: null };
    });
  } finally {
    await unfollow();
    await sandbox.close();
  }
}

/** Splits requests where their numbers begin again. At least one part, in order. */
function splitByReset(requests: readonly LoggedRequest[]): LoggedRequest[][] {
  const inOrder = requests.toSorted(
    (one, other) => one.arrivalOffsetMs - other.arrivalOffsetMs || one.number - other.number,
  );
  const parts: LoggedRequest[][] = [[]];
  for (const request of inOrder) {
    const part = parts.at(-1) ?? [];
    if (request.number <= (part.at(-1)?.number ?? 0)) parts.push([request]);
    else part.push(request);
  }
  return parts;
}
