// Valid entry numbers in any amount.

const FILER_CODES = ["ZZ9", "9TQ", "SP7", "001", "ABC"];

/**
 * The nth entry number, eleven characters; the first ten million differ.
 * @param {number} index
 */
export function entryNumber(index) {
  const filer = FILER_CODES[index % FILER_CODES.length] ?? "";
  // The factor shares no divisor with 10,000,000 and scatters the numbers, as those of several ports are.
  const ten = filer + String((index * 7_919) % 10_000_000).padStart(7, "0");
  return ten + checkDigit(ten);
}

/**
 * The rule of the sandbox's diligence model, section 1, written anew: a file made with the product's own code would
 * be valid by definition.
 * @param {string} ten
 */
function checkDigit(ten) {
  let sum = 0;
  for (let at = 0; at < 10; at += 1) {
    const value = digit(ten.charCodeAt(at)) * (at % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return (10 - (sum % 10)) % 10;
}

/**
 * Letters count A-I 1-9, J-R 1-9, S-Z 2-9.
 * @param {number} code
 */
function digit(code) {
  if (code < 65) return code - 48;
  const place = code - 65;
  return place < 18 ? (place % 9) + 1 : place - 16;
}
