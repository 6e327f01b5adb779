import { copyText } from "../csv/copy-text.ts";

/** Gives texts small integers, so that a typed array can store them. 0 stands for null. */
export class TextPool {
  readonly #ids = new Map<string, number>();
  readonly #texts: (string | null)[] = [null];
  #lastText: string | null = null;
  #lastId = 0;

  encode(text: string | null): number {
    if (text === this.#lastText) return this.#lastId;
    this.#lastText = text;
    this.#lastId = text === null ? 0 : (this.#ids.get(text) ?? this.#add(text));
    return this.#lastId;
  }

  decode(id: number): string | null {
    return this.#texts[id] ?? null;
  }

  #add(text: string): number {
    const copy = copyText(text);
    this.#texts.push(copy);
    this.#ids.set(copy, this.#texts.length - 1);
    return this.#texts.length - 1;
  }
}
