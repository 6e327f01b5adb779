import type { VNode } from "preact";
import { notFoundError } from "../../src/domain/errors.ts";
import { MAIN_PAGE_NAMES, MAIN_PAGES, type MainPageName, mainPagePath } from "../../src/pages/site.ts";
import type { ControlDependencies } from "../control/handlers.ts";
import { findRequest } from "../library/requests.ts";
import { JOBS } from "../store/jobs.ts";
import { renderDeliveriesPage } from "./pages/deliveries.tsx";
import { renderDeliveryPage } from "./pages/delivery.tsx";
import { renderEndpointPage, renderEndpointsPage } from "./pages/endpoints.tsx";
import { renderFaultsPage } from "./pages/faults.tsx";
import { renderJobPage } from "./pages/job.tsx";
import { renderJobsPage } from "./pages/jobs.tsx";
import { renderRecordsPage } from "./pages/records.tsx";
import { renderRequestPage } from "./pages/request.tsx";
import { renderStatePage } from "./pages/state.tsx";
import { renderTimelinePage } from "./pages/timeline.tsx";

export interface PageCall extends Pick<ControlDependencies, "engine" | "sandbox"> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

interface MainPageCall extends Omit<PageCall, "params"> {
  /** The most lines of a list. */
  readonly limits: { readonly events: number; readonly jobs: number };
}

export const MAIN_PAGE_RENDERERS: Readonly<Record<MainPageName, (call: MainPageCall) => VNode>> = {
  timeline: ({ engine, query, limits }) => renderTimelinePage(engine, query, limits.events),
  jobs: ({ engine, query, limits }) => renderJobsPage(engine, query, limits.jobs),
  deliveries: ({ engine, query }) => renderDeliveriesPage(engine, query),
  endpoints: ({ engine }) => renderEndpointsPage(engine),
  records: ({ engine }) => renderRecordsPage(engine),
  faults: ({ engine }) => renderFaultsPage(engine),
  state: ({ engine, sandbox }) => renderStatePage(engine, sandbox),
};

/** People do not read more on one page. */
const LIMITS = { events: 200, jobs: 50 };

export interface View {
  readonly title: string;
  readonly current: MainPageName | null;
  readonly content: VNode;
  /** The status of the response; the default is 200. */
  readonly status?: number;
}

type Page = (call: PageCall) => View;

function openMainPage(name: MainPageName, call: PageCall): View {
  const content = MAIN_PAGE_RENDERERS[name]({ ...call, limits: LIMITS });
  return { title: MAIN_PAGES[name], current: name, content };
}

export const PAGES: Readonly<Record<string, Page>> = {
  ...Object.fromEntries(
    MAIN_PAGE_NAMES.map((name) => [mainPagePath(name), (call) => openMainPage(name, call)]),
  ),
  "/requests/{number}": ({ engine, params: { number = "" } }) => ({
    title: `Request ${number}`,
    current: "timeline",
    content: renderRequestPage(engine, findRequest(engine, number)),
  }),
  "/deliveries/{id}": ({ engine, params: { id = "" } }) => ({
    title: "Delivery",
    current: "deliveries",
    content: renderDeliveryPage(engine, engine.webhooks.delivery(id)),
  }),
  "/jobs/{id}": ({ engine, params: { id = "" }, query }) => {
    const job = JOBS.find(engine.store, { id });
    if (!job) throw notFoundError("job_not_found", `no job ${id}`, { hint: "the page Jobs lists them" });
    return { title: "Job", current: "jobs", content: renderJobPage(engine, job, query) };
  },
  "/endpoints/{id}": ({ engine, params: { id = "" } }) => ({
    title: "Endpoint",
    current: "endpoints",
    content: renderEndpointPage(engine, engine.webhooks.endpoint(id)),
  }),
};
