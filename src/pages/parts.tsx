import type { ComponentChildren } from "preact";
import { formatTime } from "../domain/times.ts";
import { type Subject, useSite } from "./site.ts";

/** `2026-11-20 00:00 UTC`, or in a list of one day `00:00:05`; its title has the milliseconds. */
export function Time({ at, isFull = false }: { readonly at: string; readonly isFull?: boolean }) {
  return (
    <time datetime={at} title={at}>
      {isFull ? formatTime(at) : at.slice("2026-11-20T".length, "2026-11-20T00:00:05".length)}
    </time>
  );
}

export type Tone = "ok" | "warn" | "bad" | "due";

export const Badge = ({
  tone,
  children,
}: {
  readonly tone: string;
  readonly children: ComponentChildren;
}) => <span class={`badge ${tone}`}>{children}</span>;

interface SubjectLinkProps {
  readonly subject: Subject | null;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A link to the page of its request, job, delivery or endpoint; plain text where there is none. */
export function SubjectLink({ subject, class: name, children }: SubjectLinkProps) {
  const { links } = useSite();
  if (subject === null) return <span class={name}>{children}</span>;
  return (
    <a class={name} href={links.subject(subject)}>
      {children}
    </a>
  );
}

interface ActionFormProps {
  /** Below the prefix of the pages. */
  readonly path: string;
  readonly label?: string;
  readonly id?: string;
  readonly children?: ComponentChildren;
}

/** A form that changes something; nothing in a file. */
export function ActionForm({ path, label, id, children }: ActionFormProps) {
  const { formToken, here, links } = useSite();
  if (formToken === null) return null;
  return (
    <form method="post" action={links.action(path)} class="inline" aria-label={label} id={id}>
      <input type="hidden" name="token" value={formToken} />
      <input type="hidden" name="back" value={here} />
      {children}
    </form>
  );
}

interface ButtonProps {
  readonly name?: string;
  readonly value?: string;
  readonly children: ComponentChildren;
}

export const Button = ({ name, value, children }: ButtonProps) => (
  <button type="submit" name={name} value={value}>
    {children}
  </button>
);

interface SectionProps {
  readonly title?: string;
  /** Names a part that the script refreshes. */
  readonly live?: string;
  readonly id?: string;
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}

export const Section = ({ title, live, id, note, children }: SectionProps) => (
  <section class="card" data-live={live} id={id}>
    {title && <h2>{title}</h2>}
    {note && <p class="note">{note}</p>}
    {children}
  </section>
);

interface TableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** The columns that are aligned to the right. */
  readonly numbers?: readonly string[];
  /** The columns that have room for long texts; on a narrow page, words have the whole width. */
  readonly names?: readonly string[];
  readonly words?: readonly string[];
  readonly rows: readonly TableRow[];
  /** The note in place of a table without rows. */
  readonly emptyMessage?: string;
}

interface TableRow {
  readonly key: string | number;
  readonly id?: string;
  readonly cells: readonly ComponentChildren[];
}

/** On a narrow page, each row is a card whose cells have the names of their columns. */
export function Table({ label, columns, rows, emptyMessage, ...kinds }: TableProps) {
  if (rows.length === 0 && emptyMessage !== undefined) return <p class="note">{emptyMessage}</p>;
  const { numbers = [], names = [], words = [] } = kinds;
  const classes = columns.map((name) => {
    if (numbers.includes(name)) return "number";
    if (names.includes(name)) return "names";
    return words.includes(name) ? "words" : undefined;
  });
  return (
    <section class="scroll" tabindex={0} aria-label={label}>
      <table class="rows">
        <thead>
          <tr>
            {columns.map((name, index) => (
              <th key={name} scope="col" class={classes[index]}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, id, cells }) => (
            <tr key={key} id={id}>
              {cells.map((cell, index) => (
                <td key={columns[index]} class={classes[index]} data-label={columns[index]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export const Facts = ({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
}) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value ?? "–"}</dd>
      </div>
    ))}
  </dl>
);

/** Text as it is, in a box that scrolls. */
export const Code = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <pre tabindex={0} aria-label={label} role="region">
    {text}
  </pre>
);
