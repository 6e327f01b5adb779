import { isPlainShellWord, quoteShellWord } from "../../../../domain/shell.ts";
import type { Check, CheckReport } from "../../../output/check-report.ts";
import type { CaseResult, ProbeReport } from "./report.ts";

/** The cases as checks, for JUnit and Markdown. */
export const toCheckReport = (report: ProbeReport): CheckReport => ({
  title: `claims webhooks probe ${report.url}`,
  notes: [
    `The receiver ${NOTES[report.verdict]}.`,
    ...report.diagnoses.map(({ title, fix }) => `The receiver ${title}: ${fix}.`),
  ],
  checks: report.cases.map((each) => toCheck(report, each)),
  json: report,
});

const NOTES: Readonly<Record<ProbeReport["verdict"], string>> = {
  passes: "passes the documented rules",
  fails: "fails documented rules",
  inconclusive: "gave no result for some documented rules",
};

function toCheck({ url, diagnoses }: ProbeReport, result: CaseResult): Check {
  const { id, basis, sends, expects, met, outcome, status, source } = result;
  const fixes = diagnoses.filter(({ evidence }) => evidence.some((each) => each.case === id));
  const verdict = met === null ? "skipped" : met ? "pass" : basis === "documented" ? "fail" : "notice";
  const word = isPlainShellWord(url) ? url : quoteShellWord(url);
  return {
    id,
    group: basis,
    title: `${sends}; expects: ${expects}`,
    verdict,
    label: LABELS[verdict],
    details:
      met === true
        ? []
        : [
            `response: ${status ?? outcome}`,
            `interface: ${source}`,
            ...fixes.map(({ fix }) => `fix: ${fix}`),
            `repeat: claims webhooks probe ${word} --only ${id}`,
          ],
  };
}

const LABELS = { pass: "pass", fail: "fails", notice: "fails", skipped: "no result" } as const;
