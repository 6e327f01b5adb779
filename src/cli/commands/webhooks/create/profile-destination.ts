import { ClaimsError } from "../../../../domain/errors.ts";
import { requireProfile, requireSelectedProfile, setProfile } from "../../../connection/config.ts";
import { readConfig, updateConfig } from "../../../connection/config-file.ts";
import type { Connection } from "../../../connection/connection.ts";
import type { Context } from "../../../context.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { type SecretDestination, secretChangedError, secretExistsError } from "./secret-destinations.ts";

/** The profile that the command goes by, where it leads to the service that makes the endpoint. */
export async function openProfile(
  context: Context,
  { profile }: GlobalOptions,
  { baseUrl }: Connection,
  force: boolean,
): Promise<SecretDestination> {
  const config = await readConfig(context);
  const name = profile ?? requireSelectedProfile(context, config);
  const { webhookSecret, baseUrl: profileUrl } = requireProfile(config, name);
  if (profileUrl !== baseUrl)
    throw new ClaimsError(
      "usage",
      "profile_elsewhere",
      `the profile "${name}" is for ${profileUrl}, not ${baseUrl}`,
      {
        hint: "name the profile of this service with --profile, or give --secret-file",
      },
    );
  const place = `the profile "${name}"`;
  if (webhookSecret !== undefined && !force) throw secretExistsError(place);
  return {
    label: place,
    async write(secret) {
      await updateConfig(context, (before) => {
        const profile = requireProfile(before, name);
        if (profile.webhookSecret !== undefined && !force) throw secretChangedError(place);
        return setProfile(before, name, { ...profile, webhookSecret: secret });
      });
    },
    release: async () => {},
  };
}
