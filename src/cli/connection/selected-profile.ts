import { notFoundError } from "../../domain/errors.ts";
import type { Context } from "../context.ts";
import { parseName } from "../framework/values.ts";
import type { Config } from "./config.ts";

/** The profile that is meant where none is named: `CLAIMS_PROFILE`, or the current one. */
export const findSelectedProfile = ({ env }: Pick<Context, "env">, { current }: Config): string | null =>
  env.CLAIMS_PROFILE ? parseName(env.CLAIMS_PROFILE, "a profile") : current;

/** The same for a command that cannot do without. */
export function requireSelectedProfile(context: Context, config: Config): string {
  const name = findSelectedProfile(context, config);
  if (name !== null) return name;
  throw notFoundError("no_profile", "no profile is named, and none is current", {
    hint: "name one: `claims profiles list` shows them, `claims auth login` makes one",
  });
}
