/** Integer cents as dollars with thousands separators: `1234567` → `$12,345.67`. */
export function dollars(cents: number): string {
  const whole = Math.trunc(Math.abs(cents) / 100).toString();
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${cents < 0 ? "-" : ""}$${grouped}.${String(Math.abs(cents) % 100).padStart(2, "0")}`;
}
