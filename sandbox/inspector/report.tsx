import { renderPage } from "../../src/pages/render.ts";
import { Run } from "../../src/pages/run.tsx";
import type { Sandbox } from "../api/sandbox.ts";
import type { Engine } from "../engine/engine.ts";
import { toLoggedRequest } from "../engine/request-log/logged-request.ts";
import { listLatestDeliveries } from "../store/deliveries.ts";
import { JOBS } from "../store/jobs.ts";
import { toDeliveryModel } from "./models/delivery.ts";
import { toJobModel } from "./models/job.ts";
import { toRequestModel } from "./models/request.ts";
import { readStateModel } from "./models/state.ts";
import { readTimeline } from "./models/timeline.ts";

const MAX_EVENTS = 1_000;

/** Views of each kind: a file is to be opened by a browser. */
const MAX_VIEWS = 200;

export async function renderReport(engine: Engine, sandbox: Sandbox): Promise<string> {
  const timeline = await readTimeline(engine, MAX_EVENTS);
  const state = await readStateModel(engine, sandbox);
  const latest = { before: null, limit: MAX_VIEWS };
  const model = await engine.idle.whenSettled(() => ({
    ...{ url: sandbox.url, timeline, state },
    requests: engine.requestLog
      .entries()
      .slice(-MAX_VIEWS)
      .map((request) => toRequestModel(engine, toLoggedRequest(request, engine.store))),
    deliveries: listLatestDeliveries(engine.store, {}, MAX_VIEWS).map((row) => toDeliveryModel(engine, row)),
    jobs: JOBS.list(engine.store, {}, latest).map((job) => toJobModel(engine.store, job)),
  }));
  return renderPage(<Run {...model} />);
}
