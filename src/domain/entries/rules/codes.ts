/** The sandbox's own diligence model §1; entry types as in CBP's ACE CATAIR entry summary appendix, liquidation and protest words as assumed; countries: ISO 3166-1 alpha-2, the 249 officially assigned codes. */
export const codes = {
  countries: [
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT",
    "BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH",
    "ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT",
    "HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS",
    "LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI",
    "NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG",
    "SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG",
    "UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW",
  ],
  entryTypes: "01 02 03 06 07 08 09 11 12 21 22 23 31 32 34 38 47 51 52 61 62 63",
  liquidationStatuses: {
    NOT_LIQUIDATED: ["not_liquidated", "not liquidated", "unliquidated", "open", "pending"],
    LIQUIDATED: ["liquidated", "closed"],
    SUSPENDED: ["suspended"],
    EXTENDED: ["extended"],
    UNDER_REVIEW: ["under_review", "under review"],
  },
  protestStatuses: ["OPEN", "SUSPENDED", "DENIED", "ALLOWED"],
  ieepaPrefixes: ["990301", "990302"],
};
