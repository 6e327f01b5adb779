import type { FaultRule } from "../../sandbox/api/faults.ts";
import { ActionForm, Button, Section, Table } from "./parts.tsx";
import { EventLine, type TimelineEvent } from "./timeline.tsx";

export interface FaultsModel {
  readonly faults: readonly FaultRule[];
  /** The latest requests that a fault changed, newest first. */
  readonly events: readonly TimelineEvent[];
}

export const Faults = ({ faults, events }: FaultsModel) => (
  <>
    <h1>Faults</h1>
    <Section title="In force" live="faults">
      <Table
        emptyMessage="No fault is in force. claims sandbox faults add flaky makes the service fail at random."
        label="Faults in force"
        columns={[
          { name: "Effect", class: "words" },
          { name: "Applies to", class: "words" },
          { name: "Applied", class: "number" },
          "Change",
        ]}
        rows={faults.map(({ id, description, match, applied, matched, times }) => ({
          key: id,
          cells: [
            description,
            <code>{describeMatch(match)}</code>,
            `${applied} of ${matched}${times === null ? "" : `, at most ${times}`}`,
            <ActionForm path={`/faults/${id}/delete`} label={`Delete fault ${id}`}>
              <Button>Delete</Button>
            </ActionForm>,
          ],
        }))}
      />
    </Section>
    <Section title="Requests that a fault changed" live="faulted">
      {events.length === 0 && <p class="note">None.</p>}
      <ol class="events">
        {events.map((event) => (
          <EventLine key={event.line.label} event={event} />
        ))}
      </ol>
    </Section>
  </>
);

const describeMatch = (match: object): string =>
  Object.entries(match)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ") || "every request";
