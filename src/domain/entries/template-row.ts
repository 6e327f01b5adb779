import type { Entry } from "./entry.ts";
import { type FileWarning, LineList } from "./file-warnings.ts";

type Example = Pick<Entry, "entryNumber" | "enteredValueCents" | "ieepaDutyCents">;

/** The example entries of `diligence template`. */
const EXAMPLES: readonly Example[] = [
  { entryNumber: "ZZ904958099", enteredValueCents: 5_417_402, ieepaDutyCents: 1_083_480 },
  { entryNumber: "ZZ981379482", enteredValueCents: 668_508, ieepaDutyCents: 133_702 },
];

/** Finds the example of the template where it was left above the entries of a file. */
export class TemplateRow {
  readonly #lines = new LineList();
  #accepted = 0;

  add(entry: Entry): void {
    this.#accepted += 1;
    const isExample = EXAMPLES.some(
      ({ entryNumber, enteredValueCents, ieepaDutyCents }) =>
        entry.entryNumber === entryNumber &&
        entry.enteredValueCents === enteredValueCents &&
        entry.ieepaDutyCents === ieepaDutyCents,
    );
    if (isExample) this.#lines.add(entry.line);
  }

  /** Complete after the last entry. The template alone is right: it shows how an entry is read. */
  fileWarnings(): FileWarning[] {
    if (this.#accepted === this.#lines.count) return [];
    const detail = `The example of \`claims diligence template\` stands on ${this.#lines}, and counts as an entry. Remove its rows.`;
    return this.#lines.warn("TEMPLATE_ROW_LEFT", "stop", detail, { entries: this.#lines.count });
  }
}
