import type { Sandbox } from "../../../../sandbox/index.ts";

/** The jobs that wait for the clock. */
export async function listOpenJobs(sandbox: Sandbox): Promise<readonly string[]> {
  await sandbox.idle();
  const tasks = sandbox.clock.agenda().filter(({ kind }) => kind.startsWith("job."));
  return [...new Set(tasks.map(({ subject }) => subject))];
}
