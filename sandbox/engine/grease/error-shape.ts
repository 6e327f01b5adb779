import type { ProblemError } from "../../wire/problem-error.ts";
import type { GreaseChoices } from "./choices.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** An error in one of the other shapes: JSON, or text of some type. */
export function renderErrorShape(
  { status, title, code, message, errors = [] }: ProblemError,
  shape: NonNullable<GreaseChoices["errorShape"]>,
): { readonly type: string } & ({ readonly json: object } | { readonly text: string }) {
  switch (shape) {
    case "error":
      return { type: JSON_TYPE, json: { error: { code, message } } };
    case "message":
      return { type: JSON_TYPE, json: { message } };
    case "errors": {
      const each = errors.map(({ code, detail }) => ({ code, message: detail }));
      return { type: JSON_TYPE, json: { errors: each.length > 0 ? each : [{ code, message }] } };
    }
    case "text":
      return { type: "text/plain; charset=utf-8", text: `${message}\n` };
    case "html": {
      const heading = escapeHtml(`${status} ${title}`);
      const text = `<!doctype html>\n<title>${heading}</title>\n<h1>${heading}</h1>\n<p>${escapeHtml(message)}</p>\n`;
      return { type: "text/html; charset=utf-8", text };
    }
  }
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
