import { renderPage } from "../../src/pages/render.ts";
import { Run } from "../../src/pages/run.tsx";
import type { Sandbox } from "../api/sandbox.ts";
import type { Engine } from "../engine/engine.ts";
import { redactModel } from "../engine/request-log/redaction.ts";
import { readState } from "../library/read-state.ts";
import { listLatestDeliveries } from "../store/deliveries.ts";
import { listAllEndpoints } from "../store/endpoints.ts";
import { JOBS } from "../store/jobs.ts";
import { readDeliveries } from "./models/deliveries.ts";
import { readDelivery } from "./models/delivery.ts";
import { readEndpoint } from "./models/endpoints.ts";
import { readFaults } from "./models/faults.ts";
import { readJob } from "./models/job.ts";
import { readJobs } from "./models/jobs.ts";
import { readRecords } from "./models/records.ts";
import { readRequest } from "./models/request.ts";
import { readTimeline } from "./models/timeline.ts";

const MAX_EVENTS = 1_000;

/** Views of each kind: a file is to be opened by a browser. */
const MAX_VIEWS = 200;

/** A file has no filters, so each event and each delivery is a line. */
const EACH = new URLSearchParams({ fold: "no" });

export const renderReport = (engine: Engine, sandbox: Sandbox): Promise<string> =>
  engine.idle.whenSettled(() => {
    const { requestLog, store } = engine;
    const latest = { before: null, limit: MAX_VIEWS };
    const requests = requestLog.entries().slice(-MAX_VIEWS);
    const endpoints = listAllEndpoints(store).slice(0, MAX_VIEWS);
    const model = {
      url: sandbox.url,
      timeline: readTimeline(engine, MAX_EVENTS, EACH),
      jobList: readJobs(engine, EACH, MAX_VIEWS),
      deliveryList: readDeliveries(engine, EACH),
      records: readRecords(engine),
      faults: readFaults(engine),
      state: redactModel({ state: readState(engine), snapshots: sandbox.snapshots.list() }),
      requests: requests.map((request) => readRequest(engine, request)),
      deliveries: listLatestDeliveries(store, {}, latest).map((row) => readDelivery(engine, row)),
      jobs: JOBS.list(store, {}, latest).map((job) => readJob(engine, job)),
      endpoints: endpoints.map((row) => readEndpoint(engine, row)),
    };
    return renderPage(<Run {...model} />);
  });
