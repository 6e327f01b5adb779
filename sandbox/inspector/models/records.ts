import { formatDollars, formatThousands } from "../../../src/domain/numbers.ts";
import type { RecordCell, RecordsModel } from "../../../src/pages/records.tsx";
import type { Engine } from "../../engine/engine.ts";
import { redactModel } from "../../engine/request-log/redaction.ts";
import { formatTime } from "../../engine/scheduler/clock.ts";
import { CLAIMS, OFFERS } from "../../store/claims.ts";
import { CLIENTS } from "../../store/clients.ts";
import { NOTIFICATIONS } from "../../store/notifications.ts";
import { listLatestOrganizations, ORGANIZATIONS } from "../../store/organizations.ts";
import { SCANS } from "../../store/scans.ts";

const MAX_RECORDS = 50;

/** The latest records of every partner and environment. The cells of a row follow its id. */
export function readRecords({ store }: Engine): RecordsModel {
  const latest = { before: null, limit: MAX_RECORDS };
  const time = (at: number): RecordCell => ({ at: formatTime(at) });
  const refer = (kind: "client" | "claim" | "scan" | "job", id: string | null): RecordCell =>
    id === null ? "–" : { kind, id };
  const tables = [
    {
      name: "clients",
      columns: ["Name", "Reference", "Environment", "Created"],
      count: CLIENTS.sum(store, {}).count,
      rows: CLIENTS.list(store, {}, latest).map(({ id, name, reference, environment, createdAt }) => ({
        id,
        cells: [name, reference ?? "–", environment, time(createdAt)],
      })),
    },
    {
      name: "claims",
      columns: ["Client", "Job", "Status", "Entries", "Estimated claim", "Created"],
      count: CLAIMS.sum(store, {}).count,
      rows: CLAIMS.list(store, {}, latest).map((claim) => ({
        id: claim.id,
        cells: [
          refer("client", claim.clientId),
          refer("job", claim.jobId),
          claim.status.replaceAll("_", " "),
          formatThousands(claim.entryCount),
          formatDollars(claim.estimatedClaimCents),
          time(claim.createdAt),
        ],
      })),
    },
    {
      name: "offers",
      columns: ["Claim", "Status", "Advance", "Fee", "Created"],
      count: OFFERS.sum(store, {}).count,
      rows: OFFERS.list(store, {}, latest).map(
        ({ id, claimId, status, advanceCents, feeCents, createdAt }) => ({
          id,
          cells: [
            refer("claim", claimId),
            status,
            formatDollars(advanceCents),
            formatDollars(feeCents),
            time(createdAt),
          ],
        }),
      ),
    },
    {
      name: "scans",
      columns: ["State", "Mode", "Compared with", "Jobs", "Created"],
      count: SCANS.sum(store, {}).count,
      rows: SCANS.list(store, {}, latest).map(({ id, state, mode, baseline, jobs, createdAt }) => ({
        id,
        cells: [state, mode, refer("scan", baseline), formatThousands(jobs.length), time(createdAt)],
      })),
    },
    {
      name: "notifications",
      columns: ["Recipient", "Subject", "Job", "Created"],
      count: NOTIFICATIONS.sum(store, {}).count,
      rows: NOTIFICATIONS.list(store, {}, latest).map(({ id, recipient, subject, job, createdAt }) => ({
        id,
        cells: [recipient, subject, refer("job", job), time(createdAt)],
      })),
    },
    {
      name: "organizations",
      columns: ["Name", "Contact", "Country", "Environment", "Onboarded"],
      count: ORGANIZATIONS.sum(store, {}).count,
      rows: listLatestOrganizations(store, MAX_RECORDS).map((organization) => ({
        id: organization.id,
        cells: [
          organization.name,
          `${organization.contactName}, ${organization.contactEmail}`,
          organization.countryCode,
          organization.environment,
          time(organization.onboardedAt),
        ],
      })),
    },
  ];
  return redactModel({ tables });
}
