import { fixture, runCli } from "./cli.ts";
import { environmentOf, sandboxForTest, submitArgs } from "./sandbox.ts";

/** Starts a sandbox with a client, and returns functions that run commands against it. `claim` creates a claim from the sample file. */
export async function startScenario() {
  const env = environmentOf(await sandboxForTest());
  const claims = (...args: string[]) => runCli(args, { env });
  const idOf = async (...args: string[]) => (await claims(...args, "-q")).stdout.trim();
  const jsonOf = async (...args: string[]) => JSON.parse((await claims(...args, "--json")).stdout);
  const client = await idOf("clients", "create", "--name", "Harbor & Pine");
  const job = () => idOf(...submitArgs(fixture("sample_entries.csv"), "--wait", "--on-duplicate", "submit"));
  const claim = async () => idOf("claims", "create", "--client", client, "--job", await job());
  return { env, claims, idOf, jsonOf, client, job, claim };
}
