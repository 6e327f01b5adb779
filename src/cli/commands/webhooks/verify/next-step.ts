/** A right delivery that a receiver refuses is a fault of the receiver. */
export const NEXT_STEP =
  "next, if a receiver refuses it: `claims webhooks probe URL` tests that receiver; `verify FILE --computed HEX` says what it signed";
