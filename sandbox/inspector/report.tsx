import type { VNode } from "preact";
import { FileFrame } from "../../src/pages/layout.tsx";
import { renderPage } from "../../src/pages/render.ts";
import { FILE_LINKS, SiteProvider } from "../../src/pages/site.ts";
import type { Sandbox } from "../api/sandbox.ts";
import type { Engine } from "../engine/engine.ts";
import { readClock } from "../library/read-state.ts";
import { DELIVERIES } from "../store/deliveries.ts";
import { listAllEndpoints } from "../store/endpoints.ts";
import { JOBS } from "../store/jobs.ts";
import { renderDeliveryPage } from "./pages/delivery.tsx";
import { renderEndpointPage } from "./pages/endpoints.tsx";
import { renderJobPage } from "./pages/job.tsx";
import { renderRequestPage } from "./pages/request.tsx";
import { MAIN_PAGE_RENDERERS } from "./routes.ts";

/** Views of each kind: a file is to be opened by a browser. */
const MAX_VIEWS = 200;

const LIMITS = { events: 1_000, jobs: MAX_VIEWS };

/** A file has no filters, so each event and each delivery is a line. */
const EACH = new URLSearchParams({ fold: "no" });

/** Everything that a sandbox shows, as one file without a script: the part of the address after # selects a view, and paper has all. */
export const renderReport = (engine: Engine, sandbox: Sandbox): Promise<string> =>
  engine.quiescence.run(() => {
    const { now } = readClock(engine);
    return renderPage(
      <SiteProvider value={{ links: FILE_LINKS, formToken: null, here: "", now }}>
        <FileFrame title="Run of a claims sandbox" url={sandbox.url}>
          {listViews(engine, sandbox).map(([id, content], index) => (
            <section id={id} class={index === 0 ? "view home" : "view"}>
              {content}
            </section>
          ))}
        </FileFrame>
      </SiteProvider>,
    );
  });

/** The lists, and of each kind of record the latest ones. */
function listViews(engine: Engine, sandbox: Sandbox): readonly (readonly [id: string, content: VNode])[] {
  const { requestLog, store } = engine;
  const call = { engine, sandbox, query: EACH, limits: LIMITS };
  const latest = { before: null, limit: MAX_VIEWS };
  const requests = requestLog.entries().slice(-MAX_VIEWS);
  const endpoints = listAllEndpoints(store).slice(0, MAX_VIEWS);
  return [
    ...Object.entries(MAIN_PAGE_RENDERERS).map(([name, render]) => [name, render(call)] as const),
    ...requests.map((each) => [`request-${each.number}`, renderRequestPage(engine, each)] as const),
    ...DELIVERIES.list(store, {}, latest).map(
      (row) => [`delivery-${row.id}`, renderDeliveryPage(engine, row)] as const,
    ),
    ...JOBS.list(store, {}, latest).map(
      (row) => [`job-${row.id}`, renderJobPage(engine, row, EACH)] as const,
    ),
    ...endpoints.map((row) => [`endpoint-${row.id}`, renderEndpointPage(engine, row)] as const),
  ];
}
