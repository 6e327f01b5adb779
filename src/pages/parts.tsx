import type { ComponentChildren } from "preact";
import { useSite } from "./site.ts";

/** `2026-11-20T00:00:05.182Z` as `00:00:05`, or with its day; its title has the milliseconds. */
export function Time({ at, isFull = false }: { readonly at: string; readonly isFull?: boolean }) {
  const [day = "", clock = ""] = at.replace("Z", "").split("T");
  const time = clock.replace(/\.\d+$/, "");
  return (
    <time datetime={at} title={at}>
      {isFull ? `${day} ${time} UTC` : time}
    </time>
  );
}

export const Badge = ({
  tone,
  children,
}: {
  readonly tone: string;
  readonly children: ComponentChildren;
}) => <span class={`badge ${tone}`}>{children}</span>;

interface ActionFormProps {
  /** Below the prefix of the pages. */
  readonly path: string;
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A form that changes something; nothing in a file. */
export function ActionForm({ path, label, children }: ActionFormProps) {
  const { formToken, here, links } = useSite();
  if (formToken === null) return null;
  return (
    <form method="post" action={links.action(path)} class="inline" aria-label={label}>
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
  readonly title: ComponentChildren;
  /** Names a part that the script refreshes. */
  readonly live?: string;
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}

export const Section = ({ title, live, note, children }: SectionProps) => (
  <section class="card" data-live={live}>
    <h2>{title}</h2>
    {note && <p class="note">{note}</p>}
    {children}
  </section>
);

interface TableProps {
  readonly label: string;
  /** Numbers are aligned to the right. */
  readonly head: readonly (string | { readonly number: string })[];
  /** The note in place of a table without rows. */
  readonly emptyMessage?: string;
  readonly children: ComponentChildren;
}

/** A table that scrolls in its own box when the page is narrow. */
export const Table = ({ label, head, emptyMessage, children }: TableProps) =>
  emptyMessage !== undefined && Array.isArray(children) && children.length === 0 ? (
    <p class="note">{emptyMessage}</p>
  ) : (
    <section class="scroll" tabindex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((column) => {
              const name = typeof column === "string" ? column : column.number;
              return (
                <th key={name} scope="col" class={typeof column === "string" ? undefined : "number"}>
                  {name}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );

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
