import { MAX_UPLOAD_MIB } from "../domain/entries/upload-limit.ts";
import { assumed, type Behaviour, rules, statedRules } from "./labels.ts";

export const SERVICE_RULES: readonly Behaviour[] = [
  ...statedRules("credentials", "bearer", "oauth.tokens", "environments", "content.json", "canonical"),
  ...rules(
    assumed("apiKey"),
    "X-API-Key alone is refused on every other route with 401. Beside an equal bearer credential it is ignored; two different credentials get 401.",
  ),
  ...rules(assumed("bearer"), "No route but the token route is open to a request without a credential."),
  ...rules(assumed("environments"), "The credential decides the environment."),
  ...rules(
    assumed("content.json"),
    "A missing body is refused with 400, and one of another Content-Type with 415. JSON with one name twice in an object is refused with 400.",
  ),
  ...rules(
    assumed("errors"),
    "An error has the shape of RFC 9457, on the token route that of RFC 6749 §5.2.",
    "An unknown field or query parameter is refused with 422, and so is a query parameter or form part that occurs twice; the token route ignores unknown ones (RFC 6749 §3.2).",
    "A text part of a form is UTF-8; a file part is not accepted for it, nor a text part for a file.",
    "HEAD is answered like GET, without the body; OPTIONS of a known path gets 204 with Allow and no CORS headers.",
    "A cursor belongs to its list and its filter.",
    "A record of another partner is not found (404), nor one of the other environment, except endpoints and deliveries.",
    "Idempotency-Key belongs to partner, environment and operation, and is kept for 24 hours of sandbox time. The same content gets the stored response; other content is refused with 422, and a key whose request is still running with 409. A refusal is not stored.",
  ),
  ...rules(
    assumed("resources"),
    "Ids that the service makes are UUIDs, accepted in upper case too, times RFC 3339 in UTC, amounts integer US cents.",
  ),
  ...rules(
    assumed("limits"),
    `An upload has at most ${MAX_UPLOAD_MIB} MiB, another body 1 MiB, the text of a form 64 KiB, the request line with the headers 16 KiB.`,
    "The number of requests is not limited unless the sandbox is started with a rate limit.",
  ),
];
