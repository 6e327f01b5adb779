import type { VNode } from "preact";
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
import { readDeliveries } from "./models/deliveries.ts";
import { readDelivery } from "./models/delivery.ts";
import { readEndpoint, readEndpoints } from "./models/endpoints.ts";
import { readFaults } from "./models/faults.ts";
import { readJob } from "./models/job.ts";
import { readJobs } from "./models/jobs.ts";
import { readRecords } from "./models/records.ts";
import { toRequestModel } from "./models/request.ts";
import { readStateModel } from "./models/state.ts";
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

type Page = (call: PageCall) => Promise<View>;

const list = (name: ListName, content: VNode): View => ({ title: LISTS[name], current: name, content });

export const PAGES: Readonly<Record<string, Page>> = {
  "": async ({ engine, query }) =>
    list("timeline", <Timeline {...(await readTimeline(engine, MAX_EVENTS, query))} />),
  "/jobs": async ({ engine, query }) => list("jobs", <Jobs {...(await readJobs(engine, query))} />),
  "/deliveries": async ({ engine, query }) =>
    list("deliveries", <Deliveries {...(await readDeliveries(engine, query))} />),
  "/endpoints": async ({ engine }) => list("endpoints", <Endpoints {...(await readEndpoints(engine))} />),
  "/records": async ({ engine }) => list("records", <Records {...(await readRecords(engine))} />),
  "/faults": async ({ engine }) => list("faults", <Faults {...(await readFaults(engine))} />),
  "/state": async ({ engine, sandbox }) =>
    list("state", <State {...(await readStateModel(engine, sandbox))} />),
  "/requests/{number}": async ({ engine, params: { number = "" }, sandbox }) => ({
    title: `Request ${number}`,
    current: "timeline",
    content: <Request {...toRequestModel(engine, await sandbox.requests.get(number))} />,
  }),
  "/deliveries/{id}": async ({ engine, params: { id = "" } }) => ({
    title: "Delivery",
    current: "deliveries",
    content: <Delivery {...(await readDelivery(engine, id))} />,
  }),
  "/jobs/{id}": async ({ engine, params: { id = "" }, query }) => ({
    title: "Job",
    current: "jobs",
    content: <Job {...(await readJob(engine, id, query))} />,
  }),
  "/endpoints/{id}": async ({ engine, params: { id = "" } }) => ({
    title: "Endpoint",
    current: "endpoints",
    content: <Endpoint {...(await readEndpoint(engine, id))} />,
  }),
};
