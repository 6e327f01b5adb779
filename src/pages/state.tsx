import type { SandboxState } from "../../sandbox/api/control.ts";
import type { FaultRule } from "../../sandbox/api/faults.ts";
import type { SnapshotDiff, SnapshotInfo } from "../../sandbox/api/snapshots.ts";
import type { SandboxEndpoint } from "../../sandbox/api/webhooks.ts";
import { ActionForm, Badge, Button, Section, Table, Time } from "./parts.tsx";
import { useSite } from "./site.ts";

export interface StateModel {
  readonly state: SandboxState;
  readonly snapshots: readonly SnapshotInfo[];
  readonly difference: { readonly from: string; readonly to: string; readonly diff: SnapshotDiff } | null;
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
        <Snapshots snapshots={model.snapshots} difference={model.difference} />
      </div>
      {model.difference && <Difference {...model.difference} />}
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
            <span class="big">{Object.values(byState).reduce((sum, count) => sum + count, 0)}</span>
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

function Snapshots({ snapshots, difference }: Pick<StateModel, "snapshots" | "difference">) {
  const { formToken } = useSite();
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
      {formToken !== null && snapshots.length > 0 && (
        <CompareForm snapshots={snapshots} difference={difference} />
      )}
    </Section>
  );
}

function CompareForm({ snapshots, difference }: Pick<StateModel, "snapshots" | "difference">) {
  const { links } = useSite();
  const names = [...snapshots.map(({ name }) => name), "now"];
  const select = (field: "from" | "to", selected: string) => (
    <label>
      {field === "from" ? "Compare" : "with"}{" "}
      <select name={field}>
        {names.map((name) => (
          <option key={name} selected={name === selected}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <form method="get" action={links.state()} class="inline" aria-label="Compare two states">
      {select("from", difference?.from ?? names[0] ?? "now")}
      {select("to", difference?.to ?? "now")}
      <button type="submit">Compare</button>
    </form>
  );
}

const CHANGE_TONES = { added: "ok", removed: "bad", changed: "warn" } as const;

const Difference = ({ from, to, diff }: NonNullable<StateModel["difference"]>) => (
  <Section title={`From ${from} to ${to}`}>
    <Table emptyMessage="No record differs." label="Difference" head={["Change", "Record", "Fields"]}>
      {diff.changes.slice(0, 200).map(({ kind, id, change, fields }) => (
        <tr key={`${kind} ${id}`}>
          <td>
            <Badge tone={CHANGE_TONES[change]}>{change}</Badge>
          </td>
          <td class="whole">
            {kind} <code>{id}</code>
          </td>
          <td class="source">
            {fields
              .map((field) =>
                field.from === undefined ? field.name : `${field.name}: ${field.from} → ${field.to}`,
              )
              .join(", ")}
          </td>
        </tr>
      ))}
    </Table>
  </Section>
);

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
