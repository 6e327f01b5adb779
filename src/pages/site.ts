import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** Where a page is: on the server of a sandbox, or in a file. */
export interface Site {
  readonly links: Links;
  /** What forms send with every action; null in a file, which has no actions. */
  readonly formToken: string | null;
  /** The page that an action returns to, below the pages' own prefix. */
  readonly here: string;
}

/** What has a page of its own. */
export interface Subject {
  readonly kind: "request" | "delivery" | "job";
  readonly id: string;
}

export interface Links {
  readonly timeline: () => string;
  readonly request: (number: string) => string;
  readonly delivery: (id: string) => string;
  readonly job: (id: string) => string;
  readonly state: () => string;
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
export const createServerLinks = (prefix: string): Links => {
  const link = (path: string) => `${prefix}${path}`;
  return {
    timeline: () => link(""),
    request: (number) => link(`/requests/${number}`),
    delivery: (id) => link(`/deliveries/${encodeURIComponent(id)}`),
    job: (id) => link(`/jobs/${encodeURIComponent(id)}`),
    state: () => link("/state"),
    action: link,
  };
};

/** The sections of a file. */
export const FILE_LINKS: Links = {
  timeline: () => "#timeline",
  request: (number) => `#request-${number}`,
  delivery: (id) => `#delivery-${encodeURIComponent(id)}`,
  job: (id) => `#job-${encodeURIComponent(id)}`,
  state: () => "#state",
  action: () => "",
};
