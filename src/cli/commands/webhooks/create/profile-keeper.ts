import { ClaimsError } from "../../../../domain/errors.ts";
import { requireProfile, withProfile } from "../../../config/config.ts";
import { readConfig, updateConfig } from "../../../config/config-file.ts";
import { requireSelected } from "../../../config/selected.ts";
import type { Connection } from "../../../connection.ts";
import type { Context } from "../../../context.ts";
import type { GlobalOptions } from "../../../global-options.ts";
import { type SecretKeeper, secretCame, secretExists } from "./secret-keepers.ts";

/** The profile that the command goes by, where it leads to the service that makes the endpoint. */
export async function profileKeeper(
  context: Context,
  { profile }: GlobalOptions,
  { baseUrl }: Connection,
  force: boolean,
): Promise<SecretKeeper> {
  const config = await readConfig(context);
  const name = profile ?? requireSelected(context, config);
  const { webhookSecret, baseUrl: ledTo } = requireProfile(config, name);
  if (ledTo !== baseUrl)
    throw new ClaimsError(
      "usage",
      "profile_elsewhere",
      `the profile "${name}" is for ${ledTo}, not ${baseUrl}`,
      {
        hint: "name the profile of this service with --profile, or give --secret-file",
      },
    );
  const place = `the profile "${name}"`;
  if (webhookSecret !== undefined && !force) throw secretExists(place);
  return {
    place,
    async keep(secret) {
      await updateConfig(context, (before) => {
        const profile = requireProfile(before, name);
        if (profile.webhookSecret !== undefined && !force) throw secretCame(place);
        return withProfile(before, name, { ...profile, webhookSecret: secret });
      });
    },
    release: async () => {},
  };
}
