import { ListEvidence } from "../../../client/list-evidence.ts";
import { readJobProgress } from "../../../client/wait.ts";
import type { Mapping } from "../../../contract/mapping/mapping.ts";
import { listSubjects, type Subject } from "../../../contract/mapping/subjects.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { formatCount } from "../../../domain/numbers.ts";
import { parseRecord } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";

/** What was found through a mapping, and what was not; nothing is missing if that is empty. */
export interface Found {
  readonly what: string;
  readonly found: string;
  readonly missing: string;
}

/** Every list that the mapping has a line for, to its end. */
export async function readLists(service: Service, mapping: Mapping): Promise<readonly Found[]> {
  const all: Found[] = [];
  for (const subject of listSubjects())
    if (subject.isList && hasLines(mapping, subject.name)) {
      const { rows, fault } = await readList(service, mapping, subject);
      all.push({ what: subject.name, found: formatCount(rows, "row"), missing: fault ?? "" });
    }
  return all;
}

export const hasLines = (mapping: Mapping, name: string): boolean =>
  Object.keys(mapping).some((key) => key === name || key.startsWith(`${name}.`));

/** Reads a list through a mapping, to its end. A fault is what keeps its rows from being complete, each once. */
export async function readList(
  { client }: Pick<Service, "client">,
  mapping: Mapping,
  { name, operations: [operation] }: Subject,
): Promise<{ readonly rows: number; readonly fault: string | null }> {
  const evidence = new ListEvidence();
  let rows = 0;
  if (!operation) return { rows, fault: null };
  try {
    for await (const page of client.list(operation, {}, mapping)) {
      if (page.located === null) return { rows, fault: "no list of records" };
      evidence.add(page);
      rows += page.located.items.length;
      const hasNoId = page.located.items.some(({ value: { id } }) => id === undefined || id === null);
      if (`${name}.id` in mapping && hasNoId) return { rows, fault: `an item without an id at ${name}.id` };
      if (page.repeatedRows > 0) return { rows, fault: `${formatCount(page.repeatedRows, "row")} twice` };
    }
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.status === 429 || error.kind === "interrupted") throw error;
    return { rows, fault: error.message };
  }
  return { rows, fault: evidence.more };
}

/** A job, its report and its dataset, through the mapping of the service. */
export async function readJob({ client, operations }: Service, jobId: string): Promise<readonly Found[]> {
  const { dataset, report, status } = operations.diligence;
  const read = async (what: string, work: () => Promise<readonly [found: string, missing: string]>) => {
    try {
      const [found, missing] = await work();
      return { what, found, missing };
    } catch (error) {
      if (!(error instanceof ClaimsError) || error.status === 401 || error.status === 429) throw error;
      return { what, found: "", missing: error.message };
    }
  };
  const input = { params: { jobId } } as const;
  return [
    await read("job", async () => {
      const { state } = readJobProgress(parseRecord(await client.send(status, input), "the job"));
      return [state, state === "unknown" ? "the state (job.state)" : ""];
    }),
    await read("report", async () => {
      const { rf8Review } = parseRecord(await client.send(report, input), "the report");
      return [isRecord(rf8Review) ? "rf8Review" : "", isRecord(rf8Review) ? "" : "rf8Review"];
    }),
    await read("dataset", async () => {
      const { body } = await client.send(dataset, input);
      return [formatCount(body.length, "byte"), ""];
    }),
  ];
}
