import { command } from "../../command.ts";
import { readControl, requireSandbox } from "../../control.ts";
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
    const state = await readControl<SandboxState>(context, locator, "clock", "GET", "/state");
    const { name, url, pid } = locator;
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
            ["jobs", inWords(state.jobs)],
            ["clients", inWords(state.clients)],
            ["claims", inWords(state.claims)],
            ["offers", inWords(state.offers)],
            ["scans", inWords(state.scans)],
            ["webhook endpoints", inWords(state.endpoints)],
            ["deliveries", inWords(state.deliveries)],
            ["notifications", inWords(state.notifications)],
            [
              "seeded endpoint",
              `${locator.credentials.webhook.endpointId}, to the sink of \`claims sandbox sink\``,
            ],
          ],
        },
      ],
    };
  },
});

/** What the control API says of a sandbox. */
interface SandboxState {
  readonly clock: { readonly now: string; readonly frozen: boolean };
  readonly jobs: Counts;
  readonly clients: number;
  readonly claims: Counts;
  readonly offers: Counts;
  readonly scans: Counts;
  readonly endpoints: Counts;
  readonly deliveries: Counts;
  readonly notifications: Counts;
}

/** How many there are, by their state. */
type Counts = Readonly<Record<string, number>>;

const inWords = (counts: Counts | number): string => {
  if (typeof counts === "number") return counts === 0 ? "none" : `${counts}`;
  const told = Object.entries(counts).map(([word, count]) => `${count} ${word}`);
  return told.join(", ") || "none";
};
