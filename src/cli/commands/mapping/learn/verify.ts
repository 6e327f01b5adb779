import type { Learned } from "../../../../contract/mapping/learn/learn.ts";
import type { LearnedLines } from "../../../../contract/mapping/learn/lines.ts";
import { createMappingReader } from "../../../../contract/mapping/read.ts";
import { listSubjects } from "../../../../contract/mapping/subjects.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { tryParseJson } from "../../../connection/json-response.ts";
import type { Service } from "../../../connection/service.ts";
import { hasLines, readList } from "../read-service.ts";

/**
 * Reads every list to its end, and every job, as the client will: a line that gives a row twice, or fewer rows than the
 * service says, is left out.
 */
export async function verifyMapping(
  service: Service,
  lines: LearnedLines,
  { jobIds }: Learned,
  note: (text: string) => void,
): Promise<void> {
  for (const subject of listSubjects()) {
    const mapping = lines.toMapping();
    if (!subject.isList || !hasLines(mapping, subject.name)) continue;
    const { fault } = await readList(service, mapping, subject);
    if (fault === null) continue;
    const key = [`${subject.name}.paging`, `${subject.name}.id`, subject.name].find(
      (each) => each in mapping,
    );
    if (key === undefined) continue;
    // What was open before has been asked about.
    if (lines.open.some((question) => question.key.startsWith(subject.name))) continue;
    lines.leaveOut(key, `read through the mapping, ${subject.name} has ${fault}`);
    note(`${key} is left out: read through the mapping, ${subject.name} has ${fault}`);
  }
  for (const jobId of jobIds) if (jobId !== null) await verifyJob(service, lines, jobId, note);
}

async function verifyJob(
  { client, operations }: Service,
  lines: LearnedLines,
  jobId: string,
  note: (text: string) => void,
): Promise<void> {
  const { status } = operations.diligence;
  const response = await client.send(status, { params: { jobId } });
  try {
    createMappingReader(lines.toMapping()).read(status, tryParseJson(response));
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    lines.leaveOut("job.state", error.message);
    note(`job.state is left out: ${error.message}`);
  }
}
