import type { VNode } from "preact";
import { formatCount } from "../../../src/domain/numbers.ts";
import { describeDisabled } from "../../../src/domain/webhooks/endpoints.ts";
import { ResultBars } from "../../../src/pages/charts.tsx";
import {
  ActionForm,
  Badge,
  Facts,
  MainPageLink,
  Section,
  SubjectLink,
  Table,
  Time,
} from "../../../src/pages/parts.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { toSandboxEndpoint } from "../../library/webhooks.ts";
import { listAttemptResults } from "../../store/attempts.ts";
import { DELIVERIES } from "../../store/deliveries.ts";
import { type EndpointRow, listAllEndpoints } from "../../store/endpoints.ts";
import { DeliveryTable, readDeliveryLines } from "./deliveries.tsx";

/** Deliveries whose attempts count for a rate: fewer for each endpoint of a list. */
const MAX_COUNTED = { list: 50, page: 500 };

const MAX_DELIVERIES = 50;

/** More than a partner may have. */
const MAX_ENDPOINTS = 200;

const ENDPOINT_TONES = { active: "ok", disabled: "warn", revoked: "bad" } as const;

export function renderEndpointsPage({ store }: Engine): VNode {
  const endpoints = redactModel(listAllEndpoints(store).slice(0, MAX_ENDPOINTS).map(toSandboxEndpoint));
  return (
    <>
      <h1>Endpoints</h1>
      <Section live="endpoints">
        <Table
          label="Webhook endpoints"
          emptyMessage="There is no endpoint. claims webhooks create registers one."
          columns={["Status", "Label", "Receiver", "Events", "Attempts that failed", "Last success"]}
          kinds={{ Receiver: "words", Events: "words" }}
          rows={endpoints.map(({ id, status, label, partner, url, subscribedEvents, lastSuccessAt }) => [
            <Badge tone={ENDPOINT_TONES[status]}>{status}</Badge>,
            <>
              <SubjectLink subject={{ kind: "endpoint", id }}>{label}</SubjectLink>{" "}
              {partner !== 1 && <small>partner {partner}</small>}
            </>,
            <code>{url}</code>,
            subscribedEvents.join(", "),
            describeFailures(listAttemptResults(store, id, MAX_COUNTED.list)),
            <Time at={lastSuccessAt} otherwise="never" />,
          ])}
        />
      </Section>
    </>
  );
}

type AttemptResults = ReturnType<typeof listAttemptResults>;

const describeFailures = (attempts: AttemptResults): string => {
  const failed = attempts.filter(({ error }) => error !== null).length;
  return attempts.length === 0
    ? "no attempt yet"
    : `${failed} of ${attempts.length}${toPercent(failed, attempts)}`;
};

const toPercent = (count: number, { length }: AttemptResults): string =>
  ` (${Math.round((count / length) * 100)} %)`;

export function renderEndpointPage(engine: Engine, row: EndpointRow): VNode {
  const page = { before: null, limit: MAX_DELIVERIES };
  const deliveries = DELIVERIES.list(engine.store, { endpointId: row.id }, page);
  const endpoint = redactModel(toSandboxEndpoint(row));
  const attempts = listAttemptResults(engine.store, row.id, MAX_COUNTED.page);
  const { id, label, status } = endpoint;
  const succeeded = attempts.filter(({ error }) => error === null).length;
  return (
    <>
      <h1>
        Endpoint {label} <Badge tone={ENDPOINT_TONES[status]}>{status}</Badge>
      </h1>
      {status === "disabled" && <p class="message failure">{describeDisabled(endpoint)}</p>}
      <Facts
        facts={{
          Receiver: <code>{endpoint.url}</code>,
          Events: endpoint.subscribedEvents.join(", "),
          Environments: endpoint.environmentScope,
          "Signing secret begins": <code>{endpoint.secretPrefix}</code>,
          "Last success": <Time at={endpoint.lastSuccessAt} otherwise="never" />,
          "Last failure": <Time at={endpoint.lastFailureAt} otherwise="never" />,
          Endpoint: <code>{id}</code>,
        }}
      />
      {status === "active" && (
        <ActionForm path={`/endpoints/${id}/test`} label="Send a test event" button="Send test event" />
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
        <DeliveryTable lines={readDeliveryLines(engine, deliveries, true)} />
        <p>
          <MainPageLink name="deliveries" query={{ endpoint: id }}>
            All its deliveries
          </MainPageLink>
        </p>
      </Section>
    </>
  );
}
