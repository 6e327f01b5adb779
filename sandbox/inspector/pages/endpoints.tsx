import type { VNode } from "preact";
import { formatCount } from "../../../src/domain/numbers.ts";
import { describeDisabled } from "../../../src/domain/webhooks/endpoints.ts";
import { ResultBars } from "../../../src/pages/charts.tsx";
import type { Attempt } from "../../../src/pages/lanes.ts";
import {
  ActionForm,
  Badge,
  Button,
  Facts,
  Section,
  SubjectLink,
  Table,
  Time,
} from "../../../src/pages/parts.tsx";
import { useSite } from "../../../src/pages/site.ts";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { toSandboxEndpoint } from "../../library/webhooks.ts";
import { listAttemptResults } from "../../store/attempts.ts";
import { listLatestDeliveries } from "../../store/deliveries.ts";
import { type EndpointRow, listAllEndpoints } from "../../store/endpoints.ts";
import { DeliveryTable, foldFailures, toDeliveryLines } from "./deliveries.tsx";

/** Deliveries whose attempts count for a rate: fewer for each endpoint of a list. */
const MAX_COUNTED = { list: 50, page: 500 };

const MAX_DELIVERIES = 50;

/** More than a partner may have. */
const MAX_ENDPOINTS = 200;

const ENDPOINT_TONES = { active: "ok", disabled: "warn", revoked: "bad" } as const;

const readAttempts = ({ store }: Engine, id: string, maxDeliveries: number): Attempt[] =>
  listAttemptResults(store, id, maxDeliveries).map(({ at, error }) => ({ at, isSuccess: error === null }));

export function renderEndpointsPage(engine: Engine): VNode {
  const rows = listAllEndpoints(engine.store).slice(0, MAX_ENDPOINTS);
  const endpoints = redactModel(rows.map(toSandboxEndpoint));
  return (
    <>
      <h1>Endpoints</h1>
      <Section live="endpoints">
        <Table
          label="Webhook endpoints"
          emptyMessage="There is no endpoint. claims webhooks create registers one."
          columns={["Status", "Label", "Receiver", "Events", "Attempts that failed", "Last success"]}
          words={["Receiver", "Events"]}
          rows={endpoints.map((endpoint) => ({
            key: endpoint.id,
            cells: [
              <Badge tone={ENDPOINT_TONES[endpoint.status]}>{endpoint.status}</Badge>,
              <>
                <SubjectLink subject={{ kind: "endpoint", id: endpoint.id }}>{endpoint.label}</SubjectLink>{" "}
                {endpoint.partner !== 1 && <small>partner {endpoint.partner}</small>}
              </>,
              <code>{endpoint.url}</code>,
              endpoint.subscribedEvents.join(", "),
              describeFailures(readAttempts(engine, endpoint.id, MAX_COUNTED.list)),
              endpoint.lastSuccessAt ? <Time at={endpoint.lastSuccessAt} isFull /> : "never",
            ],
          }))}
        />
      </Section>
    </>
  );
}

const describeFailures = (attempts: readonly Attempt[]): string => {
  const failed = attempts.filter(({ isSuccess }) => !isSuccess).length;
  return attempts.length === 0
    ? "no attempt yet"
    : `${failed} of ${attempts.length}${toPercent(failed, attempts)}`;
};

const toPercent = (count: number, { length }: readonly Attempt[]): string =>
  ` (${Math.round((count / length) * 100)} %)`;

export function renderEndpointPage(engine: Engine, row: EndpointRow): VNode {
  const page = { before: null, limit: MAX_DELIVERIES };
  const deliveries = listLatestDeliveries(engine.store, { endpointId: row.id }, page);
  const { endpoint, lines } = redactModel({
    endpoint: toSandboxEndpoint(row),
    lines: foldFailures(toDeliveryLines(engine, deliveries)),
  });
  const attempts = readAttempts(engine, row.id, MAX_COUNTED.page);
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
        <LinkToDeliveries endpoint={id} />
      </Section>
    </>
  );
}

function LinkToDeliveries({ endpoint }: { readonly endpoint: string }) {
  const { links } = useSite();
  return (
    <p>
      <a href={links.list("deliveries", { endpoint })}>All its deliveries</a>
    </p>
  );
}
