import { OPERATIONS } from "../../operations/operations.ts";
import { PROBLEMS } from "../../problems.ts";
import type { ErrorsForm } from "../service-form.ts";
import { lastSegment, listLeaves, queryOf, type Sample } from "./samples.ts";

const STATUSES = new Map<string, number>(
  Object.entries(PROBLEMS).map(([code, { status }]) => [code, status]),
);

/** The words and statuses of errors that we know the reason of. If an operation has two for one reason, none is kept. */
export function learnCodes(
  all: readonly Sample[],
  readCode: (sample: Sample) => string | number | undefined,
): Pick<ErrorsForm, "codes" | "statuses"> {
  const provoked = all.flatMap((sample, index) => {
    const problem = findProblem(sample, all.slice(0, index), all);
    const seen = { code: readCode(sample), status: sample.status };
    return problem ? [{ problem, operation: sample.operation.id, ...seen, key: JSON.stringify(seen) }] : [];
  });
  const codes: Record<string, string | number> = {};
  const statuses: Record<string, number> = {};
  for (const { problem, operation, code, status, key } of provoked) {
    const same = provoked.filter((each) => each.problem === problem);
    if (same.some((each) => each.operation === operation && each.key !== key)) continue;
    const isShared = provoked.some((each) => each.problem !== problem && each.code === code);
    const name = same.every((each) => each.key === key) && !isShared ? problem : `${operation} ${problem}`;
    if (code !== undefined) codes[name] = code;
    if (status !== STATUSES.get(problem)) statuses[name] = status;
  }
  return {
    ...(Object.keys(codes).length > 0 && { codes }),
    ...(Object.keys(statuses).length > 0 && { statuses }),
  };
}

/** The problem of the contract for which a service refused a request, by what it accepted and returned otherwise. */
function findProblem(sample: Sample, earlier: readonly Sample[], all: readonly Sample[]): string | undefined {
  const { operation, status, path, requestBody } = sample;
  if (status < 400 || status === 429 || status >= 500) return undefined;
  const accepted = all.filter((other) => other.operation === operation && other.status < 300);
  if (operation.auth === "client") return accepted.length > 0 ? "invalid_client" : undefined;
  const isAccepted = accepted.some((other) => other.path === path);
  if (status === 401 || status === 403)
    return isAccepted && operation.method === "GET" ? "credential_invalid" : undefined;
  const { report, dataset, resume } = OPERATIONS.diligence;
  const jobOf = (other: Sample) => lastSegment({ path: other.path.replace(/\/resume$/, "") });
  const polls = earlier.filter(
    (other) => other.operation.id === OPERATIONS.diligence.status.id && jobOf(other) === jobOf(sample),
  );
  const hasFailed = polls.some(({ document }) =>
    listLeaves(document).some(({ value }) => String(value).toLowerCase() === "failed"),
  );
  if (operation.id === report.id || operation.id === dataset.id) {
    if (hasFailed) return "job_failed";
    if (isAccepted) return "report_not_ready";
  }
  if (operation.id === resume.id)
    return polls.some((poll) => poll.status < 300) ? "job_not_resumable" : undefined;
  if (operation.method !== "GET")
    return requestBody !== "" && accepted.length > 0 && status !== 404 ? "validation_failed" : undefined;
  const id = queryOf({ path }).get("claimId") ?? lastSegment(sample);
  const isKnown = all.some(
    (other) => other.status < 300 && (other.path.includes(id) || other.body.includes(id)),
  );
  return isKnown ? undefined : operation.problems?.find((code) => code.endsWith("_not_found"));
}
