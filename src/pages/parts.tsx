import type { ComponentChildren, RenderableProps } from "preact";
import { formatDue, formatTime } from "../domain/times.ts";
import { type MainPageName, type Query, type Subject, useSite } from "./site.ts";

/** `2026-11-20 00:00 UTC`, with the milliseconds in its title; or a word for what has not happened. */
export function Time({ at, otherwise = "–" }: { readonly at: string | null; readonly otherwise?: string }) {
  if (at === null) return <>{otherwise}</>;
  return (
    <time datetime={at} title={at}>
      {formatTime(at)}
    </time>
  );
}

/** The time of what is due, and in how long. */
export function DueTime({ at }: { readonly at: string }) {
  const { now } = useSite();
  return (
    <>
      <Time at={at} /> <small>{formatDue(Date.parse(at) - Date.parse(now))}</small>
    </>
  );
}

export type Tone = "ok" | "warn" | "bad" | "due";

export const Badge = ({ tone, children }: RenderableProps<{ readonly tone: string }>) => (
  <span class={`badge ${tone}`}>{children}</span>
);

type SubjectLinkProps = RenderableProps<{ readonly subject: Subject | undefined; readonly class?: string }>;

/** A link to the page of its request, job, delivery, endpoint or record; plain text where there is none. */
export function SubjectLink({ subject, class: name, children }: SubjectLinkProps) {
  const { links } = useSite();
  if (!subject) return <span class={name}>{children}</span>;
  return (
    <a class={name} href={links.subject(subject)}>
      {children}
    </a>
  );
}

type MainPageLinkProps = RenderableProps<{ readonly name: MainPageName; readonly query?: Query }>;

export function MainPageLink({ name, query, children }: MainPageLinkProps) {
  const { links } = useSite();
  return <a href={links.mainPage(name, query)}>{children}</a>;
}

interface ActionFormProps {
  /** Below the prefix of the pages. */
  readonly path: string;
  readonly label: string;
  readonly id?: string;
  /** The text of a button that has no value. */
  readonly button?: string;
}

/** A form that changes something; nothing in a file. */
export function ActionForm({ path, label, id, button, children }: RenderableProps<ActionFormProps>) {
  const { formToken, here, links } = useSite();
  if (formToken === null) return null;
  return (
    <form method="post" action={links.action(path)} class="inline" aria-label={label} id={id}>
      <input type="hidden" name="token" value={formToken} />
      <input type="hidden" name="back" value={here} />
      {children}
      {button && <button type="submit">{button}</button>}
    </form>
  );
}

interface SectionProps {
  readonly title?: string;
  /** Names a part that the script refreshes. */
  readonly live?: string;
  readonly id?: string;
  readonly note?: string | null;
}

export const Section = ({ title, live, id, note, children }: RenderableProps<SectionProps>) => (
  <section class="card" data-live={live} id={id}>
    {title && <h2>{title}</h2>}
    {note && <p class="note">{note}</p>}
    {children}
  </section>
);

interface TableProps<Column extends string> {
  readonly label: string;
  readonly columns: readonly Column[];
  /**
   * The columns with more than a short text: numbers are aligned to the right; names and words have room for long texts, and on
   * a narrow page words have the whole width.
   */
  readonly kinds?: Readonly<Partial<Record<NoInfer<Column>, "number" | "names" | "words">>>;
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** The note in place of a table without rows. */
  readonly emptyMessage?: string;
}

/** On a narrow page, each row is a card whose cells have the names of their columns. */
export function Table<const Column extends string>(props: TableProps<Column>) {
  const { label, columns, kinds, rows, emptyMessage } = props;
  if (rows.length === 0 && emptyMessage !== undefined) return <p class="note">{emptyMessage}</p>;
  const classes = columns.map((name) => kinds?.[name]);
  return (
    <section class="scroll" tabindex={0} aria-label={label}>
      <table class="rows">
        <thead>
          <tr>
            {columns.map((name, index) => (
              <th scope="col" class={classes[index]}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell, index) => (
                <td class={classes[index]} data-label={columns[index]}>
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

export const Facts = ({ facts }: { readonly facts: Readonly<Record<string, ComponentChildren>> }) => (
  <dl class="card facts">
    {Object.entries(facts).map(([name, value]) => (
      <div>
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
