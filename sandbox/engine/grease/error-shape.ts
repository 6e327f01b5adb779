import type { ProblemError } from "../../wire/problem-error.ts";
import type { GreaseChoices } from "./choices.ts";

/** An error as a service of another mind tells it: JSON of some shape, or text. */
type ErrorBody = { readonly type: string } & ({ readonly json: object } | { readonly text: string });

const JSON_TYPE = "application/json; charset=utf-8";

/** Null where the shape is the usual one. */
export function renderErrorShape(
  { status, title, code, message, errors = [] }: ProblemError,
  shape: GreaseChoices["errorShape"],
): ErrorBody | null {
  switch (shape) {
    case null:
      return null;
    case "error":
      return { type: JSON_TYPE, json: { error: { code, message } } };
    case "message":
      return { type: JSON_TYPE, json: { message } };
    case "errors": {
      const each = errors.map(({ code, detail }) => ({ code, message: detail }));
      return { type: JSON_TYPE, json: { errors: each.length > 0 ? each : [{ code, message }] } };
    }
    case "text":
      return { text: `${message}\n`, type: "text/plain; charset=utf-8" };
    case "html":
      return { text: renderHtml(`${status} ${title}`, message), type: "text/html; charset=utf-8" };
  }
}

const renderHtml = (title: string, message: string): string =>
  `<!doctype html>\n<title>${escapeHtml(title)}</title>\n<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(message)}</p>\n`;

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
