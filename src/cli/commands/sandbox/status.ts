import { command } from "../../command.ts";
import { askControl, requireSandbox } from "./control.ts";
import { sandboxName } from "./options.ts";

export const status = command({
  name: "status",
  summary: "show where a sandbox is and what it holds; exits 3 when none is up",
  remote: false,
  options: sandboxName,
  examples: ["claims sandbox status", "claims sandbox status --json | jq -r .url"],
  async run(context, { options }) {
    const locator = await requireSandbox(context, options.name);
    const answer = await askControl(context, locator, "GET", "/state");
    const state = JSON.parse(answer.body.toString("utf8")) as Record<string, unknown>;
    const { name, url, pid } = locator;
    const facts = { name, url, pid, ...state };
    const rows = Object.entries(facts).map(
      ([key, value]) => [key, typeof value === "object" ? JSON.stringify(value) : String(value)] as const,
    );
    return {
      kind: "document",
      json: facts,
      blocks: [{ kind: "card", title: `Sandbox "${name}" is up`, rows }],
    };
  },
});
