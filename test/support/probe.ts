import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { bareEnvironment, runCli, startCli, temporaryFolder } from "./cli.ts";
import { SECRET } from "./receivers/listen.ts";

/** Advice about old deliveries. */
export const AGES = ["advice.old_10_minutes", "advice.future_10_minutes"];

/** Creates a folder with the secret, and returns functions that run the probe in it. */
export function setUpProbe(files: Readonly<Record<string, string>> = {}) {
  const cwd = temporaryFolder();
  for (const [name, content] of Object.entries({ "secret.txt": SECRET, ...files }))
    writeFileSync(join(cwd, name), content, { mode: 0o600 });
  const probeArgs = (url: string, more: readonly string[]) => [
    ...["webhooks", "probe", url, "--secret-file", "secret.txt"],
    ...more,
  ];
  const run = (url: string, ...more: string[]) =>
    runCli(probeArgs(url, more), { cwd, env: bareEnvironment() });
  const start = (url: string, ...more: string[]) =>
    startCli(probeArgs(url, more), { cwd, env: bareEnvironment() });
  /** Runs the probe with `--json` and returns its report and exit code. */
  const probe = async (url: string, ...more: string[]) => {
    const result = await run(url, ...more, "--json");
    expect(result.stdout, result.stderr).not.toBe("");
    return { code: result.code, stderr: result.stderr, ...(JSON.parse(result.stdout) as ProbeReport) };
  };
  return { cwd, run, start, probe };
}

export interface ProbeReport {
  readonly verdict: "fails" | "inconclusive" | "passes";
  readonly cases: { id: string; basis: string; outcome: string; met: boolean | null }[];
  readonly diagnoses: {
    id: string;
    title: string;
    fix: string;
    evidence: { case: string; outcome: string }[];
  }[];
  readonly rules: { verdict: string }[];
}

/** Cases of a basis that the receiver does not meet. */
export const listUnmet = ({ cases }: ProbeReport, basis: string): string[] =>
  cases.filter((each) => each.basis === basis && each.met === false).map(({ id }) => id);
