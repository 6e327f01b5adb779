import {
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bareEnvironment, fixture, runProcess, temporaryFolder } from "../support/cli.ts";
import { submitArgs } from "../support/sandbox.ts";

const USER = 12_345;

it.skipIf(process.getuid?.() !== 0)(
  "gives what root writes in the HOME of a user to that user, and nothing else",
  { tags: "large" },
  async () => {
    const home = temporaryFolder();
    const elsewhere = temporaryFolder();
    const linked = join(elsewhere, "linked");
    const hardLinked = join(elsewhere, "hard-linked");
    for (const file of [linked, hardLinked]) writeFileSync(file, "of root");
    const state = join(home, ".local/state/claims");
    mkdirSync(state, { recursive: true });
    symlinkSync(linked, join(state, "link"));
    linkSync(hardLinked, join(state, "hard-link"));
    // On a loaded machine, the first command starts long after this.
    for (const folder of [".", ".local", ".local/state", ".local/state/claims"])
      chownSync(join(home, folder), USER, USER);

    const { CLAIMS_CONFIG_DIR: _, ...bare } = bareEnvironment();
    const env = { ...bare, HOME: home };
    const run = async (...args: string[]) => {
      const { code, stderr } = await runProcess(args, { env });
      expect([code, stderr.includes("warning")], `${args.join(" ")}: ${stderr}`).toEqual([0, false]);
    };
    await run(
      "profiles",
      "set",
      "acme",
      "--base-url",
      "https://partners.example.com",
      "--environment",
      "sandbox",
    );
    await run("sandbox", "up", "--port", "0", "--detach");
    await run(...submitArgs(fixture("scenario_partial.csv")));

    const files = readdirSync(home, { recursive: true, encoding: "utf8" });
    const owners = files.map((name) => [name, lstatSync(join(home, name)).uid]);
    const foreign = owners.filter(([name, uid]) => uid !== USER && !String(name).includes("link"));
    expect(foreign).toEqual([]);
    expect(files.some((name) => name.endsWith("config.json"))).toBe(true);
    expect(files.some((name) => name.endsWith("writes.jsonl"))).toBe(true);
    expect([linked, hardLinked].map((file) => statSync(file).uid)).toEqual([0, 0]);
    await run("sandbox", "down");
  },
);
