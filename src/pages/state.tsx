import type { SandboxState } from "../../sandbox/api/control.ts";
import type { FaultRule } from "../../sandbox/api/faults.ts";
import type { SnapshotInfo } from "../../sandbox/api/snapshots.ts";
import type { SandboxEndpoint } from "../../sandbox/api/webhooks.ts";
import { ActionForm, Badge, Button, Section, Table, Time } from "./parts.tsx";

export interface StateModel {
  readonly state: SandboxState;
  readonly snapshots: readonly SnapshotInfo[];
  readonly endpoints: readonly SandboxEndpoint[];
  readonly faults: readonly FaultRule[];
}

export function State(model: StateModel) {
  return (
    <>
      <h1>State</h1>
      <Counts state={model.state} />
      <div class="columns">
        <Faults faults={model.faults} />
        <Snapshots snapshots={model.snapshots} />
      </div>
      <Endpoints endpoints={model.endpoints} />
    </>
  );
}

const Counts = ({ state: { clock: _, clients, ...counts } }: Pick<StateModel, "state">) => (
  <Section title="Records" live="counts">
    <dl class="counts">
      {[["clients", { "": clients }] as const, ...Object.entries(counts)].map(([name, byState]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <b>{Object.values(byState).reduce((sum, count) => sum + count, 0)}</b>
            <small>
              {Object.entries(byState)
                .filter(([state]) => state !== "")
                .map(([state, count]) => `${count} ${state}`)
                .join(", ")}
            </small>
          </dd>
        </div>
      ))}
    </dl>
  </Section>
);

function Faults({ faults }: Pick<StateModel, "faults">) {
  return (
    <Section title="Faults" live="faults">
      <Table
        emptyMessage="No fault is in force."
        label="Faults in force"
        head={["Effect", "Applies to", { number: "Applied" }, "Change"]}
      >
        {faults.map(({ id, description, match, applied, matched, times }) => (
          <tr key={id}>
            <td>{description}</td>
            <td>
              <code>{describeMatch(match)}</code>
            </td>
            <td class="number">
              {applied} of {matched}
              {times !== null && `, at most ${times}`}
            </td>
            <td>
              <ActionForm path={`/faults/${id}/delete`} label={`Delete fault ${id}`}>
                <Button>Delete</Button>
              </ActionForm>
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

const describeMatch = (match: object): string =>
  Object.entries(match)
    .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ") || "every request";

function Snapshots({ snapshots }: Pick<StateModel, "snapshots">) {
  return (
    <Section title="Snapshots">
      <ActionForm path="/snapshots" label="Save a snapshot">
        <label>
          Name <input name="name" required pattern="[\w.\-]{1,64}" size={16} />
        </label>
        <Button>Save</Button>
      </ActionForm>
      <Table
        emptyMessage="No snapshot is saved."
        label="Snapshots"
        head={["Name", "Taken at", { number: "Rows" }, "Change"]}
      >
        {snapshots.map(({ name, takenAt, rows }) => (
          <tr key={name}>
            <td>
              <code>{name}</code>
            </td>
            <td>
              <Time at={takenAt} isFull />
            </td>
            <td class="number">{rows}</td>
            <td>
              <ActionForm path={`/snapshots/${name}/load`} label={`Load ${name}`}>
                <Button>Load</Button>
              </ActionForm>
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

const ENDPOINT_TONES = { active: "ok", disabled: "warn", revoked: "bad" } as const;

function Endpoints({ endpoints }: Pick<StateModel, "endpoints">) {
  return (
    <Section title="Webhook endpoints" live="endpoints">
      <Table label="Webhook endpoints" head={["Label", "Receiver", "Events", "Status", "Last success"]}>
        {endpoints.map(({ id, label, url, subscribedEvents, status, lastSuccessAt, partner }) => (
          <tr key={id}>
            <td>
              {label} {partner !== 1 && <small>partner {partner}</small>}
            </td>
            <td>
              <code>{url}</code>
            </td>
            <td>{subscribedEvents.join(", ")}</td>
            <td>
              <Badge tone={ENDPOINT_TONES[status]}>{status}</Badge>
            </td>
            <td>{lastSuccessAt ? <Time at={lastSuccessAt} isFull /> : "never"}</td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}
