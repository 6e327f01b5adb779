import { ClaimsError } from "../../src/domain/errors.ts";
import { quoteValue } from "../../src/domain/json.ts";
import type { RotatedCredential } from "../api/control.ts";
import type { Engine } from "./engine.ts";

/** Characters of a key by which an event may tell it from others. */
const KEY_SUFFIX_LENGTH = 4;

/**
 * Gives the first partner a new key for an environment. The old one is refused from then on, and whoever subscribes to
 * partner.credential.rotated there is told (interface §6).
 */
export function rotateCredential(engine: Engine, environment: unknown): RotatedCredential {
  if (environment !== "sandbox" && environment !== "production") {
    throw new ClaimsError(
      "usage",
      "validation_failed",
      `there is no environment ${quoteValue(environment)}`,
      { hint: "use sandbox or production" },
    );
  }
  const { credentials, apiKeys, random, webhooks } = engine;
  const { apiKey: old } = credentials[environment];
  const apiKey = `sk_${environment}_${random.hex("rotated_key", 20)}`;
  const { partner } = apiKeys.replace(old, apiKey);
  engine.credentials = {
    ...credentials,
    [environment]: { ...credentials[environment], apiKey },
  };
  webhooks.emit({
    partner,
    environment,
    type: "partner.credential.rotated",
    data: {
      keyEndsWith: apiKey.slice(-KEY_SUFFIX_LENGTH),
      previousKeyEndsWith: old.slice(-KEY_SUFFIX_LENGTH),
    },
  });
  return { environment, apiKey };
}
