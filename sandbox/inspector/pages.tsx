import type { VNode } from "preact";
import { notFoundError } from "../../src/domain/errors.ts";
import { Deliveries } from "../../src/pages/deliveries.tsx";
import { Delivery } from "../../src/pages/delivery.tsx";
import { Endpoint, Endpoints } from "../../src/pages/endpoints.tsx";
import { Faults } from "../../src/pages/faults.tsx";
import { Job } from "../../src/pages/job.tsx";
import { Jobs } from "../../src/pages/jobs.tsx";
import { Records } from "../../src/pages/records.tsx";
import { Request } from "../../src/pages/request.tsx";
import { LISTS, type ListName } from "../../src/pages/site.ts";
import { State } from "../../src/pages/state.tsx";
import { Timeline } from "../../src/pages/timeline.tsx";
import type { ControlDependencies } from "../control/handlers.ts";
import { redactModel } from "../engine/request-log/redaction.ts";
import { readState } from "../library/read-state.ts";
import { findRequest } from "../library/requests.ts";
import { findJob, type JobRow } from "../store/jobs.ts";
import { readDeliveries } from "./models/deliveries.ts";
import { readDelivery } from "./models/delivery.ts";
import { readEndpoint, readEndpoints } from "./models/endpoints.ts";
import { readFaults } from "./models/faults.ts";
import { readJob } from "./models/job.ts";
import { readJobs } from "./models/jobs.ts";
import { readRecords } from "./models/records.ts";
import { readRequest } from "./models/request.ts";
import { readTimeline } from "./models/timeline.ts";

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
  "": ({ engine, query }) => list("timeline", <Timeline {...readTimeline(engine, MAX_EVENTS, query)} />),
  "/jobs": ({ engine, query }) => list("jobs", <Jobs {...readJobs(engine, query)} />),
  "/deliveries": ({ engine, query }) => list("deliveries", <Deliveries {...readDeliveries(engine, query)} />),
  "/endpoints": ({ engine }) => list("endpoints", <Endpoints {...readEndpoints(engine)} />),
  "/records": ({ engine }) => list("records", <Records {...readRecords(engine)} />),
  "/faults": ({ engine }) => list("faults", <Faults {...readFaults(engine)} />),
  "/state": ({ engine, sandbox }) => {
    const state = { state: readState(engine), snapshots: sandbox.snapshots.list() };
    return list("state", <State {...redactModel(state)} />);
  },
  "/requests/{number}": ({ engine, params: { number = "" } }) => ({
    title: `Request ${number}`,
    current: "timeline",
    content: <Request {...readRequest(engine, findRequest(engine, number))} />,
  }),
  "/deliveries/{id}": ({ engine, params: { id = "" } }) => ({
    title: "Delivery",
    current: "deliveries",
    content: <Delivery {...readDelivery(engine, engine.webhooks.delivery(id))} />,
  }),
  "/jobs/{id}": ({ engine, params: { id = "" }, query }) => ({
    title: "Job",
    current: "jobs",
    content: <Job {...readJob(engine, requireJob(engine, id), query)} />,
  }),
  "/endpoints/{id}": ({ engine, params: { id = "" } }) => ({
    title: "Endpoint",
    current: "endpoints",
    content: <Endpoint {...readEndpoint(engine, engine.webhooks.endpoint(id))} />,
  }),
};

function requireJob({ store }: PageCall["engine"], id: string): JobRow {
  const job = findJob(store, id);
  if (job) return job;
  throw notFoundError("job_not_found", `no job ${id}`, { hint: "the page Jobs lists them" });
}
