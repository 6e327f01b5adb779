import type { SandboxState } from "../../sandbox/api/control.ts";
import type { SnapshotInfo } from "../../sandbox/api/snapshots.ts";
import { formatThousands } from "../domain/numbers.ts";
import { ActionForm, Button, Section, Table, Time } from "./parts.tsx";
import { type Links, useSite } from "./site.ts";

export interface StateModel {
  readonly state: SandboxState;
  readonly snapshots: readonly SnapshotInfo[];
}

export const State = ({ state, snapshots }: StateModel) => (
  <>
    <h1>State</h1>
    <Counts state={state} />
    <Snapshots snapshots={snapshots} />
  </>
);

function Counts({ state: { clock: _, clients, ...counts } }: Pick<StateModel, "state">) {
  const { links } = useSite();
  return (
    <Section title="How many there are" live="counts">
      <dl class="counts">
        {[["clients", { "": clients }] as const, ...Object.entries(counts)].map(([name, byState]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <a href={linkToList(links, name, null)}>
                <b>{formatThousands(Object.values(byState).reduce((sum, count) => sum + count, 0))}</b>
              </a>
              {Object.entries(byState).map(
                ([state, count]) =>
                  state !== "" && (
                    <small key={state}>
                      <a href={linkToList(links, name, state)}>
                        {formatThousands(count)} {state.replaceAll("_", " ")}
                      </a>
                    </small>
                  ),
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function linkToList(links: Links, name: string, state: string | null): string {
  if (name === "jobs") return links.list("jobs", { state });
  if (name === "deliveries") return links.list("deliveries", { status: state });
  return links.list(name === "endpoints" ? "endpoints" : "records");
}

const Snapshots = ({ snapshots }: Pick<StateModel, "snapshots">) => (
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
      columns={["Name", "Taken at", { name: "Rows", class: "number" }, "Change"]}
      rows={snapshots.map(({ name, takenAt, rows }) => ({
        key: name,
        cells: [
          <code>{name}</code>,
          <Time at={takenAt} isFull />,
          formatThousands(rows),
          <ActionForm path={`/snapshots/${name}/load`} label={`Load ${name}`}>
            <Button>Load</Button>
          </ActionForm>,
        ],
      }))}
    />
  </Section>
);
