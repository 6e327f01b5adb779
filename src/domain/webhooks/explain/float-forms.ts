/** Languages that print a double in different forms. PHP and Go print amounts as JavaScript does. */
export type FloatForm = "javascript" | "java" | "python" | "ruby";

/** The exponents of ten, from and below, with which a language prints no exponent. Those of JavaScript are more. */
const WITHOUT_EXPONENT = { java: [-3, 7], python: [-4, 16], ruby: [-4, 16] } as const;

const addDecimal = (digits: string): string => (digits.includes(".") ? digits : `${digits}.0`);

/** A number as a language prints it that parsed it into a double: the shortest digits that give it again. */
function printFloat(value: number, form: FloatForm): string {
  if (form === "javascript") return String(value);
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const [from, below] = WITHOUT_EXPONENT[form];
  if (Number(exponent) >= from && Number(exponent) < below) return addDecimal(String(value));
  if (form === "java") return `${addDecimal(digits)}E${Number(exponent)}`;
  const twoDigits = exponent.replace(/^(.)(\d)$/, (_, sign: string, digit: string) => `${sign}0${digit}`);
  return `${form === "ruby" ? addDecimal(digits) : digits}e${twoDigits}`;
}

/** Strings are pieces too, because they can have numbers in them. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/** JSON with its numbers that have a fraction or an exponent in this form. Whole numbers stay: they become no doubles. */
export const printFloats = (json: string, form: FloatForm): string =>
  json.replace(STRING_OR_NUMBER, (piece) =>
    piece.startsWith('"') || !/[.eE]/.test(piece) ? piece : printFloat(Number(piece), form),
  );
