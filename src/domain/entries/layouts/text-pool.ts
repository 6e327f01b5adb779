import { copyText } from "../csv/copy-text.ts";

/** Gives texts small integers, so that a typed array can store them. 0 stands for null. */
export class TextPool {
  readonly #ids = new Map<string, number>();
  readonly #texts: (string | null)[] = [null];
  #lastText: string | null = null;
  #lastId = 0;

  intern(text: string | null): number {
    if (text === this.#lastText) return this.#lastId;
    const id = text === null ? 0 : (this.#ids.get(text) ?? this.#add(text));
    this.#lastText = text;
    this.#lastId = id;
    return id;
  }

  text(id: number): string | null {
    return this.#texts[id] ?? null;
  }

  #add(text: string): number {
    const own = copyText(text);
    const id = this.#texts.length;
    this.#texts.push(own);
    this.#ids.set(own, id);
    return id;
  }
}
