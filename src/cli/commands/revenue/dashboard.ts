import { isRecord } from "../../../domain/json.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { openService } from "../../connection/service.ts";
import { chooseAlias, viaAliasOptions } from "../../connection/via-alias.ts";
import { command } from "../../framework/command.ts";
import type { Block, Cell } from "../../output/output.ts";
import { formatField, toRecordCard } from "../../output/record-card.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";

export const dashboard = command({
  name: "dashboard",
  summary: "sum up claims, offers, litigation and revenue",
  remote: "reads",
  output: "document",
  options: viaAliasOptions,
  examples: ["claims revenue dashboard", "claims revenue dashboard --json | jq .revenue.totalCents"],
  async run(context, call) {
    const { client, operations } = await openService(context, call);
    const { dashboard: operation } = operations.revenue;
    const alias = await chooseAlias(context, operation.id, call.options);
    const answer = await client.send(operation, { alias });
    const told = parseJsonResponse(answer, "the dashboard");
    return { kind: "record", json: answer.body, blocks: isRecord(told) ? dashboardBlocks(told) : [] };
  },
});

/** What the service sums up, whatever that is: its areas one below the other, with all figures in one column. */
function dashboardBlocks(told: ServiceRecord): readonly Block[] {
  const areas = Object.entries(told).filter(([, value]) => isRecord(value));
  const rest = Object.fromEntries(Object.entries(told).filter(([, value]) => !isRecord(value)));
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

/** Every value of a record with its place in words: `byStatus.open.estimatedClaimCents` is `open: estimated claim`. */
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
