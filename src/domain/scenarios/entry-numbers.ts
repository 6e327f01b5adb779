import { type EntryScenario, RESERVED_FILER_CODE, SCENARIO_DIGITS } from "../diligence/entry-scenario.ts";
import { computeCheckDigit } from "../entries/rules/entry-number.ts";

const FILER_CODES = ["ZZ9", "9TQ", "SP7", "001", "ABC"];

const SERIALS = 10_000_000;
const SCRIPTED_SERIALS = 1_000_000;

/** It has no common divisor with either, so serials do not repeat, and they look like those of several ports. */
const STRIDE = 7_919;

/** Valid entry numbers of eleven characters, a different one for each position. */
export class EntryNumbers {
  readonly #start: number;

  /** @param start an integer below ten million */
  constructor(start: number) {
    this.#start = start;
  }

  generate(position: number): string {
    const filer = FILER_CODES[position % FILER_CODES.length] ?? "";
    return appendCheckDigit(filer + this.#serial(position, SERIALS));
  }

  /** A number that makes the sandbox follow a script (product.md §5). */
  generateScripted(script: EntryScenario, position: number): string {
    const serial = this.#serial(position, SCRIPTED_SERIALS);
    return appendCheckDigit(RESERVED_FILER_CODE + SCENARIO_DIGITS[script] + serial);
  }

  #serial(position: number, of: number): string {
    return String((position * STRIDE + this.#start) % of).padStart(String(of).length - 1, "0");
  }
}

const appendCheckDigit = (ten: string): string => ten + computeCheckDigit(ten);
