import type { Choices } from "../../engine/grease/choices.ts";
import type { ProblemError } from "../../refusal.ts";

/** An error as a service of another mind tells it: JSON of some shape, or text. */
type ErrorBody = { readonly json: object } | { readonly text: string; readonly type: string };

/** Null where the shape is the usual one. */
export function otherErrorShape(
  { status, title, code, message, errors = [] }: ProblemError,
  shape: Choices["errorShape"],
): ErrorBody | null {
  switch (shape) {
    case null:
      return null;
    case "error":
      return { json: { error: { code, message } } };
    case "message":
      return { json: { message } };
    case "errors": {
      const each = errors.map(({ code, detail }) => ({ code, message: detail }));
      return { json: { errors: each.length > 0 ? each : [{ code, message }] } };
    }
    case "text":
      return { text: `${message}\n`, type: "text/plain; charset=utf-8" };
    case "html":
      return { text: page(`${status} ${title}`, message), type: "text/html; charset=utf-8" };
  }
}

const page = (title: string, message: string): string =>
  `<!doctype html>\n<title>${escaped(title)}</title>\n<h1>${escaped(title)}</h1>\n<p>${escaped(message)}</p>\n`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
