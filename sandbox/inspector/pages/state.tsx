import type { VNode } from "preact";
import { formatThousands } from "../../../src/domain/numbers.ts";
import { ActionForm, MainPageLink, Section, Table, Time } from "../../../src/pages/parts.tsx";
import type { SandboxState } from "../../api/control.ts";
import type { Sandbox } from "../../api/sandbox.ts";
import type { SnapshotInfo } from "../../api/snapshots.ts";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { readState } from "../../library/read-state.ts";

export const renderStatePage = (engine: Engine, { snapshots }: Sandbox): VNode => (
  <>
    <h1>State</h1>
    <Counts state={readState(engine)} />
    <Snapshots snapshots={redactModel(snapshots.list())} />
  </>
);

const Counts = ({ state: { clock: _, clients, ...counts } }: { readonly state: SandboxState }) => (
  <Section title="How many there are" live="counts">
    <dl class="counts">
      {[["clients", { "": clients }] as const, ...Object.entries(counts)].map(([name, byState]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            <MainPageLink {...listOf(name, null)}>
              <b>{formatThousands(Object.values(byState).reduce((sum, count) => sum + count, 0))}</b>
            </MainPageLink>
            {Object.entries(byState).map(
              ([state, count]) =>
                state !== "" && (
                  <small>
                    <MainPageLink {...listOf(name, state)}>
                      {formatThousands(count)} {state.replaceAll("_", " ")}
                    </MainPageLink>
                  </small>
                ),
            )}
          </dd>
        </div>
      ))}
    </dl>
  </Section>
);

/** The list that shows what is counted. */
function listOf(name: string, state: string | null) {
  if (name === "jobs") return { name, query: { state } } as const;
  if (name === "deliveries") return { name, query: { status: state } } as const;
  return { name: name === "endpoints" ? "endpoints" : "records" } as const;
}

const Snapshots = ({ snapshots }: { readonly snapshots: readonly SnapshotInfo[] }) => (
  <Section title="Snapshots">
    <ActionForm path="/snapshots" label="Save a snapshot" button="Save">
      <label>
        Name <input name="name" required pattern="[\w.\-]{1,64}" size={16} />
      </label>
    </ActionForm>
    <Table
      emptyMessage="No snapshot is saved."
      label="Snapshots"
      columns={["Name", "Taken at", "Rows", "Change"]}
      kinds={{ Rows: "number" }}
      rows={snapshots.map(({ name, takenAt, rows }) => [
        <code>{name}</code>,
        <Time at={takenAt} />,
        formatThousands(rows),
        <ActionForm path={`/snapshots/${name}/load`} label={`Load ${name}`} button="Load" />,
      ])}
    />
  </Section>
);
