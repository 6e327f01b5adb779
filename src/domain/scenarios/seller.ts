/** The seller of every scenario's file: submitted under another name, its review has a condition more. */
export const SCENARIO_SELLER = "Harbor & Pine Trading, LLC";
