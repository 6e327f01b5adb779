import type { LoggedRequest, Sandbox } from "../../../../../sandbox/index.ts";
import type { ReportFormats } from "../../../output/report-files.ts";

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const toLines = (requests: readonly LoggedRequest[]): string =>
  requests.map((request) => `${JSON.stringify(request)}\n`).join("");

/** What the sandbox saw. */
export const REPORT_FORMATS: ReportFormats<Sandbox> = {
  ".html": (sandbox) => sandbox.report(),
  ".md": async (sandbox) => `# What the sandbox saw\n\n~~~~text\n${await sandbox.debug()}~~~~\n`,
  ".json": async ({ requests }) => toJson(await requests.list()),
  ".ndjson": async ({ requests }) => toLines(await requests.list()),
  ".har": async ({ requests }) => toJson(await requests.har()),
};
