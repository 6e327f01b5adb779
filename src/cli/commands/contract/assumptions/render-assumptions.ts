import type { Assumption } from "../../../../contract/assumptions.ts";

/** Assumptions as a document in Markdown: by the sentence of the interface that they stand in for. */
export function renderAssumptions(all: readonly Assumption[]): string {
  const sentences = [...new Set(all.map(({ source }) => source))].sort();
  const chapters = sentences.map((sentence) => {
    const found = all.filter(({ source }) => source === sentence);
    const operations = [...new Set(found.map(({ operation }) => operation))];
    return [
      `## ${sentence}`,
      "",
      ...operations.map((operation) => renderOperation(operation, found)),
      "",
    ].join("\n");
  });
  return `${[
    "# What is assumed",
    "",
    "Everything here is the sandbox's own decision, where the interface says nothing; a real service may have decided",
    "otherwise. Printed by `claims contract assumptions --markdown`.",
    "",
    ...chapters,
  ].join("\n")}`;
}

function renderOperation(operation: string, found: readonly Assumption[]): string {
  const own = found.filter((assumption) => assumption.operation === operation);
  const fields = own.flatMap(({ kind, subject }) => (isRule(kind) ? [] : [`\`${subject}\``]));
  const rules = own.flatMap(({ kind, subject }) => (isRule(kind) ? [subject.replace(/\.$/, "")] : []));
  const who = operation === "*" ? "every operation" : `\`${operation}\``;
  return `- ${who}: ${[fields.join(", "), ...rules].filter(Boolean).join("; ")}`;
}

const isRule = (kind: Assumption["kind"]): boolean =>
  kind === "behaviour" || kind === "operation" || kind === "response";
