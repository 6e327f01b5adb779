import { valueAt } from "../../domain/json.ts";
import type { ListColumn } from "./output.ts";

/** What `--fields` chooses, and which of it no item has had. */
export class FieldSelection {
  readonly names: readonly string[];
  readonly #missing: Set<string>;
  readonly #offered = new Set<string>();

  constructor(names: readonly string[]) {
    this.names = names;
    this.#missing = new Set(names);
  }

  /** The chosen fields of an item, by name. */
  pick(item: unknown): Record<string, unknown> {
    for (const name of Object.keys(Object(item))) this.#offered.add(name);
    const entries = this.names.map((name) => [name, valueAt(item, name)] as const);
    for (const [name, value] of entries) if (value !== null) this.#missing.delete(name);
    return Object.fromEntries(entries);
  }

  columns(): ListColumn<unknown>[] {
    return this.names.map((name) => ({ name, value: (item) => Object(item)[name] }));
  }

  /** A field that no item has is more likely a typing error than an empty one; null when all is well. */
  warning(): string | null {
    const unknown = [...this.#missing].filter((name) => !this.#offered.has(name));
    if (unknown.length === 0 || this.#offered.size === 0) return null;
    const missing = unknown.join(", ");
    return `warning: nothing in the answer has ${missing}; its fields are ${[...this.#offered].join(", ")}`;
  }
}
