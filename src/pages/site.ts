import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** Where a page is: on the server of a sandbox, or in a file. */
export interface Site {
  readonly links: Links;
  /** What forms send with every action; null in a file, which has neither actions nor filters. */
  readonly formToken: string | null;
  /** The page that an action returns to and that filters change, below the pages' own prefix. */
  readonly here: string;
  /** RFC 3339, of the sandbox clock: ages count from it. */
  readonly now: string;
}

/** What has a page of its own. */
export interface Subject {
  readonly kind: "request" | "delivery" | "job" | "endpoint";
  readonly id: string;
}

/** The pages of the navigation, in its order. */
export const LISTS = {
  timeline: "Timeline",
  jobs: "Jobs",
  deliveries: "Deliveries",
  endpoints: "Endpoints",
  records: "Records",
  faults: "Faults",
  state: "State",
} as const;

export type ListName = keyof typeof LISTS;

/** Parameters of a page; null leaves one out. */
export type Query = Readonly<Record<string, string | null>>;

export interface Links {
  readonly list: (name: ListName, query?: Query) => string;
  readonly subject: (subject: Subject) => string;
  /** A record on the page Records. */
  readonly record: (id: string) => string;
  readonly action: (path: string) => string;
}

const SiteContext = createContext<Site | null>(null);

export const SiteProvider = SiteContext.Provider;

export function useSite(): Site {
  const site = useContext(SiteContext);
  if (!site) throw new Error("a page needs a SiteProvider");
  return site;
}

const FOLDERS = {
  request: "requests",
  delivery: "deliveries",
  job: "jobs",
  endpoint: "endpoints",
} as const satisfies Record<Subject["kind"], string>;

/** The pages on a server, below a prefix. */
export const createServerLinks = (prefix: string): Links => ({
  list: (name, query = {}) => prefix + changeQuery(name === "timeline" ? "" : `/${name}`, query),
  subject: ({ kind, id }) => `${prefix}/${FOLDERS[kind]}/${encodeURIComponent(id)}`,
  record: (id) => `${prefix}/records#record-${encodeURIComponent(id)}`,
  action: (path) => prefix + path,
});

/** A file has the views as sections of one page. */
export const FILE_LINKS: Links = {
  list: (name) => `#${name}`,
  subject: ({ kind, id }) => `#${kind}-${encodeURIComponent(id)}`,
  record: (id) => `#record-${encodeURIComponent(id)}`,
  action: () => "",
};

/** The same page with other parameters. */
export function changeQuery(page: string, changes: Query): string {
  const [path = "", search = ""] = page.split("?");
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

export const readQuery = (page: string): URLSearchParams => new URLSearchParams(page.split("?")[1] ?? "");
