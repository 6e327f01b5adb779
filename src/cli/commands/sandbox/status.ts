import { ClaimsError } from "../../../domain/errors.ts";
import type { Locator } from "../../connection/locator.ts";
import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";
import {
  type ControlTarget,
  findLocator,
  readControl,
  requireControl,
} from "../../sandbox-control/control.ts";
import type { ClockState } from "./clock/show.ts";
import { sandboxNameOption } from "./options.ts";

export const status = command({
  name: "status",
  summary: "show where a sandbox is and what it holds; exits 3 when none is up",
  remote: false,
  output: "record",
  options: sandboxNameOption,
  examples: ["claims sandbox status", "claims sandbox status --json | jq -r .url"],
  async run(context, { options }) {
    const control = await requireControl(context, options.name);
    const locator = await findLocator(context, control);
    const state = await readState(context, locator ?? control);
    const { url } = control;
    const { name = null, pid = null } = locator ?? {};
    return {
      kind: "record",
      id: name,
      json: { name, url, pid, ...state },
      blocks: [
        {
          kind: "card",
          title: name === null ? "A sandbox is up" : `Sandbox "${name}" is up`,
          rows: [
            ["url", url],
            ["pid", pid],
            ["clock", `${state.clock.now}, ${state.clock.frozen ? "frozen" : "running"}`],
            ["jobs", describeCounts(state.jobs)],
            ["clients", describeCounts(state.clients)],
            ["claims", describeCounts(state.claims)],
            ["offers", describeCounts(state.offers)],
            ["scans", describeCounts(state.scans)],
            ["webhook endpoints", describeCounts(state.endpoints)],
            ["deliveries", describeCounts(state.deliveries)],
            ["notifications", describeCounts(state.notifications)],
            ["seeded endpoint", locator && describeSeededEndpoint(locator)],
          ],
        },
      ],
    };
  },
});

/** Of a sandbox that is only in the environment nobody knows before whether it is up. */
async function readState(context: Context, control: ControlTarget): Promise<SandboxState> {
  try {
    return await readControl<SandboxState>(context, control, "clock", "GET", "/state");
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.code !== "unreachable") throw error;
    const isLocal = "pid" in control;
    throw new ClaimsError("not_found", "no_sandbox", `no sandbox answers at ${control.url}`, {
      hint: `${isLocal ? "" : "unset CLAIMS_CONTROL_URL and CLAIMS_CONTROL_TOKEN, or "}start one with \`claims sandbox up\``,
      cause: error,
    });
  }
}

const describeSeededEndpoint = ({ credentials }: Locator): string =>
  `${credentials.webhook.endpointId}, to the sink of \`claims sandbox sink\``;

/** What the control API says of a sandbox. */
interface SandboxState {
  readonly clock: ClockState;
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

const describeCounts = (counts: Counts | number): string => {
  if (typeof counts === "number") return counts === 0 ? "none" : `${counts}`;
  const parts = Object.entries(counts).map(([word, count]) => `${count} ${word}`);
  return parts.join(", ") || "none";
};
