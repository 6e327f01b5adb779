import { listLabelledParts } from "../../../../src/contract/assumptions.ts";
import { STATEMENTS, type StatementKind } from "../../../../src/contract/statements.ts";

interface Statement {
  readonly id: string;
  readonly kind: StatementKind;
  readonly section: string;
  readonly text: string;
  /** The operations with a part that it documents; `*` for all operations. */
  readonly operations: readonly string[];
  /** How many assumptions substitute for what it leaves open. */
  readonly assumptions: number;
}

export function listStatements(): Statement[] {
  const parts = listLabelledParts();
  const statements = Object.entries(STATEMENTS).flatMap(([kind, group]) =>
    Object.entries<string>(group).map(([id, source]): Statement => {
      const [, section = "", text = ""] = /^(.*?): (.*)$/.exec(source) ?? [];
      const citing = parts.filter((part) => part.source === source);
      const documented = citing.filter(({ basis }) => basis === "documented");
      const operations = [...new Set(documented.map(({ operation }) => operation))];
      const assumptions = citing.length - documented.length;
      return { id, kind: kind as StatementKind, section, text, operations, assumptions };
    }),
  );
  return statements.sort((one, other) => sectionNumber(one) - sectionNumber(other));
}

const sectionNumber = ({ section }: Statement): number => Number(section.slice(1)) || 0;
