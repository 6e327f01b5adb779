/** The words of each status (diligence-model §1, assumed). */
const LIQUIDATION_WORDS = {
  NOT_LIQUIDATED: ["not_liquidated", "not liquidated", "unliquidated", "open", "pending"],
  LIQUIDATED: ["liquidated", "closed"],
  SUSPENDED: ["suspended"],
  EXTENDED: ["extended"],
  UNDER_REVIEW: ["under_review", "under review"],
};

export type LiquidationStatus = keyof typeof LIQUIDATION_WORDS;

const PROTEST_STATUSES = ["OPEN", "SUSPENDED", "DENIED", "ALLOWED"] as const;

export type ProtestStatus = (typeof PROTEST_STATUSES)[number];

// These tables return their own strings: a code cut out of a cell would be a new string in each row.
const liquidationStatuses = new Map(
  Object.entries(LIQUIDATION_WORDS).flatMap(([status, words]) =>
    words.map((word) => [word, status as LiquidationStatus] as const),
  ),
);
const protestStatuses = new Map<string, ProtestStatus>(PROTEST_STATUSES.map((status) => [status, status]));

/** As in CBP's ACE CATAIR entry summary appendix. */
const entryTypes = indexCodes("01 02 03 06 07 08 09 11 12 21 22 23 31 32 34 38 47 51 52 61 62 63");

/** ISO 3166-1 alpha-2, the 249 officially assigned codes. */
const countryCodes =
  indexCodes(`AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM
  BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH
  ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN
  IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK
  ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS
  PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM
  TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`);

function indexCodes(list: string): ReadonlyMap<string, string> {
  return new Map(list.split(/\s+/).map((code) => [code, code]));
}

/** Finds an entry type code. One digit gets a leading zero. */
export const findEntryType = (code: string): string | undefined =>
  entryTypes.get(code.length === 1 ? `0${code}` : code);

/** Also in lower case, but for other letters than those of ASCII: the capital of one may be two. */
export const findCountry = (code: string): string | undefined =>
  countryCodes.get(code) ?? (/^[a-z]{2}$/i.test(code) ? countryCodes.get(code.toUpperCase()) : undefined);

export const findLiquidationStatus = (word: string): LiquidationStatus | undefined =>
  liquidationStatuses.get(word.toLowerCase());

export const findProtestStatus = (word: string): ProtestStatus | undefined =>
  protestStatuses.get(word.toUpperCase());
