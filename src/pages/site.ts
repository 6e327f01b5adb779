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

/** The pages that the navigation names, in its order. */
export const MAIN_PAGES = {
  timeline: "Timeline",
  jobs: "Jobs",
  deliveries: "Deliveries",
  endpoints: "Endpoints",
  records: "Records",
  faults: "Faults",
  state: "State",
} as const;

export type MainPageName = keyof typeof MAIN_PAGES;

export const MAIN_PAGE_NAMES = Object.keys(MAIN_PAGES) as readonly MainPageName[];

/** The first one is the home page. */
export const mainPagePath = (name: MainPageName): string => (name === "timeline" ? "" : `/${name}`);

/** Where the page of each kind of subject is; a record is a row of the page Records. */
const SUBJECT_PATHS = {
  request: "/requests/",
  delivery: "/deliveries/",
  job: "/jobs/",
  endpoint: "/endpoints/",
  record: "/records#record-",
} as const;

export interface Subject {
  readonly kind: keyof typeof SUBJECT_PATHS;
  readonly id: string;
}

/** Parameters of a page; null leaves one out. */
export type Query = Readonly<Record<string, string | null>>;

export interface Links {
  readonly mainPage: (name: MainPageName, query?: Query) => string;
  readonly subject: (subject: Subject) => string;
  /** @param path below the prefix of the pages */
  readonly action: (path: string) => string;
}

const SiteContext = createContext<Site | null>(null);

export const SiteProvider = SiteContext.Provider;

export function useSite(): Site {
  const site = useContext(SiteContext);
  if (!site) throw new Error("a page needs a SiteProvider");
  return site;
}

/** The pages on a server, below a prefix. */
export const createServerLinks = (prefix: string): Links => ({
  mainPage: (name, query = {}) => prefix + changeQuery(mainPagePath(name), query),
  subject: ({ kind, id }) => prefix + SUBJECT_PATHS[kind] + encodeURIComponent(id),
  action: (path) => prefix + path,
});

/** A file has the main pages as sections of one page. */
export const FILE_LINKS: Links = {
  mainPage: (name) => `#${name}`,
  subject: ({ kind, id }) => `#${kind}-${encodeURIComponent(id)}`,
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
