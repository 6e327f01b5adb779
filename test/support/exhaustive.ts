/** Whether tests try every case (`CLAIMS_TEST_EXHAUSTIVE=1`, in .ci/long) instead of a sample. */
export const IS_EXHAUSTIVE = process.env.CLAIMS_TEST_EXHAUSTIVE === "1";
