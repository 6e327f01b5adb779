import type { VNode } from "preact";
import { formatThousands } from "../../../src/domain/numbers.ts";
import { ActionForm, Section, Table, Time } from "../../../src/pages/parts.tsx";
import { type Links, useSite } from "../../../src/pages/site.ts";
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

function Counts({ state: { clock: _, clients, ...counts } }: { readonly state: SandboxState }) {
  const { links } = useSite();
  return (
    <Section title="How many there are" live="counts">
      <dl class="counts">
        {[["clients", { "": clients }] as const, ...Object.entries(counts)].map(([name, byState]) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <a href={linkToList(links, name, null)}>
                <b>{formatThousands(Object.values(byState).reduce((sum, count) => sum + count, 0))}</b>
              </a>
              {Object.entries(byState).map(
                ([state, count]) =>
                  state !== "" && (
                    <small>
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
      columns={{ Name: "text", "Taken at": "text", Rows: "number", Change: "text" }}
      rows={snapshots.map(({ name, takenAt, rows }) => [
        <code>{name}</code>,
        <Time at={takenAt} />,
        formatThousands(rows),
        <ActionForm path={`/snapshots/${name}/load`} label={`Load ${name}`} button="Load" />,
      ])}
    />
  </Section>
);
