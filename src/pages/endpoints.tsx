import type { SandboxEndpoint } from "../../sandbox/api/webhooks.ts";
import { formatCount } from "../domain/numbers.ts";
import { describeDisabled } from "../domain/webhooks/endpoints.ts";
import { ResultBars } from "./charts.tsx";
import { type DeliveryLine, DeliveryTable } from "./deliveries.tsx";
import type { Attempt } from "./lanes.ts";
import { ActionForm, Badge, Button, Facts, Section, SubjectLink, Table, Time } from "./parts.tsx";
import { useSite } from "./site.ts";

export interface EndpointModel {
  readonly endpoint: SandboxEndpoint;
  /** Those of its latest deliveries, the first one first. */
  readonly attempts: readonly Attempt[];
  /** Newest first. */
  readonly lines: readonly DeliveryLine[];
}

export interface EndpointsModel {
  readonly endpoints: readonly Omit<EndpointModel, "lines">[];
}

const ENDPOINT_TONES = { active: "ok", disabled: "warn", revoked: "bad" } as const;

export const Endpoints = ({ endpoints }: EndpointsModel) => (
  <>
    <h1>Endpoints</h1>
    <Section live="endpoints">
      <Table
        label="Webhook endpoints"
        emptyMessage="There is no endpoint. claims webhooks create registers one."
        columns={[
          "Status",
          "Label",
          { name: "Receiver", class: "words" },
          { name: "Events", class: "words" },
          "Attempts that failed",
          "Last success",
        ]}
        rows={endpoints.map(({ endpoint, attempts }) => ({
          key: endpoint.id,
          cells: [
            <Badge tone={ENDPOINT_TONES[endpoint.status]}>{endpoint.status}</Badge>,
            <>
              <SubjectLink subject={{ kind: "endpoint", id: endpoint.id }}>{endpoint.label}</SubjectLink>{" "}
              {endpoint.partner !== 1 && <small>partner {endpoint.partner}</small>}
            </>,
            <code>{endpoint.url}</code>,
            endpoint.subscribedEvents.join(", "),
            describeFailures(attempts),
            endpoint.lastSuccessAt ? <Time at={endpoint.lastSuccessAt} isFull /> : "never",
          ],
        }))}
      />
    </Section>
  </>
);

const describeFailures = (attempts: readonly Attempt[]): string => {
  const failed = attempts.filter(({ isSuccess }) => !isSuccess).length;
  return attempts.length === 0
    ? "no attempt yet"
    : `${failed} of ${attempts.length}${toPercent(failed, attempts)}`;
};

const toPercent = (count: number, { length }: readonly Attempt[]): string =>
  ` (${Math.round((count / length) * 100)} %)`;

export function Endpoint({ endpoint, attempts, lines }: EndpointModel) {
  const { links } = useSite();
  const { id, label, url, status, subscribedEvents, environmentScope, secretPrefix } = endpoint;
  const succeeded = attempts.filter(({ isSuccess }) => isSuccess).length;
  return (
    <>
      <h1>
        Endpoint {label} <Badge tone={ENDPOINT_TONES[status]}>{status}</Badge>
      </h1>
      {status === "disabled" && <p class="message failure">{describeDisabled(endpoint)}</p>}
      <Facts
        facts={[
          ["Receiver", <code>{url}</code>],
          ["Events", subscribedEvents.join(", ")],
          ["Environments", environmentScope],
          ["Signing secret begins", <code>{secretPrefix}</code>],
          ["Last success", endpoint.lastSuccessAt ? <Time at={endpoint.lastSuccessAt} isFull /> : "never"],
          ["Last failure", endpoint.lastFailureAt ? <Time at={endpoint.lastFailureAt} isFull /> : "never"],
          ["Endpoint", <code>{id}</code>],
        ]}
      />
      {status === "active" && (
        <ActionForm path={`/endpoints/${id}/test`} label="Send a test event">
          <Button>Send test event</Button>
        </ActionForm>
      )}
      <Section
        title="Attempts by result"
        live="attempts"
        note={
          attempts.length === 0
            ? "No attempt yet."
            : `${succeeded} of ${formatCount(attempts.length, "attempt")} succeeded${toPercent(succeeded, attempts)}, in its latest deliveries. Green: accepted; red: failed.`
        }
      >
        {attempts.length > 0 && <ResultBars label="Attempts by result over time" attempts={attempts} />}
      </Section>
      <Section title="Its latest deliveries" live="deliveries">
        <DeliveryTable lines={lines} />
        <p>
          <a href={links.list("deliveries", { endpoint: id })}>All its deliveries</a>
        </p>
      </Section>
    </>
  );
}
