import Type from "typebox";
import { dateTime, each, environment, nullable, strictObject } from "../../../contract/schemas.ts";
import { oneOf, type PrintedSchemas } from "../../framework/printed-schemas.ts";

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
export const CREDENTIAL_SCHEMAS: PrintedSchemas = {
  Login: {
    commands: ["auth login"],
    schema: strictObject({
      ...each(Type.String, "profile", "baseUrl", "fingerprint"),
      ...each(Type.Boolean, "current", "checked"),
      environment: environment(),
      kind: credentialKind(),
    }),
  },
  AuthStatus: {
    commands: ["auth status"],
    schema: strictObject({
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
  },
  Logout: { commands: ["auth logout"], schema: strictObject({ profiles: Type.Array(Type.String()) }) },
  Profile: { commands: ["profiles use", "profiles show", "profiles set"], schema: profile },
  Profiles: { commands: ["profiles list"], schema: Type.Array(profile) },
  RemovedProfile: {
    commands: ["profiles remove"],
    schema: strictObject({ removed: Type.String(), current: nullable(Type.String()) }),
  },
};
