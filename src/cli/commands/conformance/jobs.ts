import type { Sandbox } from "../../../../sandbox/index.ts";
import type { TrafficRequest, Trial } from "../../../conformance/trial.ts";

/** The jobs that wait for the clock. */
export async function listOpenJobs(sandbox: Sandbox): Promise<readonly string[]> {
  await sandbox.idle();
  const tasks = sandbox.clock.agenda().filter(({ kind }) => kind.startsWith("job."));
  return [...new Set(tasks.map(({ subject }) => subject))];
}

/** The jobs of the submissions with their present states. The path in Location has the id, whatever the body is like. */
export async function readJobs(
  sandbox: Sandbox,
  requests: readonly TrafficRequest[],
): Promise<Trial["jobs"]> {
  const open = await listOpenJobs(sandbox);
  const ids = requests.flatMap(({ operation, responseHeaders }) => {
    const location = responseHeaders.find(([name]) => name.toLowerCase() === "location")?.[1];
    return operation === "diligence.submit" && location !== undefined
      ? [location.split("/").at(-1) ?? ""]
      : [];
  });
  return Promise.all(
    [...new Set(ids)].map(async (id) => {
      if (open.includes(id)) return { id, state: "open" };
      const { state } = await sandbox.waitFor({ job: { id } });
      return { id, state };
    }),
  );
}
