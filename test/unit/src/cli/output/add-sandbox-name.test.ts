import { describe, expect, it } from "vitest";
import { RECORD_NOUNS } from "../../../../../src/cli/commands/index.ts";
import { createSandboxNamer } from "../../../../../src/cli/output/add-sandbox-name.ts";
import { listCommands } from "../../../../support/command-tree.ts";

const addSandboxName = createSandboxNamer(
  RECORD_NOUNS.map(({ name }) => name),
  "ci",
);

describe("createSandboxNamer", () => {
  it("adds the option to exactly the commands that take it", () => {
    for (const [path, command] of listCommands()) {
      const takesName = command.options.some(({ long }) => long === "--sandbox-name");
      const expected = takesName ? " --sandbox-name ci" : "";
      expect(addSandboxName(`\`${path}\` helps`)).toBe(`\`${path}${expected}\` helps`);
    }
  });

  it("adds it after the words of the command, to each command of a text", () => {
    expect(addSandboxName("$(claims sandbox env); `claims claims list -q | claims api GET /`")).toBe(
      "$(claims sandbox env --sandbox-name ci); `claims claims list --sandbox-name ci -q | claims api --sandbox-name ci GET /`",
    );
    expect(addSandboxName("claims sandbox requests show 7")).toBe(
      "claims sandbox requests show --sandbox-name ci 7",
    );
  });

  it("leaves other text", () => {
    expect(addSandboxName("no claims yet; 3 claims scanned")).toBe("no claims yet; 3 claims scanned");
  });
});
