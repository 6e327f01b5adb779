import type { VNode } from "preact";
import { Delivery } from "../../src/pages/delivery.tsx";
import { Job } from "../../src/pages/job.tsx";
import type { FrameProps } from "../../src/pages/layout.tsx";
import { Request } from "../../src/pages/request.tsx";
import { State } from "../../src/pages/state.tsx";
import { Timeline } from "../../src/pages/timeline.tsx";
import type { ControlDependencies } from "../control/handlers.ts";
import { readDelivery } from "./models/delivery.ts";
import { readJob } from "./models/job.ts";
import { toRequestModel } from "./models/request.ts";
import { readStateModel } from "./models/state.ts";
import { readTimeline } from "./models/timeline.ts";

/** A page is for people. */
const MAX_EVENTS = 200;

export interface PageCall extends Pick<ControlDependencies, "engine" | "sandbox"> {
  readonly params: Readonly<Record<string, string>>;
}

export interface View {
  readonly title: string;
  readonly current: FrameProps["current"];
  readonly content: VNode;
  /** Default 200. */
  readonly status?: number;
}

type Page = (call: PageCall) => Promise<View>;

export const PAGES: Readonly<Record<string, Page>> = {
  "": async ({ engine }) => ({
    ...{ title: "Timeline", current: "timeline" },
    content: <Timeline {...(await readTimeline(engine, MAX_EVENTS))} />,
  }),
  "/requests/{number}": async ({ engine, params: { number = "" }, sandbox }) => ({
    ...{ title: `Request ${number}`, current: null },
    content: <Request {...toRequestModel(engine, await sandbox.requests.get(number))} />,
  }),
  "/deliveries/{id}": async ({ engine, params: { id = "" } }) => ({
    ...{ title: "Delivery", current: null },
    content: <Delivery {...(await readDelivery(engine, id))} />,
  }),
  "/jobs/{id}": async ({ engine, params: { id = "" } }) => ({
    ...{ title: "Job", current: null },
    content: <Job {...(await readJob(engine, id))} />,
  }),
  "/state": async ({ engine, sandbox }) => ({
    ...{ title: "State", current: "state" },
    content: <State {...(await readStateModel(engine, sandbox))} />,
  }),
};
