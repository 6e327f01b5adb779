import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { getContract } from "../../../../contract/openapi.ts";
import { markLearned, mergeForms } from "../../../../contract/service-form/learn/merge-forms.ts";
import type { ServiceForm } from "../../../../contract/service-form/service-form.ts";
import { readServiceForm } from "../../../connection/service-form.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { withLock } from "../../../files/file-lock.ts";
import { printMessage } from "../../../output/stderr.ts";

/** Null if there is no file yet. @throws ClaimsError `invalid_input` */
export async function readFormFile(context: Context, path: string): Promise<ServiceForm | null> {
  const found = await stat(resolve(context.cwd, path)).catch(() => null);
  return found?.isFile() ? readServiceForm(context, path) : null;
}

/** Evidence of another contract may be about fields that it does not have. */
export function warnIfStale(context: Context, { evidence }: ServiceForm, path: string): void {
  if (evidence && evidence.contractHash !== getContract().hash)
    printMessage(context, `warning: ${path} was compared with another version of the contract`);
}

export function printFindings(context: Context, { evidence }: ServiceForm): void {
  for (const { operation, subject, seen, statement } of evidence?.findings ?? [])
    printMessage(
      context,
      `the service contradicts the interface: ${operation} ${subject}: ${seen} (${statement})`,
    );
}

/** Joins what was learned with what a file has: each line that a person wrote stays. */
function joinForms(context: Context, earlier: ServiceForm | null, learned: ServiceForm): ServiceForm {
  if (!earlier) return markLearned(learned);
  const { form, differences } = mergeForms(earlier, learned);
  for (const at of differences)
    printMessage(context, `the service differs from what the file says; the line stays: ${at}`);
  return form;
}

/** Adds what was learned to a file, to which other commands may add at the same time. */
export async function addToFormFile(context: Context, path: string, learned: ServiceForm) {
  const target = resolve(context.cwd, path);
  return withLock(context, target, async () => {
    const form = joinForms(context, await readFormFile(context, path), learned);
    await writeFileAtomically(target, [`${JSON.stringify(form, null, 2)}\n`]);
    return form;
  });
}
