import type { SandboxState, SavedState, SaveFailure } from "../../../../sandbox/index.ts";
import { notFoundError } from "../../../domain/errors.ts";
import { formatThousands } from "../../../domain/numbers.ts";
import { formatTime } from "../../../domain/times.ts";
import { handleFailure } from "../../framework/handle-failure.ts";
import { toCard } from "../../output/output.ts";
import { type ControlClient, findLocator } from "../../sandbox-control/control.ts";
import { defineControlCommand } from "../../sandbox-control/control-command.ts";
import { describeMapping } from "./mapping.ts";

export const status = defineControlCommand({
  name: "status",
  prints: "SandboxStatus",
  summary: "show where a sandbox is and what it holds; exit with 3 when none is up",
  output: "record",
  examples: ["claims sandbox status", "claims sandbox status --json | jq -r .url"],
  async run(context, _, control) {
    const locator = await findLocator(context, control);
    const state = await readState(control, locator !== null);
    const { name = null, pid = null, credentials } = locator ?? {};
    const { url } = control.target;
    const { startedAt, seed, clock, saved, saveFailure = null, mapping, endpoints } = state;
    const { jobs, clients, claims, offers, scans, deliveries, notifications } = state;
    const before = { jobs, clients, claims, offers, scans };
    const counts = { ...before, "webhook endpoints": endpoints, deliveries, notifications };
    const seededEndpointId = credentials?.webhook.endpointId ?? null;
    const record = { name, url, pid, seededEndpointId, ...state, saved: saved ?? null, saveFailure, mapping };
    const card = toCard(
      "sandbox",
      {
        url,
        pid,
        started: startedAt,
        seed,
        clock: `${formatTime(clock.now)}, ${clock.frozen ? "frozen" : "running"}`,
        ...(saved !== undefined && { state: describeSaves(saved, saveFailure) }),
        ...(mapping && { mapping: describeMapping(mapping) }),
        ...Object.fromEntries(Object.entries(counts).map(([kind, each]) => [kind, describeCounts(each)])),
        "seeded endpoint": seededEndpointId && `${seededEndpointId}, to the built-in sink`,
      },
      {
        title: name === null ? "A sandbox is up" : `Sandbox "${name}" is up`,
        record: { ...record, mapping: mapping && describeMapping(mapping) },
      },
    );
    return { kind: "record", id: name, json: record, blocks: [card] };
  },
});

/** A sandbox that only the environment names may have stopped. */
const readState = (control: ControlClient, hasLocator: boolean) =>
  handleFailure(control.send("GET /state", "clock"), (error) => {
    if (error.code !== "unreachable") throw error;
    throw notFoundError("no_sandbox", `no sandbox responds at ${control.target.url}`, {
      hint: hasLocator
        ? "start one with `claims sandbox up`; if it hangs, `claims sandbox down` says how to stop it"
        : "unset CLAIMS_CONTROL_URL and CLAIMS_CONTROL_TOKEN, or start one with `claims sandbox up`",
      cause: error,
    });
  });

function describeSaves(saved: SavedState | null, failure: SaveFailure | null): string {
  if (failure) return `not saved since ${formatTime(failure.since)}: ${failure.message}`;
  return saved ? `saved at ${formatTime(saved.at)}, in ${saved.durationMs} ms` : "not saved yet";
}

const describeCounts = (counts: SandboxState["jobs"] | number): string => {
  if (typeof counts === "number") return counts === 0 ? "none" : formatThousands(counts);
  const parts = Object.entries(counts).map(([state, count]) => `${formatThousands(count)} ${state}`);
  return parts.join(", ") || "none";
};
