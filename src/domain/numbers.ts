/** `1234567` → `1,234,567` */
export const formatThousands = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/** `1` → `1 row`, `1234` → `1,234 rows` */
export const formatCount = (value: number, one: string, many = `${one}s`): string =>
  `${formatThousands(value)} ${value === 1 ? one : many}`;

/** Integer cents as dollars: `1234567` → `$12,345.67`. */
export function formatDollars(cents: number): string {
  const whole = formatThousands(Math.trunc(Math.abs(cents) / 100));
  return `${cents < 0 ? "-" : ""}$${whole}.${String(Math.abs(cents) % 100).padStart(2, "0")}`;
}

/** `12345678` → `11.8 MiB` */
export const formatMebibytes = (bytes: number): string => `${(bytes / (1 << 20)).toFixed(1)} MiB`;
