import type { Assumption } from "../../../../contract/assumptions.ts";

export { listAssumptions } from "../../../../contract/assumptions.ts";

/** Renders the assumptions as Markdown, with a chapter for each sentence of the interface. */
export const renderAssumptions = (all: readonly Assumption[]): string =>
  [
    "# What is assumed",
    "",
    "Everything here is the sandbox's own decision, where the interface says nothing; a real service may have decided",
    "otherwise. Printed by `claims contract assumptions --markdown`.",
    "",
    ...distinct(all, "source")
      .sort()
      .flatMap((source) => [`## ${source}`, "", ...renderChapter(all, source), ""]),
  ].join("\n");

function renderChapter(all: readonly Assumption[], source: string): string[] {
  const found = all.filter((assumption) => assumption.source === source);
  return distinct(found, "operation").map((operation) => {
    const own = found.filter((assumption) => assumption.operation === operation);
    const fields = own.flatMap(({ kind, subject }) => (isRule(kind) ? [] : [`\`${subject}\``]));
    const rules = own.flatMap(({ kind, subject }) => (isRule(kind) ? [subject.replace(/\.$/, "")] : []));
    const name = operation === "*" ? "every operation" : `\`${operation}\``;
    return `- ${name}: ${[fields.join(", "), ...rules].filter(Boolean).join("; ")}`;
  });
}

const distinct = (all: readonly Assumption[], key: "source" | "operation"): string[] => [
  ...new Set(all.map((assumption) => assumption[key])),
];

const isRule = (kind: Assumption["kind"]): boolean =>
  kind !== "parameter" && kind !== "request" && kind !== "field";
