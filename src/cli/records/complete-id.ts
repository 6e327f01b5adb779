import { usageError } from "../../domain/errors.ts";
import type { IdKind } from "../../domain/id-kinds.ts";
import { isStartOfUuid } from "../../domain/uuid.ts";
import type { Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { handleFailure } from "../framework/handle-failure.ts";
import { printMessage } from "../output/stderr.ts";
import { type ControlClient, findControl } from "../sandbox-control/control.ts";
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
  const control = await findControl(context, service.connection.baseUrl);
  return completeIdOfSandbox(context, control, kind, word, logged);
}

/** The same, for a command that asks a sandbox alone. @param logged ids that this machine knows otherwise */
export async function completeIdOfSandbox(
  context: Context,
  control: ControlClient | null,
  kind: IdKind,
  word: string,
  logged: readonly string[] = [],
): Promise<string> {
  if (!isStartOfUuid(word)) return word;
  const start = word.toLowerCase();
  const known = [...logged, ...(await findInSandbox(control, kind, start))];
  const [id, other] = new Set(known.filter((each) => each.toLowerCase().startsWith(start)));
  if (id === undefined) return word;
  if (other !== undefined)
    throw usageError("option_invalid", `${word} is the start of ${id} and of ${other}`, {
      hint: "give more of its characters",
    });
  printMessage(context, `${kind} ${id}`);
  return id;
}

/** None if the sandbox does not respond: then the word is sent as it is, and the request names the reason. */
const findInSandbox = async (control: ControlClient | null, kind: IdKind, start: string) =>
  control === null ? [] : handleFailure(control.list("GET /ids", { query: { kind, start } }), () => []);
