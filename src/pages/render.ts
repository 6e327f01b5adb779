import type { VNode } from "preact";
import { render } from "preact-render-to-string";

/**
 * Characters that reorder, break or hide a line: controls, the bidi controls of UAX #9 §2, separators and zero-width
 * characters. The pages have none of their own.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Renders a page, once, so that lists need no keys. Text is escaped, and each invisible character is shown as its `\u` escape. */
export const renderPage = (page: VNode): string =>
  `<!doctype html>\n${render(page).replace(INVISIBLE, escapeCharacter)}\n`;

const escapeCharacter = (character: string): string =>
  character === "\r" ? "" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
