import type { VNode } from "preact";
import { notFoundError } from "../../src/domain/errors.ts";
import { LISTS, type ListName } from "../../src/pages/site.ts";
import type { ControlDependencies } from "../control/handlers.ts";
import { findRequest } from "../library/requests.ts";
import { findJob, type JobRow } from "../store/jobs.ts";
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

/** People do not read more on one page. */
const MAX_EVENTS = 200;

export interface PageCall extends Pick<ControlDependencies, "engine" | "sandbox"> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

export interface View {
  readonly title: string;
  readonly current: ListName | null;
  readonly content: VNode;
  /** The status of the response; the default is 200. */
  readonly status?: number;
}

type Page = (call: PageCall) => View;

const list = (name: ListName, content: VNode): View => ({ title: LISTS[name], current: name, content });

export const PAGES: Readonly<Record<string, Page>> = {
  "": ({ engine, query }) => list("timeline", renderTimelinePage(engine, query, MAX_EVENTS)),
  "/jobs": ({ engine, query }) => list("jobs", renderJobsPage(engine, query)),
  "/deliveries": ({ engine, query }) => list("deliveries", renderDeliveriesPage(engine, query)),
  "/endpoints": ({ engine }) => list("endpoints", renderEndpointsPage(engine)),
  "/records": ({ engine }) => list("records", renderRecordsPage(engine)),
  "/faults": ({ engine }) => list("faults", renderFaultsPage(engine)),
  "/state": ({ engine, sandbox }) => list("state", renderStatePage(engine, sandbox)),
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
  "/jobs/{id}": ({ engine, params: { id = "" }, query }) => ({
    title: "Job",
    current: "jobs",
    content: renderJobPage(engine, requireJob(engine, id), query),
  }),
  "/endpoints/{id}": ({ engine, params: { id = "" } }) => ({
    title: "Endpoint",
    current: "endpoints",
    content: renderEndpointPage(engine, engine.webhooks.endpoint(id)),
  }),
};

function requireJob({ store }: PageCall["engine"], id: string): JobRow {
  const job = findJob(store, id);
  if (job) return job;
  throw notFoundError("job_not_found", `no job ${id}`, { hint: "the page Jobs lists them" });
}
