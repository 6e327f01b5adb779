import { formatDuration, formatTime } from "../../../domain/times.ts";
import { type Locator, listSandboxes } from "../../connection/locator.ts";
import type { Context } from "../../context.ts";
import { command } from "../../framework/command.ts";
import { handleFailure } from "../../framework/handle-failure.ts";
import { hiddenColumns, type ListColumn, toListOutput } from "../../output/output.ts";
import { ControlClient } from "../../sandbox-control/control.ts";

type ListedSandbox = Awaited<ReturnType<typeof readSandbox>>;

export const list = command({
  name: "list",
  prints: "Sandboxes",
  summary: "list the running sandboxes of this machine",
  output: "list",
  quietPrints: "names",
  examples: ["claims sandbox list", "claims sandbox list --json | jq -r '.[].url'"],
  async run(context) {
    const locators = await listSandboxes(context);
    return toListOutput({
      items: await Promise.all(locators.map((locator) => readSandbox(context, locator))),
      columns: createColumns(context.now()),
      emptyMessage: "no sandbox is running; `claims sandbox up` starts one",
    });
  },
});

const createColumns = (now: number): readonly ListColumn<ListedSandbox>[] => [
  { name: "name", isId: true },
  { name: "url", isWhole: true },
  { name: "state" },
  {
    name: "startedAt",
    title: "up for",
    display: ({ startedAt }) => startedAt && formatDuration(now - Date.parse(startedAt)),
  },
  {
    name: "clock.now",
    title: "clock",
    isWhole: true,
    value: ({ clock }) => clock?.now ?? null,
    display: ({ clock }) => clock && `${formatTime(clock.now)}${clock.frozen ? ", frozen" : ""}`,
  },
  { name: "clock.frozen", isHidden: true, value: ({ clock }) => clock?.frozen ?? null },
  { name: "seed", align: "right" },
  ...hiddenColumns("pid"),
];

/** `not_responding`: its process runs, but its control API does not answer. */
async function readSandbox(context: Context, locator: Locator) {
  const { name, url, pid } = locator;
  const state = new ControlClient(context, locator).send("GET /state", "clock");
  const found = await handleFailure(state, () => null);
  const { startedAt = null, clock = null, seed = null } = found ?? {};
  return { name, url, state: found ? "up" : "not_responding", startedAt, clock, seed, pid };
}
