import type { ComponentChildren, VNode } from "preact";
import { Deliveries, type DeliveriesModel } from "./deliveries.tsx";
import { Delivery, type DeliveryModel } from "./delivery.tsx";
import { Endpoint, type EndpointModel, Endpoints } from "./endpoints.tsx";
import { Faults, type FaultsModel } from "./faults.tsx";
import { Job, type JobModel } from "./job.tsx";
import { Jobs, type JobsModel } from "./jobs.tsx";
import { Masthead } from "./layout.tsx";
import { Time } from "./parts.tsx";
import { Records, type RecordsModel } from "./records.tsx";
import { Request, type RequestModel } from "./request.tsx";
import { FILE_LINKS, SiteProvider } from "./site.ts";
import { StandaloneDocument } from "./standalone-document.tsx";
import { State, type StateModel } from "./state.tsx";
import { Timeline, type TimelineModel } from "./timeline.tsx";

/** Everything that a sandbox shows, as one file. */
export interface RunModel {
  readonly url: string;
  readonly timeline: TimelineModel;
  readonly jobList: JobsModel;
  readonly deliveryList: DeliveriesModel;
  readonly records: RecordsModel;
  readonly faults: FaultsModel;
  readonly state: StateModel;
  /** Of each kind of record, the latest ones. */
  readonly requests: readonly RequestModel[];
  readonly deliveries: readonly DeliveryModel[];
  readonly jobs: readonly JobModel[];
  readonly endpoints: readonly EndpointModel[];
}

/** A file without a script: the part of the address after # selects a view, and paper has them all. */
export function Run(model: RunModel) {
  const { url, timeline, requests, deliveries, jobs, endpoints } = model;
  const { now } = timeline.clock;
  const views: readonly (readonly [id: string, content: VNode])[] = [
    ["jobs", <Jobs {...model.jobList} />],
    ["deliveries", <Deliveries {...model.deliveryList} />],
    ["endpoints", <Endpoints endpoints={endpoints} />],
    ["records", <Records {...model.records} />],
    ["faults", <Faults {...model.faults} />],
    ["state", <State {...model.state} />],
    ...requests.map((each) => [`request-${each.request.number}`, <Request {...each} />] as const),
    ...deliveries.map((each) => [`delivery-${each.delivery.id}`, <Delivery {...each} />] as const),
    ...jobs.map((each) => [`job-${each.job.jobId}`, <Job {...each} />] as const),
    ...endpoints.map((each) => [`endpoint-${each.endpoint.id}`, <Endpoint {...each} />] as const),
  ];
  return (
    <SiteProvider value={{ links: FILE_LINKS, formToken: null, here: "", now }}>
      <StandaloneDocument title="Run of a claims sandbox" bodyClass="run">
        <header class="top">
          <Masthead current={null} url={url} />
          <p class="clock">
            <span class="badge">ended</span> <Time at={now} isFull />
          </p>
        </header>
        <main>
          <View id="timeline" isHome>
            <Timeline {...timeline} />
          </View>
          {views.map(([id, content]) => (
            <View key={id} id={id}>
              {content}
            </View>
          ))}
        </main>
      </StandaloneDocument>
    </SiteProvider>
  );
}

interface ViewProps {
  readonly id: string;
  readonly isHome?: boolean;
  readonly children: ComponentChildren;
}

const View = ({ id, isHome = false, children }: ViewProps) => (
  <section id={id} class={isHome ? "view home" : "view"}>
    {children}
  </section>
);
