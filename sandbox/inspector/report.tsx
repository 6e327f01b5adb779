import { renderPage } from "../../src/pages/render.ts";
import { Run } from "../../src/pages/run.tsx";
import type { Sandbox } from "../api/sandbox.ts";
import type { Engine } from "../engine/engine.ts";
import { toLoggedRequest } from "../engine/request-log/logged-request.ts";
import { listLatestDeliveries } from "../store/deliveries.ts";
import { listAllEndpoints } from "../store/endpoints.ts";
import { JOBS } from "../store/jobs.ts";
import { readDeliveries } from "./models/deliveries.ts";
import { toDeliveryModel } from "./models/delivery.ts";
import { toEndpointModel } from "./models/endpoints.ts";
import { readFaults } from "./models/faults.ts";
import { toJobModel } from "./models/job.ts";
import { readJobs } from "./models/jobs.ts";
import { readRecords } from "./models/records.ts";
import { toRequestModel } from "./models/request.ts";
import { readStateModel } from "./models/state.ts";
import { readTimeline } from "./models/timeline.ts";

const MAX_EVENTS = 1_000;

/** Views of each kind: a file is to be opened by a browser. */
const MAX_VIEWS = 200;

/** A file has no filters, so each event and each delivery is a line. */
const EACH = new URLSearchParams({ fold: "no" });

export async function renderReport(engine: Engine, sandbox: Sandbox): Promise<string> {
  const latest = { before: null, limit: MAX_VIEWS };
  const lists = {
    timeline: await readTimeline(engine, MAX_EVENTS, EACH),
    jobList: await readJobs(engine, EACH, MAX_VIEWS),
    deliveryList: await readDeliveries(engine, EACH),
    records: await readRecords(engine),
    faults: await readFaults(engine),
    state: await readStateModel(engine, sandbox),
  };
  const model = await engine.idle.whenSettled(() => ({
    url: sandbox.url,
    ...lists,
    requests: engine.requestLog
      .entries()
      .slice(-MAX_VIEWS)
      .map((request) => toRequestModel(engine, toLoggedRequest(request, engine.store))),
    deliveries: listLatestDeliveries(engine.store, {}, latest).map((row) => toDeliveryModel(engine, row)),
    jobs: JOBS.list(engine.store, {}, latest).map((job) => toJobModel(engine, job)),
    endpoints: listAllEndpoints(engine.store)
      .slice(0, MAX_VIEWS)
      .map((row) => toEndpointModel(engine, row)),
  }));
  return renderPage(<Run {...model} />);
}
