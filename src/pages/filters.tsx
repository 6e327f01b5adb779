import { formatThousands } from "../domain/numbers.ts";
import { changeQuery, readQuery, useSite } from "./site.ts";

interface ChipsProps {
  readonly label: string;
  /** The name of the query parameter. */
  readonly name: string;
  /** The name of no filter; without one, the page shows the fallback. */
  readonly all?: string;
  readonly values: readonly string[];
  readonly fallback?: string;
  readonly counts?: Readonly<Record<string, number>>;
  readonly format?: (value: string) => string;
  /** Parameters that another choice makes void. */
  readonly resets?: readonly string[];
  /** The part of the page to go to. */
  readonly anchor?: string;
}

/** Links that filter a page; nothing in a file. */
export function Chips({ label, name, all, values, fallback, counts, format = String, ...rest }: ChipsProps) {
  const { resets = [], anchor = "" } = rest;
  const { formToken, here, links } = useSite();
  if (formToken === null) return null;
  const current = readQuery(here).get(name) ?? fallback ?? null;
  const reset = Object.fromEntries([...resets, ...PLACES].map((each) => [each, null]));
  return (
    <nav class="chips" aria-label={label}>
      {[...(all === undefined ? [] : [null]), ...values].map((value) => (
        <a
          href={links.action(changeQuery(here, { ...reset, [name]: value })) + anchor}
          aria-current={current === value ? "true" : undefined}
        >
          {value === null ? all : format(value)}
          {value !== null && counts && <small> {formatThousands(counts[value] ?? 0)}</small>}
        </a>
      ))}
    </nav>
  );
}

/** Parameters that say where a list continues: they are void in another list. */
const PLACES = ["before", "after"];

/** Longer texts are cut: what somebody looks for is shorter. */
export const MAX_SEARCH_LENGTH = 200;

/** A form that keeps the other filters; nothing in a file. */
export function Search({ label }: { readonly label: string }) {
  const { formToken, here, links } = useSite();
  if (formToken === null) return null;
  const [path = ""] = here.split("?");
  const query = readQuery(here);
  const kept = [...query].filter(([name]) => name !== "q" && !PLACES.includes(name));
  const field = { name: "q", value: query.get("q") ?? "", maxlength: MAX_SEARCH_LENGTH };
  return (
    <form method="get" action={links.action(path)} class="inline" role="search">
      {kept.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <input type="search" {...field} aria-label={label} placeholder={label} />
      <button type="submit">Search</button>
    </form>
  );
}

interface NextPageProps {
  readonly name: "before" | "after";
  /** The last page has null. */
  readonly value: number | null;
  readonly text: string;
  readonly anchor?: string;
}

export function NextPage({ name, value, text, anchor = "" }: NextPageProps) {
  const { formToken, here, links } = useSite();
  const isFirst = readQuery(here).get(name) === null;
  if (formToken === null || (value === null && isFirst)) return null;
  const linkTo = (place: string | null) => links.action(changeQuery(here, { [name]: place })) + anchor;
  return (
    <nav class="chips" aria-label="Pages">
      {!isFirst && <a href={linkTo(null)}>First page</a>}
      {value !== null && <a href={linkTo(String(value))}>{text}</a>}
    </nav>
  );
}
