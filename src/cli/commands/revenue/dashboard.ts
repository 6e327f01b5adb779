import { isRecord } from "../../../domain/json.ts";
import type { Block, Cell } from "../../output/output.ts";
import { formatField, toRecordCard } from "../../output/record-card.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";
import { getCommand } from "../../records/record-commands.ts";

export const dashboard = getCommand({
  name: "dashboard",
  summary: "show the totals of claims, offers, litigation and revenue",
  noun: "the dashboard",
  operation: ({ revenue }) => revenue.dashboard,
  output: "document",
  blocks: dashboardBlocks,
  examples: ["claims revenue dashboard", "claims revenue dashboard --json | jq .revenue.totalCents"],
});

/** One table of every figure that the service sends, whatever it totals. */
function dashboardBlocks(totals: ServiceRecord): readonly Block[] {
  const areas = Object.entries(totals).filter(([, value]) => isRecord(value));
  const rest = Object.fromEntries(Object.entries(totals).filter(([, value]) => !isRecord(value)));
  return [
    toRecordCard(rest, "Revenue dashboard"),
    {
      kind: "table",
      columns: [{ name: "area" }, { name: "figure" }, { name: "value", align: "right" }],
      rows: areas.flatMap(([area, value]) =>
        collectFigures(value, []).map(([figure, cell]) => [humanizeName(area), figure, cell]),
      ),
    },
  ];
}

/** Every value of a record with its path as text: `byStatus.open.estimatedClaimCents` is `open: estimated claim`. */
function collectFigures(value: unknown, path: readonly string[]): (readonly [figure: string, value: Cell])[] {
  if (isRecord(value))
    return Object.entries(value).flatMap(([name, inner]) => collectFigures(inner, [...path, name]));
  const words = path.filter((name) => !/^by[A-Z]/.test(name)).map(humanizeName);
  return [[words.join(": "), formatField(path.at(-1) ?? "", value)]];
}

const humanizeName = (name: string): string =>
  name
    .replace(/Cents$/, "")
    .replaceAll("_", " ")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
