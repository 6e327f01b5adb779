import { Section, Table } from "./parts.tsx";
import { useSite } from "./site.ts";

/** The requests with one Idempotency-Key. */
export interface KeyUse {
  readonly key: string;
  readonly operation: string;
  readonly requests: readonly {
    readonly number: number;
    readonly status: number | null;
    /** Whether it got the stored response. */
    readonly isReplay: boolean;
    readonly outcome: string;
  }[];
}

export function Keys({ keys }: { readonly keys: readonly KeyUse[] }) {
  const { links } = useSite();
  return (
    <Section
      title="Idempotency keys"
      live="keys"
      note="Each key runs once: ● ran, ○ got the stored response, × refused or lost"
    >
      <Table
        emptyMessage="No request had an Idempotency-Key."
        label="Idempotency keys"
        head={["Key", "Operation", "Requests"]}
      >
        {keys.map(({ key, operation, requests }) => (
          <tr key={`${operation} ${key}`}>
            <td>
              <code>{key}</code>
            </td>
            <td>{operation}</td>
            <td>
              <ol class="dots">
                {requests.map((request) => (
                  <li key={request.number}>
                    <a href={links.request(request.number)} title={describeUse(request)}>
                      <span aria-hidden="true">{dotOf(request)}</span> {request.status ?? request.outcome}
                      <span class="hidden"> {describeUse(request)}</span>
                    </a>
                  </li>
                ))}
              </ol>
            </td>
          </tr>
        ))}
      </Table>
    </Section>
  );
}

type Use = KeyUse["requests"][number];

const isRefused = ({ status, outcome }: Use) => outcome !== "answered" || (status ?? 500) >= 400;

const dotOf = (use: Use): string => (use.isReplay ? "○" : isRefused(use) ? "×" : "●");

const describeUse = (use: Use): string =>
  `request ${use.number}, ${use.isReplay ? "stored response" : isRefused(use) ? "refused or lost" : "ran"}`;
