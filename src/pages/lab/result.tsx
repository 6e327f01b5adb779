import { formatAge } from "../../domain/numbers.ts";
import type { DeliveryComparison, FirstDifference } from "../../domain/webhooks/compare-deliveries.ts";
import { Causes, VerdictBadge } from "../causes.tsx";
import { Badge, Facts, Section, Table } from "../parts.tsx";
import type { LabResult } from "./check.ts";

export function Result(result: LabResult) {
  if (result.problem !== null)
    return (
      <p class="message failure" role="alert">
        {result.problem}: {result.hint}
      </p>
    );
  const { explanation, hasRestoredLineEnds, comparison } = result;
  const { ageSeconds } = explanation;
  return (
    <Section title="Result">
      <Causes verification={explanation} />
      {ageSeconds !== null && <p class="note">Signed {formatAge(ageSeconds, "this computer's clock")}.</p>}
      {hasRestoredLineEnds && (
        <p class="note">It matches with CRLF at the ends of its lines, which a text box shows as LF.</p>
      )}
      {comparison && <Comparison {...comparison} />}
    </Section>
  );
}

const TONES = { same: "ok", different: "bad", not_received: "warn", not_sent: "due" } as const;

const Comparison = ({
  headers,
  body: { sentBytes, receivedBytes, firstDifference },
  sentVerdict,
}: DeliveryComparison & { readonly sentVerdict: string }) => (
  <Section title="Sent and received">
    <p>
      With this secret, what was sent is <VerdictBadge verdict={sentVerdict} />.{" "}
      {firstDifference
        ? `The body had ${sentBytes} bytes when it was sent, and has ${receivedBytes} here.`
        : `The body has the same ${sentBytes} bytes.`}
    </p>
    {firstDifference && <Difference {...firstDifference} />}
    <Table label="Headers" head={["Header", "Result", "Sent", "Received"]}>
      {headers.map(({ name, result, sent, received }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td>
            <Badge tone={TONES[result]}>{result.replace("_", " ")}</Badge>
          </td>
          <td>
            <code>{sent}</code>
          </td>
          <td>
            <code>{result === "same" ? "" : received}</code>
          </td>
        </tr>
      ))}
    </Table>
  </Section>
);

const Difference = ({ offset, line, column, sent, received }: FirstDifference) => (
  <Facts
    facts={[
      ["First different byte", `offset ${offset} (line ${line}, column ${column})`],
      ["Sent", sent === null ? HIDDEN : <code key="sent">{sent}</code>],
      ["Received", received === null ? HIDDEN : <code key="received">{received}</code>],
    ]}
  />
);

const HIDDEN = "not shown: a body holds the secret";
