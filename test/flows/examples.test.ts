import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXAMPLES } from "../../src/cli/capabilities/example-files.ts";
import { ROOT, runCli, temporaryFolder } from "../support/cli.ts";

const fileOf = (name: string): string => readFileSync(join(ROOT, "docs/examples", name), "utf8");

describe("examples", () => {
  it("writes the files of every example below --out, and again changes nothing", async () => {
    for (const { name, files } of EXAMPLES) {
      const cwd = temporaryFolder();
      for (const _ of ["first", "second"]) {
        const { code, stdout, stderr } = await runCli(["examples", name, "--out", "new/folder"], { cwd });
        expect([code, stdout]).toEqual([0, ""]);
        expect(stderr).toContain(`wrote ${join("new/folder", Object.keys(files)[0] ?? "")}`);
      }
      for (const path of Object.keys(files))
        expect(readFileSync(join(cwd, "new/folder", path), "utf8"), path).toBe(fileOf(path));
    }
  });

  it("names a file that differs, and then writes none", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "job.sh"), "mine\n");
    const { code, stderr } = await runCli(["examples", "nightly", "--out", "."], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^error: job\.sh exists, and differs from the example\nhint: .*claims examples job\.sh/,
    );
    expect(readdirSync(cwd)).toEqual(["job.sh"]);
    expect(readFileSync(join(cwd, "job.sh"), "utf8")).toBe("mine\n");
    mkdirSync(join(cwd, "folder/nightly.sh"), { recursive: true });
    expect(await runCli(["examples", "nightly", "--out", "folder"], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("folder/nightly.sh: it is a folder"),
    });
  });

  it("prints an example of one file, or one file by its name, and lists the others", async () => {
    expect(await runCli(["examples", "koa"])).toMatchObject({ code: 0, stdout: fileOf("koa.mjs") });
    expect(await runCli(["examples", "job.sh"])).toMatchObject({ code: 0, stdout: fileOf("job.sh") });
    const several = await runCli(["examples", "github"]);
    expect([several.code, several.stdout]).toEqual([2, ""]);
    expect(several.stderr).toContain("github.yml, nightly.sh, job.sh, install.sh");
    const { stderr } = await runCli(["examples", "vitst"]);
    expect(stderr).toContain('did you mean "claims examples vitest"?');
    const { stdout } = await runCli(["examples", "--json"]);
    const listed = JSON.parse(stdout) as { name: string; files: { path: string; text: string }[] }[];
    expect(listed.map(({ name }) => name)).toEqual(EXAMPLES.map(({ name }) => name));
    expect(listed[0]?.files).toContainEqual({ path: "nightly.sh", text: fileOf("nightly.sh") });
  });
});
