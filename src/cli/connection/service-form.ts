import { checkForm } from "../../contract/service-form/check-form.ts";
import { type ClientForm, createClientForm } from "../../contract/service-form/client-form.ts";
import { invalidFormError, parseServiceForm } from "../../contract/service-form/parse-form.ts";
import type { ServiceForm } from "../../contract/service-form/service-form.ts";
import type { Context } from "../context.ts";
import { MAX_SMALL_MIB, readInput } from "../files/input-file.ts";

/** Reads the form of a service that `read` and `write` can use. @throws ClaimsError `invalid_input` */
export async function readServiceForm(context: Context, path: string): Promise<ServiceForm> {
  const form = parseServiceForm((await readInput(context, path, MAX_SMALL_MIB)).toString("utf8"), path);
  const [mistake] = checkForm(form);
  if (mistake) throw invalidFormError(`${path}: ${mistake.at}: ${mistake.message}`);
  return form;
}

export const readClientForm = async (context: Context, path: string): Promise<ClientForm> =>
  createClientForm(await readServiceForm(context, path));
