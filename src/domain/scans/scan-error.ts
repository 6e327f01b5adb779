/** Thrown for what makes a portfolio unfit to be told in numbers; `message` is a sentence for people. */
export class ScanError extends Error {
  override readonly name = "PortfolioFault";
  readonly code = "AMOUNT_OVERFLOW";
}
