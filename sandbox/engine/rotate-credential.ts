import type { Environment } from "../../src/domain/environments.ts";
import type { RotatedCredential } from "../api/control.ts";
import type { Engine } from "./engine.ts";

/** Replaces the first partner's API key, refuses the old one from then on, and emits the event (interface §6). */
export function rotateCredential(engine: Engine, environment: Environment): RotatedCredential {
  const { credentials, apiKeys, random, webhooks } = engine;
  const { apiKey: old } = credentials[environment];
  const apiKey = `sk_${environment}_${random.hex("rotated_key", 20)}`;
  const { partner } = apiKeys.replace(old, apiKey);
  engine.credentials = { ...credentials, [environment]: { ...credentials[environment], apiKey } };
  const data = { keyEndsWith: apiKey.slice(-4), previousKeyEndsWith: old.slice(-4) };
  webhooks.emit({ partner, environment, type: "partner.credential.rotated", data });
  return { environment, apiKey };
}
