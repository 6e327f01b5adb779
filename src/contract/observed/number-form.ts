/** How a service writes a number of the contract, where amounts are integer cents (product.md §5). */
export interface NumberForm {
  readonly isText: boolean;
  /** Whether an amount in cents is in dollars. */
  readonly isDollars: boolean;
}

export const isMoneyField = (field: string): boolean => field.endsWith("Cents");

/** @param forms without `null`; empty where nothing was seen */
export function readNumberForm(field: string, forms: readonly string[]): NumberForm {
  const isText = forms.length > 0 && forms.every((form) => form.startsWith("text:"));
  const isDecimal = forms.includes(isText ? "text:decimal" : "decimal");
  return { isText, isDollars: isMoneyField(field) && isDecimal };
}
