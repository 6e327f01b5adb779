import type { VNode } from "preact";
import { ActionForm, Section, Table } from "../../../src/pages/parts.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { EventList, toEvent } from "./events.tsx";

const MAX_EVENTS = 50;

export function renderFaultsPage(engine: Engine): VNode {
  const { faults, events } = redactModel({
    faults: engine.faults.list(),
    events: engine.requestLog
      .entries()
      .filter(({ trace }) => trace.fault !== null)
      .slice(-MAX_EVENTS)
      .map((request) => toEvent(engine, request))
      .reverse(),
  });
  return (
    <>
      <h1>Faults</h1>
      <Section title="In force" live="faults">
        <Table
          emptyMessage="No fault is in force. claims sandbox faults add flaky makes the service fail at random."
          label="Faults in force"
          columns={["Effect", "Applies to", "Applied", "Change"]}
          kinds={{ Effect: "words", "Applies to": "words", Applied: "number" }}
          rows={faults.map(({ id, description, match, applied, matched, times }) => [
            description,
            <code>{describeMatch(match)}</code>,
            `${applied} of ${matched}${times === null ? "" : `, at most ${times}`}`,
            <ActionForm path={`/faults/${id}/delete`} label={`Delete fault ${id}`} button="Delete" />,
          ])}
        />
      </Section>
      <Section title="Requests that a fault changed" live="faulted">
        <EventList events={events} emptyMessage="None." />
      </Section>
    </>
  );
}

const describeMatch = (match: object): string =>
  Object.entries(match)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ") || "every request";
