import { text } from "node:stream/consumers";
import { ClaimsError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { type Column, list, type Output } from "../../output/output.ts";
import { worstOf } from "../../worst.ts";

/** What a service told of one job: its record or its report. */
export interface Told {
  readonly id: string;
  /** The bytes as they came. */
  readonly body: Buffer;
  readonly record: unknown;
  /** The answer is there, yet not what was hoped for. */
  readonly failure?: ClaimsError | undefined;
}

/** The job ids of a command line; `-` stands for those on stdin, one a line. */
export async function jobIds(context: Context, given: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(given.map(async (id) => (id === "-" ? idsFromStdin(context) : [id])));
  return lists.flat();
}

/** The id, where the answer is one record; null where it is a list, as it also is for one job where a list was asked for. */
export function onlyId(ids: readonly string[], { csv, ndjson }: GlobalOptions): string | null {
  return ids.length === 1 && !csv && !ndjson ? (ids[0] ?? null) : null;
}

/** The only job id of a command line. */
export async function oneJobId(context: Context, given: string): Promise<string> {
  const [id, ...others] = await jobIds(context, [given]);
  if (id !== undefined && others.length === 0) return id;
  throw new ClaimsError(
    "usage",
    "one_job",
    `this takes one job id; stdin has ${others.length + (id ? 1 : 0)}`,
    {
      hint: "call it once for each: … | xargs -n 1 claims diligence …",
    },
  );
}

async function idsFromStdin({ stdin }: Context): Promise<string[]> {
  if (stdin.isTerminal) {
    throw new ClaimsError("usage", "stdin_is_a_terminal", "- reads stdin, and stdin is a terminal", {
      hint: "pipe ids in: claims diligence history -q | claims diligence status -",
    });
  }
  return (await text(stdin.readable)).split(/\s+/).filter(Boolean);
}

/** Several jobs, one after the other, as a list; one that cannot be told does not keep the others from it. */
export function toldOfEach(
  ids: readonly string[],
  ask: (id: string) => Promise<Told>,
  columns: readonly Column<Told>[],
): Output {
  const failures: ClaimsError[] = [];
  async function* items(): AsyncGenerator<Told> {
    for (const id of ids) {
      try {
        const told = await ask(id);
        if (told.failure) failures.push(told.failure);
        yield told;
      } catch (error) {
        if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
        failures.push(error);
      }
    }
  }
  return list<Told>({
    items: items(),
    columns: [{ name: "job", of: ({ id }) => id }, ...columns],
    idOf: ({ id }) => id,
    recordOf: ({ record }) => record,
    jsonOf: ({ body, record }) => (body.includes("\n") ? JSON.stringify(record) : body.toString("utf8")),
    empty: "no job id came in",
    failure: () => worstOf(failures, `${ids.length} jobs`),
  });
}
