import type { GreaseChoices } from "./choices.ts";

/** The name of a header as this service writes it; it means the same (RFC 9110 §5.1). */
export function formatHeaderName(name: string, headerCase: GreaseChoices["headerCase"]): string {
  switch (headerCase) {
    case "lower":
      return name.toLowerCase();
    case "upper":
      return name.toUpperCase();
    case "mixed":
      return name.replace(/./g, (letter, index: number) =>
        index % 2 ? letter.toUpperCase() : letter.toLowerCase(),
      );
    case null:
      return name;
  }
}
