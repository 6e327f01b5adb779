import Type from "typebox";
import { dateTime, environment, nullable, strictObject } from "../../contract/schemas.ts";
import { each } from "../../domain/each.ts";
import { oneOf } from "./shapes.ts";

const credentialKind = () => oneOf("api_key", "oauth_client");

const profile = strictObject({
  name: Type.String(),
  current: Type.Boolean(),
  baseUrl: Type.String(),
  environment: environment(),
  caFile: nullable(Type.String()),
  like: nullable(Type.String({ description: "file of `claims contract learn`" })),
  credential: nullable(
    strictObject({
      kind: credentialKind(),
      environment: environment(),
      ...each(Type.String, "fingerprint", "baseUrl"),
    }),
  ),
  webhookSecret: nullable(Type.String({ description: "fingerprint" })),
});

/** Of `claims auth` and `claims profiles`. */
export const CREDENTIAL_DOCUMENTS = {
  Login: strictObject({
    ...each(Type.String, "profile", "baseUrl", "fingerprint"),
    ...each(Type.Boolean, "current", "checked"),
    environment: environment(),
    kind: credentialKind(),
  }),
  AuthStatus: strictObject({
    profile: nullable(Type.String()),
    baseUrl: Type.String(),
    environment: environment(),
    kind: nullable(credentialKind()),
    clientId: nullable(Type.String()),
    fingerprint: nullable(Type.String()),
    tokenExpiresAt: nullable(dateTime()),
    from: strictObject({
      ...each(Type.String, "baseUrl", "environment"),
      credential: nullable(Type.String()),
    }),
  }),
  Logout: strictObject({ profiles: Type.Array(Type.String()) }),
  Profile: profile,
  Profiles: Type.Array(profile),
  RemovedProfile: strictObject({ removed: Type.String(), current: nullable(Type.String()) }),
};
