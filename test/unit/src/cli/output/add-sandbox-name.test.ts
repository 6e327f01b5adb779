import { describe, expect, it } from "vitest";
import { addSandboxName } from "../../../../../src/cli/output/add-sandbox-name.ts";
import { listCommands } from "../../../../support/command-tree.ts";

describe("addSandboxName", () => {
  it("adds the option to exactly the commands that take it", () => {
    for (const [path, command] of listCommands()) {
      const takesName = command.options.some(({ long }) => long === "--sandbox-name");
      const expected = path === "claims sandbox up" ? " --name ci" : takesName ? " --sandbox-name ci" : "";
      expect(addSandboxName(`\`${path}\` helps`, "ci")).toBe(`\`${path}${expected}\` helps`);
    }
  });

  it("adds it after the words of the command, to each command of a text", () => {
    expect(addSandboxName("$(claims sandbox env); `claims claims list -q | claims api GET /`", "ci")).toBe(
      "$(claims sandbox env --sandbox-name ci); `claims claims list --sandbox-name ci -q | claims api --sandbox-name ci GET /`",
    );
    expect(addSandboxName("claims sandbox requests show 7", "ci")).toBe(
      "claims sandbox requests show --sandbox-name ci 7",
    );
  });

  it("leaves other text, and a text of a run without a name", () => {
    expect(addSandboxName("no claims yet; 3 claims scanned", "ci")).toBe("no claims yet; 3 claims scanned");
    expect(addSandboxName("`claims sandbox status`", undefined)).toBe("`claims sandbox status`");
  });
});
