import type { FaultsModel } from "../../../src/pages/faults.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { toEvent } from "./timeline.ts";

const MAX_EVENTS = 50;

export const readFaults = (engine: Engine): FaultsModel =>
  redactModel({
    faults: engine.faults.list(),
    events: engine.requestLog
      .entries()
      .filter(({ trace }) => trace.fault !== null)
      .slice(-MAX_EVENTS)
      .map((request) => toEvent(engine, request))
      .reverse(),
  });
