import * as Type from "typebox";
import { assumed, documented, labelFields, rules, statedRules } from "../labels.ts";
import { labelledObject } from "../schemas.ts";
import { defineOperation } from "./operation.ts";

const inForm = documented("token.form");

/** With HTTP Basic, the form has neither id nor secret, or repeats the id. */
const tokenRequest = Type.Object(
  labelFields(inForm, {
    grant_type: Type.String({ description: "client_credentials" }),
    client_id: Type.Optional(Type.String()),
    client_secret: Type.Optional(Type.String()),
  }),
  { dependentRequired: { client_secret: ["client_id"] } },
);

/** RFC 6749 §5.1. */
export const tokenResponse = labelledObject(assumed("tokens"), {
  access_token: Type.String({ description: "Opaque" }),
  token_type: Type.Enum(["Bearer"]),
  expires_in: Type.Integer({ description: "Seconds" }),
});

/** The errors of RFC 6749 §5.2 that this grant can cause. */
const OAUTH_ERRORS = [
  "invalid_request",
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope",
] as const;

export type OAuthErrorCode = (typeof OAUTH_ERRORS)[number];

export const oauthError = labelledObject(assumed("errors"), {
  error: Type.Enum([...OAUTH_ERRORS]),
  error_description: Type.String(),
});

export const token = defineOperation({
  id: "oauth.token",
  summary: "Exchange sandbox client credentials for an access token",
  method: "POST",
  path: "/v1/oauth/token",
  label: documented("token"),
  auth: "client",
  request: { kind: "form", schema: tokenRequest },
  response: { status: 200, label: assumed("tokens"), schema: tokenResponse },
  problems: ["body_too_large", "unsupported_media_type"],
  behaviours: [
    ...statedRules("oauth.tokens"),
    ...rules(assumed("token.form"), "The client may also authenticate with HTTP Basic (RFC 6749 §2.3.1)."),
    ...rules(assumed("errors"), "Errors are plain JSON as in RFC 6749 §5.2."),
    ...rules(assumed("tokens"), "A token lives for 3600 seconds of sandbox time."),
  ],
});
