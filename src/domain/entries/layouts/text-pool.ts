import { copyText } from "../csv/copy-text.ts";

/** Small integers for texts, so that a group can keep a text in a typed array. 0 stands for null. */
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
