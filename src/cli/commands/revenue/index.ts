import { isRecord } from "../../../domain/json.ts";
import { labelCode } from "../../../domain/labels.ts";
import type { Block } from "../../output/output.ts";
import {
  createMoneyColumn,
  formatField,
  humanizeName,
  listFields,
  toRecordCard,
} from "../../output/record-card.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";
import { defineGetCommand, defineListCommand } from "../../records/record-commands.ts";

const dashboard = defineGetCommand({
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
  const figures = areas.flatMap(([area, value]) =>
    listFields(value as ServiceRecord).map(([path, figure]) => [area, path, figure] as const),
  );
  // A status without claims is no line of a screen.
  const isShown = ([area, path]: (typeof figures)[number]) =>
    groupOf(path) === "" ||
    figures.some(([own, each, figure]) => own === area && groupOf(each) === groupOf(path) && figure !== 0);
  return [
    toRecordCard("dashboard", rest, "Revenue dashboard"),
    {
      kind: "table",
      columns: [{ name: "area" }, { name: "figure" }, { name: "value", align: "right" }],
      rows: figures
        .filter(isShown)
        .map(([area, path, figure]) => [humanizeName(area), humanizePath(path), formatField(path, figure)]),
      values: figures,
    },
  ];
}

const groupOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(".")));

/** `byStatus.open.estimatedClaimCents` → `open: estimated claim` */
const humanizePath = (path: string): string =>
  path
    .split(".")
    .filter((name) => !/^by[A-Z]/.test(name))
    .map(humanizeName)
    .join(": ");

const ledger = defineListCommand({
  name: "ledger",
  summary: "list revenue entries, newest first",
  noun: "ledger entries",
  operation: ({ revenue }) => revenue.ledger,
  filters: {
    claim: { value: "claim", field: "claimId", help: "filter by claim id" },
  },
  columns: [
    { name: "createdAt", title: "at", display: ({ createdAt }) => String(createdAt ?? "").slice(0, 10) },
    { name: "type", display: ({ type }) => labelCode(String(type ?? "")) },
    createMoneyColumn("amountCents", "amount"),
    createMoneyColumn("balanceCents", "balance"),
    { name: "claimId", title: "claim", isWhole: true },
  ],
  emptyMessage:
    "no revenue yet; `claims offers create --claim ID` and `claims litigation enroll ID` earn fees",
  examples: [
    "claims revenue ledger",
    "claims revenue ledger --all --csv --fields createdAt,type,amountCents,balanceCents",
  ],
});

export const commands = [ledger, dashboard];
