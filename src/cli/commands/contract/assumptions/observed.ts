import { listAssumptions } from "../../../../contract/assumptions.ts";
import { assessForm } from "../../../../contract/service-form/assess.ts";
import { readServiceForm } from "../../../connection/service-form.ts";
import type { Context } from "../../../context.ts";
import { printFindings, warnIfStale } from "../learn/form-file.ts";

/** Compares the assumptions of this version with what was learned, whatever the file says of them. */
export async function listCompared(context: Context, path: string, only: string | undefined) {
  const form = await readServiceForm(context, path);
  warnIfStale(context, form, path);
  printFindings(context, form);
  return listAssumptions()
    .map((assumption) => {
      const { status, seen } = assessForm(form, assumption);
      return { ...assumption, status, seen, basis: status === "unknown" ? "assumed" : "observed" };
    })
    .filter(({ status }) => only === undefined || status === only);
}
