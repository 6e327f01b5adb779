import { describeKind } from "../kinds.ts";
import type { ExtraForm } from "../service-form.ts";

/** Words of fields and of states that many services have: none is a name of a person, a company or a place. */
const COMMON = new Set(
  `accepted active actual added all amount and approved archived as at attempt attributes available balance batch blocked
body booked both broker by calculated cancelled category cents charge checked claim claims class clear client clients
closed code collected company complete completed computed concluded conditional confirmed content contract count
country created credit critical currency current data date day decided declined default delivered delivery denied
detail diligence disabled done due duty earned eligible email enabled end ended enrolled entries entry error estimate
estimated event expected expired expires failed fee fees figures file filed final finding finished firm first for
given good grade granted gross has high history id in inactive incomplete index interest invalid is issued item items
job jobs key label last ledger legal length level limit line lines link list locked long low matched medium message
minor mode month name needs net new next no none normal not number of offer offers office on onboarding open
opportunity org organization other outcome outstanding owner page paid partial partner pass passed payable payload
payment payout pending percent period phase posted potential price primary priority processed processing product
progress protest quantity queued range rate reached read ready reason received recorded reference refund refunded
refused registered rejected released remaining report requested required resolved result results revenue reversal
review reviewed reviewing risk role row rows rule rules running scan score sent service settled signed size source
stage standard standing started state status step stopped subject submitted success sum summary supported suspended
text tier time title to today token total totals trading type undecided under unit units until updated uuid valid
value verdict verified version waiting warning watch withdrawn working yes`.split(/\s+/),
);

/** Whether each word of a text or of a name is a common one, so that it tells nothing of whom it is about. */
export function hasOnlyCommonWords(text: string): boolean {
  const words = text.replace(/([a-z])([A-Z])/g, "$1 $2").match(/[A-Za-z]+/g) ?? [];
  return words.length > 0 && words.every((word) => COMMON.has(word.toLowerCase()));
}

const isCommonWord = (value: unknown): boolean =>
  typeof value === "string" && /^[a-z]+(?:[ _-][a-z]+){0,2}$/i.test(value) && hasOnlyCommonWords(value);

/** What a field holds: a kind, one of its words if all are common ones, the only boolean that was seen, or the version of a format. */
export function describeValues(values: readonly unknown[], name = ""): ExtraForm {
  const known = [...new Set(values)].filter((value) => value !== null);
  const [word, ...others] = known;
  if (typeof word === "boolean" && others.length === 0) return { word };
  const isVersion = /version$/i.test(name) && /^\d{1,2}(\.\d{1,2}){1,2}$/.test(String(word));
  if (isVersion && typeof word === "string" && others.length === 0) return { word };
  // A letter says nothing of anybody.
  if (known.length > 0 && known.every((value) => typeof value === "string" && /^[A-Z]$/.test(value)))
    return /^[YN]+$/.test(known.join("")) ? "Y or N text" : { word: word as string };
  if (typeof word === "string" && known.every(isCommonWord)) return { word };
  const [first = "null", ...more] = [...new Set(known.map(describeKind))].sort();
  return more.find(() => first.startsWith("empty ")) ?? first;
}
