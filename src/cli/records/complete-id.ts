import { ClaimsError, usageError } from "../../domain/errors.ts";
import type { IdKind } from "../../domain/id-kinds.ts";
import { isStartOfUuid } from "../../domain/uuid.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { printMessage } from "../output/stderr.ts";
import { type ControlClient, findPresentControl } from "../sandbox-control/control.ts";
import { listJobIds } from "../write-log/job-log.ts";

/**
 * The id that begins with the word, if this machine knows exactly one: a job by its log of the service, any other by the local
 * sandbox. Every other word stays as it is. For commands that only read: a write must name its record.
 *
 * @throws ClaimsError `option_invalid` if two ids begin with the word
 */
export async function completeId(
  context: Context,
  service: Service,
  kind: IdKind,
  word: string,
): Promise<string> {
  if (!isStartOfUuid(word)) return word;
  const logged = kind === "job" ? await listJobIds(context, service) : [];
  const control = await findPresentControl(context, service.connection.baseUrl);
  return chooseId(context, kind, word, [...logged, ...(await findInSandbox(control, kind, word))]);
}

/** The same, for a command that asks a sandbox alone. */
export const completeIdOfSandbox = async (
  context: Context,
  control: ControlClient,
  kind: IdKind,
  word: string,
): Promise<string> =>
  isStartOfUuid(word) ? chooseId(context, kind, word, await findInSandbox(control, kind, word)) : word;

/** None if the sandbox does not respond: then the word is sent as it is, and the request names the reason. */
async function findInSandbox(control: ControlClient | null, kind: IdKind, word: string) {
  if (control === null) return [];
  try {
    return await control.list("GET /ids", { query: { kind, start: word.toLowerCase() } });
  } catch (error) {
    if (error instanceof ClaimsError) return [];
    throw error;
  }
}

function chooseId(context: Context, kind: IdKind, word: string, known: readonly string[]): string {
  const start = word.toLowerCase();
  const [id, other] = new Set(known.filter((each) => each.toLowerCase().startsWith(start)));
  if (id === undefined) return word;
  if (other !== undefined)
    throw usageError("option_invalid", `${word} is the start of ${id} and of ${other}`, {
      hint: "give more of its characters",
    });
  printMessage(context, `${kind} ${id}`);
  return id;
}
