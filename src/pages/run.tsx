import type { ComponentChildren } from "preact";
import { Delivery, type DeliveryModel } from "./delivery.tsx";
import { Job, type JobModel } from "./job.tsx";
import { Masthead } from "./layout.tsx";
import { Time } from "./parts.tsx";
import { Request, type RequestModel } from "./request.tsx";
import { FILE_LINKS, SiteProvider } from "./site.ts";
import { StandaloneDocument } from "./standalone-document.tsx";
import { State, type StateModel } from "./state.tsx";
import { Timeline, type TimelineModel } from "./timeline.tsx";

/** Everything that a sandbox shows, as one file. */
export interface RunModel {
  readonly url: string;
  readonly timeline: TimelineModel;
  readonly state: StateModel;
  /** The latest of each. */
  readonly requests: readonly RequestModel[];
  readonly deliveries: readonly DeliveryModel[];
  readonly jobs: readonly JobModel[];
}

/** A file without a script: the part of the address after # selects a view, and paper has them all. */
export const Run = ({ url, timeline, state, requests, deliveries, jobs }: RunModel) => (
  <SiteProvider value={{ links: FILE_LINKS, formToken: null, here: "" }}>
    <StandaloneDocument title="Run of a claims sandbox" bodyClass="run">
      <header class="top">
        <Masthead current={null} url={url} />
        <p class="clock">
          <span class="badge">ended</span> <Time at={timeline.clock.now} isFull />
        </p>
      </header>
      <main>
        <View id="timeline" isHome>
          <Timeline {...timeline} />
        </View>
        <View id="state">
          <State {...state} />
        </View>
        {requests.map((model) => (
          <View key={model.request.number} id={`request-${model.request.number}`}>
            <Request {...model} />
          </View>
        ))}
        {deliveries.map((model) => (
          <View key={model.delivery.id} id={`delivery-${model.delivery.id}`}>
            <Delivery {...model} />
          </View>
        ))}
        {jobs.map((model) => (
          <View key={model.job.jobId} id={`job-${model.job.jobId}`}>
            <Job {...model} />
          </View>
        ))}
      </main>
    </StandaloneDocument>
  </SiteProvider>
);

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
