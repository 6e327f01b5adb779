import { formatThousands } from "../domain/numbers.ts";
import { Section, SubjectLink, Table, Time } from "./parts.tsx";
import { useSite } from "./site.ts";

/** A text, a time (RFC 3339) or the id of another record. */
export type RecordCell =
  | string
  | { readonly at: string }
  | { readonly kind: "client" | "claim" | "scan" | "job"; readonly id: string };

export interface RecordsModel {
  readonly tables: readonly {
    readonly name: string;
    readonly columns: readonly string[];
    /** The latest ones of all `count` records. */
    readonly rows: readonly { readonly id: string; readonly cells: readonly RecordCell[] }[];
    readonly count: number;
  }[];
}

export const Records = ({ tables }: RecordsModel) => (
  <>
    <h1>Records</h1>
    {tables.map(({ name, columns, rows, count }) => (
      <Section
        key={name}
        id={name}
        live={name}
        title={`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`}
        note={count > rows.length ? `The latest ${rows.length} of ${formatThousands(count)}.` : null}
      >
        <Table
          label={name}
          emptyMessage="None."
          columns={["Id", ...columns]}
          rows={rows.map(({ id, cells }) => ({
            key: id,
            id: `record-${id}`,
            cells: [<code>{id}</code>, ...cells.map((cell) => <Cell cell={cell} />)],
          }))}
        />
      </Section>
    ))}
  </>
);

function Cell({ cell }: { readonly cell: RecordCell }) {
  const { links } = useSite();
  if (typeof cell === "string") return <>{cell}</>;
  if ("at" in cell) return <Time at={cell.at} isFull />;
  const id = <code>{cell.id.slice(0, 8)}</code>;
  if (cell.kind === "job") return <SubjectLink subject={{ kind: "job", id: cell.id }}>{id}</SubjectLink>;
  return <a href={links.record(cell.id)}>{id}</a>;
}
