import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { bareEnvironment, ROOT, runCli, temporaryFolder } from "../support/cli.ts";
import { SELLER, spawnSandboxUp, startSandboxUp as up } from "../support/sandbox.ts";
import { largeEntriesCsv } from "../support/sandbox-requests.ts";

const run = promisify(execFile);

const listSandboxFolders = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.startsWith("claims-sandbox-"));

it("the uploads of a killed sandbox are removed when the next sandbox starts", {
  tags: "large",
}, async () => {
  const folder = temporaryFolder();
  const env = bareEnvironment(folder);
  const { child, completion } = await spawnSandboxUp(env, "--job-speed", "real", "--frozen");
  const file = join(folder, "large.csv");
  writeFileSync(file, largeEntriesCsv());
  const submit = ["diligence", "submit", file, "--seller-name", SELLER, "--json"];
  expect((await runCli(submit, { env })).code).toBe(0);
  expect(listSandboxFolders(folder)).toHaveLength(1);
  child.kill("SIGKILL");
  await completion;
  expect(listSandboxFolders(folder)).toHaveLength(1);
  await up(env);
  expect(listSandboxFolders(folder)).toEqual([]);
});

describe("a sandbox without a temporary folder", () => {
  const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

  it.skipIf(!canMount).each([
    ["is full", "size=128k", "no room is left in"],
    ["is read-only", "ro", "it cannot write to"],
  ])(
    "responds with 507 and keeps no file if the folder %s",
    { tags: "large" },
    async (_, options, reason) => {
      const folder = join(temporaryFolder(), "small");
      mkdirSync(folder);
      const script = `
      import { readdirSync } from "node:fs";
      import { startSandbox } from ${JSON.stringify(join(ROOT, "dist/sandbox.cjs"))};
      const sandbox = await startSandbox();
      const body = new FormData();
      body.set("seller_name", "A");
      body.set("requires_protest_documentation", "true");
      body.set("file", new Blob(["x".repeat(2_000_000)], { type: "text/csv" }), "a.csv");
      const headers = { authorization: "Bearer " + sandbox.credentials.sandbox.apiKey };
      const response = await fetch(sandbox.url + "/v1/diligence/submit", { method: "POST", headers, body });
      const { detail } = await response.json();
      const files = readdirSync(${JSON.stringify(folder)}, { recursive: true }).length;
      console.log(JSON.stringify({ status: response.status, detail, files }));
      await sandbox.close();`;
      const { stdout } = await run("unshare", [
        ...[
          "-rm",
          "bash",
          "-c",
          `mount -t tmpfs -o ${options} none "$1" && TMPDIR="$1" exec "$2" --input-type=module -e "$3"`,
        ],
        ...["bash", folder, process.execPath, script],
      ]);
      const { status, detail, files } = JSON.parse(stdout);
      expect(status).toBe(507);
      expect(detail).toContain(`The sandbox cannot store the upload: ${reason} ${folder}`);
      // The sandbox's own folder may exist.
      expect(files).toBeLessThanOrEqual(1);
    },
  );
});
