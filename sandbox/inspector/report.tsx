import type { VNode } from "preact";
import { Masthead } from "../../src/pages/layout.tsx";
import { Time } from "../../src/pages/parts.tsx";
import { renderPage } from "../../src/pages/render.ts";
import { FILE_LINKS, SiteProvider } from "../../src/pages/site.ts";
import { StandaloneDocument } from "../../src/pages/standalone-document.tsx";
import type { Sandbox } from "../api/sandbox.ts";
import type { Engine } from "../engine/engine.ts";
import { readClock } from "../library/read-state.ts";
import { listLatestDeliveries } from "../store/deliveries.ts";
import { listAllEndpoints } from "../store/endpoints.ts";
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

const MAX_EVENTS = 1_000;

/** Views of each kind: a file is to be opened by a browser. */
const MAX_VIEWS = 200;

/** A file has no filters, so each event and each delivery is a line. */
const EACH = new URLSearchParams({ fold: "no" });

/** Everything that a sandbox shows, as one file without a script: the part of the address after # selects a view, and paper has all. */
export const renderReport = (engine: Engine, sandbox: Sandbox): Promise<string> =>
  engine.idle.whenSettled(() => {
    const { now } = readClock(engine);
    return renderPage(
      <SiteProvider value={{ links: FILE_LINKS, formToken: null, here: "", now }}>
        <StandaloneDocument title="Run of a claims sandbox" bodyClass="run">
          <header class="top">
            <Masthead current={null} url={sandbox.url} />
            <p class="clock">
              <span class="badge">ended</span> <Time at={now} isFull />
            </p>
          </header>
          <main>
            {listViews(engine, sandbox).map(([id, content], index) => (
              <section key={id} id={id} class={index === 0 ? "view home" : "view"}>
                {content}
              </section>
            ))}
          </main>
        </StandaloneDocument>
      </SiteProvider>,
    );
  });

/** Of each kind of record, the latest ones. */
function listViews(engine: Engine, sandbox: Sandbox): readonly (readonly [id: string, content: VNode])[] {
  const { requestLog, store } = engine;
  const latest = { before: null, limit: MAX_VIEWS };
  const requests = requestLog.entries().slice(-MAX_VIEWS);
  const deliveries = listLatestDeliveries(store, {}, latest);
  const jobs = JOBS.list(store, {}, latest);
  const endpoints = listAllEndpoints(store).slice(0, MAX_VIEWS);
  return [
    ["timeline", renderTimelinePage(engine, EACH, MAX_EVENTS)],
    ["jobs", renderJobsPage(engine, EACH, MAX_VIEWS)],
    ["deliveries", renderDeliveriesPage(engine, EACH)],
    ["endpoints", renderEndpointsPage(engine)],
    ["records", renderRecordsPage(engine)],
    ["faults", renderFaultsPage(engine)],
    ["state", renderStatePage(engine, sandbox)],
    ...requests.map((each) => [`request-${each.number}`, renderRequestPage(engine, each)] as const),
    ...deliveries.map((row) => [`delivery-${row.id}`, renderDeliveryPage(engine, row)] as const),
    ...jobs.map((row) => [`job-${row.id}`, renderJobPage(engine, row)] as const),
    ...endpoints.map((row) => [`endpoint-${row.id}`, renderEndpointPage(engine, row)] as const),
  ];
}
