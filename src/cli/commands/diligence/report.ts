import { type ClaimsError, usageError } from "../../../domain/errors.ts";
import { valueAt } from "../../../domain/json.ts";
import { formatDollars } from "../../../domain/numbers.ts";
import { command } from "../../framework/command.ts";
import type { ListColumn } from "../../output/output.ts";
import { column, explainRefusal, fetchReport, type JobResponse, requireSingleId, showJobs } from "./job.ts";
import { jobArguments, last } from "./options.ts";
import { reportBlocks } from "./report-card.ts";

export const report = command({
  name: "report",
  summary: "show the report of a job, with its rf8Review",
  remote: "reads",
  output: "list",
  operation: ({ diligence }) => diligence.report,
  arguments: [jobArguments],
  options: {
    ...last,
    html: { value: "file", isOutput: true, help: "write the report as a page to read and to print" },
  },
  examples: [
    "claims diligence report 7d9c…",
    "claims diligence report 7d9c… --json | jq .rf8Review.outcome",
    "claims diligence report 7d9c… --html report.html",
    "claims diligence report 7d9c… --fields rf8Review.outcome,totals.estimatedClaimCents",
  ],
  run(context, call) {
    const { html } = call.options;
    if (html === "-") throw htmlOnStdout();
    return showJobs(context, call, {
      checkIds: html === undefined ? undefined : requireSingleId,
      async fetch(service, id) {
        const response = await explainRefusal(service, id, fetchReport(service, id));
        if (html !== undefined) {
          const { writeReportHtml } = await import("./report-html.ts");
          await writeReportHtml(context, service, response, html);
        }
        return response;
      },
      render: ({ id, body, record }) => ({
        kind: "record",
        json: body,
        record,
        id,
        blocks: reportBlocks(record, id),
      }),
      toItem: (response) => response,
      columns: COLUMNS,
    });
  },
});

const htmlOnStdout = (): ClaimsError =>
  usageError("option_conflict", "--html writes a file, because stdout has the report", {
    hint: "name a file, such as report.html",
  });

const COLUMNS: readonly ListColumn<JobResponse>[] = [
  column("rf8Review.outcome", { isWhole: true }),
  column("totals.estimatedClaimCents", {
    title: "estimated claim",
    align: "right",
    isWhole: true,
    display: ({ record }) => {
      const cents = valueAt(record, "totals.estimatedClaimCents");
      return typeof cents === "number" ? formatDollars(cents) : null;
    },
  }),
  column("totals.entriesRejected", { title: "rejected", align: "right" }),
  column("totals.entriesAccepted", { title: "accepted", align: "right" }),
  column("rf8Review.score", { align: "right" }),
];
