// papaparse ships no types; this is the part that the tests call.
declare module "papaparse" {
  export function parse<Row>(text: string, options?: { header?: boolean; newline?: string }): { data: Row[] };
}
