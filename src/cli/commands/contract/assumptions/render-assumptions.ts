import { type Assumption, listAssumptions, listLabelledParts } from "../../../../contract/assumptions.ts";
import type { StatementKind } from "../../../../contract/register.ts";
import { assessForm } from "../../../../contract/service-form/assess.ts";
import { listStatements, type Statement } from "../../../../contract/statements.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { readServiceForm } from "../../../connection/service-form.ts";
import type { Context } from "../../../context.ts";
import { printFindings, warnIfStale } from "../learn/form-file.ts";

export { listAssumptions };

export function renderAssumptions(): string {
  const parts = listLabelledParts();
  const all = listAssumptions();
  const statements = listStatements();
  const count = (...kinds: StatementKind[]) => statements.filter(({ kind }) => kinds.includes(kind)).length;
  return [
    "# Documented and assumed",
    "",
    "The interface documents a part of the contract, or the sandbox assumes it: what is assumed is the sandbox's own",
    "decision, and a real service may have decided otherwise. Printed by `claims contract assumptions --markdown`.",
    "",
    ...renderTable(
      ["", "count"],
      [
        ["documented parts of the contract", parts.length - all.length],
        ["assumed parts of the contract", all.length],
        ["statements of the interface", statements.length],
        ["about the service", count("contract")],
        ["rules for clients", count("client")],
        ["not a behaviour of the service", count("context")],
        ["left open", count("open")],
      ],
    ),
    "## Statements of the interface",
    "",
    ...renderTable(
      ["id", "section", "statement", "stands for"],
      statements.map((statement) => [
        `\`${statement.id}\``,
        statement.section,
        statement.text.replaceAll("|", "\\|"),
        describePurpose(statement),
      ]),
    ),
    "## Assumptions by the statement that leaves them open",
    "",
    ...distinct(all, "source")
      .sort()
      .flatMap((source) => [`### ${source}`, "", ...renderChapter(all, source), ""]),
  ].join("\n");
}

const renderTable = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] => [
  ...[head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`),
  "",
];

const PURPOSES = { client: "a rule for clients", context: "not a behaviour of the service" } as const;

function describePurpose({ kind, operations, assumptions }: Statement): string {
  const purpose = kind === "client" || kind === "context" ? [PURPOSES[kind]] : [];
  const assumed = assumptions === 0 ? [] : [formatCount(assumptions, "assumption")];
  return [...purpose, ...operations.map(formatOperation), ...assumed].join(", ");
}

const formatOperation = (operation: string): string =>
  operation === "*" ? "every operation" : `\`${operation}\``;

function renderChapter(all: readonly Assumption[], source: string): string[] {
  const found = all.filter((assumption) => assumption.source === source);
  return distinct(found, "operation").map((operation) => {
    const own = found.filter((assumption) => assumption.operation === operation);
    const fields = own.flatMap(({ kind, subject }) => (isRule(kind) ? [] : [`\`${subject}\``]));
    const rules = own.flatMap(({ kind, subject }) => (isRule(kind) ? [subject.replace(/\.$/, "")] : []));
    return `- ${formatOperation(operation)}: ${[fields.join(", "), ...rules].filter(Boolean).join("; ")}`;
  });
}

const distinct = (all: readonly Assumption[], key: "source" | "operation"): string[] => [
  ...new Set(all.map((assumption) => assumption[key])),
];

const isRule = (kind: Assumption["kind"]): boolean =>
  kind !== "parameter" && kind !== "request" && kind !== "field";

/** Compares the assumptions of this version with what was learned, whatever the file says of them. */
export async function listCompared(context: Context, path: string, only: string | undefined) {
  const form = await readServiceForm(context, path);
  warnIfStale(context, form, path);
  printFindings(context, form);
  return listAssumptions()
    .map((assumption) => {
      const { status, seen } = assessForm(form, assumption);
      return { ...assumption, status, seen, basis: status === "unknown" ? "assumed" : "observed" };
    })
    .filter(({ status }) => only === undefined || status === only);
}
