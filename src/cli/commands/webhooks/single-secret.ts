import { ClaimsError } from "../../../domain/errors.ts";
import type { SigningSecret } from "./signing-secrets.ts";

/** A secret as a receiver would hardly have it is refused: what stands around it would be a part of the key. */
export function requireCleanSecret({ source, secret }: SigningSecret): string {
  if (secret !== "" && secret.trim() === secret) return secret;
  const what =
    secret === "" ? "is empty" : "has white space around the secret, which would be a part of the key";
  throw new ClaimsError("credential", "invalid_secret", `${source} ${what}`, {
    hint: "store the secret without a line end: printf %s, not echo",
  });
}

/** The one that signs. */
export function requireSingleSecret([first, ...others]: readonly [
  SigningSecret,
  ...SigningSecret[],
]): string {
  if (others.length === 0) return requireCleanSecret(first);
  throw new ClaimsError("usage", "two_secrets", `${others.length + 1} secrets are given, and one signs`, {
    hint: "give --secret-file once",
  });
}
