const EIN = /^(\d\d)-(\d{7})([A-HJ-NP-Y0-9]{2})?$/;
const EIN_WITHOUT_DASH = /^(\d\d)(\d{7}[A-HJ-NP-Y0-9]{2})$/;
const CBP_ASSIGNED = /^\d{6}-\d{5}$/;
const SSN = /^\d{3}-\d{2}-(\d{4})$/;

/**
 * The stored form of an importer of record number: with its dash, a social security number masked. Null when it has
 * none of the shapes of diligence-model §1.
 */
export function readImporterNumber(cell: string): string | null {
  if (EIN.test(cell) || CBP_ASSIGNED.test(cell)) return cell;
  const bare = EIN_WITHOUT_DASH.exec(cell);
  if (bare !== null) return `${bare[1]}-${bare[2]}`;
  const ssn = SSN.exec(cell);
  return ssn === null ? null : `***-**-${ssn[1]}`;
}
