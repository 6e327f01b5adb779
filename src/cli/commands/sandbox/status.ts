import { parseAnswer } from "../../answer.ts";
import { command } from "../../command.ts";
import { askControl, requireSandbox } from "../../control.ts";
import { sandboxName } from "./options.ts";

export const status = command({
  name: "status",
  summary: "show where a sandbox is and what it holds; exits 3 when none is up",
  remote: false,
  answers: "record",
  options: sandboxName,
  examples: ["claims sandbox status", "claims sandbox status --json | jq -r .url"],
  async run(context, { options }) {
    const locator = await requireSandbox(context, options.name);
    const answer = await askControl(context, locator, "GET", "/state");
    const state = parseAnswer(answer, "the sandbox") as SandboxState;
    const { name, url, pid } = locator;
    const jobs = Object.entries(state.jobs).map(([word, count]) => `${count} ${word}`);
    return {
      kind: "record",
      id: name,
      json: { name, url, pid, ...state },
      blocks: [
        {
          kind: "card",
          title: `Sandbox "${name}" is up`,
          rows: [
            ["url", url],
            ["pid", pid],
            ["clock", `${state.clock.now}, ${state.clock.frozen ? "frozen" : "running"}`],
            ["jobs", jobs.join(", ") || "none"],
          ],
        },
      ],
    };
  },
});

/** What the control API says of a sandbox. */
interface SandboxState {
  readonly clock: { readonly now: string; readonly frozen: boolean };
  readonly jobs: Readonly<Record<string, number>>;
}
