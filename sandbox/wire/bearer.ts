/** The credential of an Authorization header (RFC 6750 §2.1); undefined where it has another scheme or none. */
export const parseBearerToken = (authorization: string): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
