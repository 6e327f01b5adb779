import { valueAt } from "../../../domain/json.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import { formatDollars } from "../../output/numbers.ts";
import type { ListColumn } from "../../output/output.ts";
import { explainNotReadable } from "./job.ts";
import { findSingleId, type JobResponse, listEach, openJobs } from "./jobs.ts";
import { jobArguments, last } from "./options.ts";
import { reportBlocks } from "./report-card.ts";

export const report = command({
  name: "report",
  summary: "show the report of a job, with its rf8Review",
  remote: "reads",
  output: "list",
  arguments: [jobArguments],
  options: last,
  examples: [
    "claims diligence report 7d9c…",
    "claims diligence report 7d9c… --json | jq .rf8Review.outcome",
    "claims diligence report 7d9c… --fields rf8Review.outcome,totals.estimatedClaimCents",
  ],
  async run(context, call) {
    const { ids, service } = await openJobs(context, call);
    const id = findSingleId(ids, call.global);
    if (id === null) return listEach(ids, (each) => fetchReport(service, each), COLUMNS);
    const { body, record } = await fetchReport(service, id);
    return { kind: "record", json: body, id, blocks: reportBlocks(record, id) };
  },
});

async function fetchReport(service: Service, id: string): Promise<JobResponse> {
  try {
    const answer = await service.client.send(service.operations.diligence.report, { params: { jobId: id } });
    return { id, body: answer.body, record: parseJsonResponse(answer, `the report of job ${id}`) };
  } catch (error) {
    throw await explainNotReadable(service, id, error);
  }
}

const fieldColumn = (name: string, path: string): ListColumn<JobResponse> => ({
  name,
  value: ({ record }) => valueAt(record, path),
});

const COLUMNS: readonly ListColumn<JobResponse>[] = [
  fieldColumn("outcome", "rf8Review.outcome"),
  { ...fieldColumn("score", "rf8Review.score"), align: "right" },
  { ...fieldColumn("entriesAccepted", "totals.entriesAccepted"), title: "accepted", align: "right" },
  { ...fieldColumn("entriesRejected", "totals.entriesRejected"), title: "rejected", align: "right" },
  {
    ...fieldColumn("estimatedClaimCents", "totals.estimatedClaimCents"),
    title: "estimated claim",
    align: "right",
    display: ({ record }) => {
      const cents = valueAt(record, "totals.estimatedClaimCents");
      return typeof cents === "number" ? formatDollars(cents) : null;
    },
  },
];
