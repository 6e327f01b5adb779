import { describe, expect, it } from "vitest";
import { explain } from "../../../../../../src/signature.ts";
import { type Delivery, GENUINE, SECRET, signAs, toInput } from "./delivery.ts";
import { FAULTS } from "./faults.ts";

const explained = (delivery: Delivery): string[] =>
  explain(toInput(delivery))
    .causes.map(({ id, certainty }) => `${id} ${certainty}`)
    .sort();

it.each(FAULTS.map((each) => [each.name, each] as const))(
  "explain names this cause and no other %s",
  (_, { delivery, causes }) => {
    expect(explain(toInput(delivery)).verdict).not.toBe("valid");
    expect(explained(delivery)).toEqual(causes);
  },
);

describe("evidence", () => {
  const evidenceOf = (name: string): string =>
    FAULTS.filter((each) => each.name === name).flatMap(
      ({ delivery }) => explain(toInput(delivery)).causes,
    )[0]?.evidence ?? "";

  it("of a changed timestamp says both times and their distance", () => {
    expect(evidenceOf("another attempt's timestamp")).toBe(
      "the signature was made with timestamp 1795334930; the header says 1795334949, 19 s later",
    );
  });

  it.each([
    [
      `0x${GENUINE.signature}`,
      '66 characters beginning "0x", of which the first that does not belong is "x" at 2',
    ],
    [
      `\u201c${GENUINE.signature}\u200b`,
      '66 characters beginning "\u201ca", of which the first that does not belong is U+201C at 1',
    ],
    [
      `${GENUINE.signature?.slice(0, 63)}l`,
      '64 characters beginning "a8adc73b", of which the first that does not belong is "l" at 64',
    ],
    [`${GENUINE.signature}0`, '65 characters beginning "a"'],
  ])(
    "of a malformed signature shows its beginning, and the first character that does not belong: %s",
    (signature, shown) => {
      const { reason } = explain(toInput({ ...GENUINE, signature }));
      expect(reason).toContain(`X-Service-Signature: expected 64 lowercase hex digits; got ${shown}`);
    },
  );
});

it.each([`${SECRET}\n`, `"${SECRET}"`])(
  "who must act for a stored secret that is altered is who stores it, whichever side has it: %j",
  (altered) => {
    const [ofReceiver] = explain({ ...toInput(GENUINE), computed: signAs({ key: altered }) }).causes;
    const [given] = explain(toInput({ ...GENUINE, secret: altered })).causes;
    expect(ofReceiver).toMatchObject({ actor: "secret_store", certainty: "proved" });
    expect(given).toMatchObject({ id: ofReceiver?.id, actor: "secret_store", fix: ofReceiver?.fix });
  },
);

describe("explain with the receiver's signature", () => {
  const BODY_WITH_FACE = '{"note":"caf\u00e9 \u{1f60a}"}';
  const explainComputed = (body: string, hashed: string, signature = signAs({ body })) =>
    explain({
      ...toInput({ ...GENUINE, body: Buffer.from(body), signature }),
      computed: signAs({ body: hashed }),
    });

  it("finds a question mark for each UTF-16 unit, as Encoding.ASCII of .NET writes it", () => {
    expect(explainComputed(BODY_WITH_FACE, '{"note":"caf? ??"}').causes).toMatchObject([
      { id: "body.replaced_characters", certainty: "proved", actor: "receiver" },
    ]);
  });

  it("names one cause where the log has a dict of Python and the receiver hashed its json.dumps", () => {
    const dict = "{'id': 'evt_1', 'ok': True, 'note': None}";
    const sent = signAs({ body: '{"id":"evt_1","ok":true,"note":null,"x":0}' });
    const { causes } = explainComputed(dict, '{"id": "evt_1", "ok": true, "note": null}', sent);
    expect(causes).toMatchObject([{ id: "body.reserialized", certainty: "proved", actor: "receiver" }]);
    expect(causes[0]?.evidence).toContain("the dict, hash or object that was printed");
  });
});

it.each([
  ["of the body here", 12, "between"],
  ["of the signed body", 10, "log"],
  ["of neither", null, "log"],
])("line ends that were changed are of who the Content-Length shows: %s", (_, length, actor) => {
  const headers = length === null ? [] : [["Content-Length", String(length)] as const];
  const changed = {
    body: Buffer.from('{\r\n"a":12\r\n}'),
    signature: signAs({ body: '{\n"a":12\n}' }),
    headers,
  };
  expect(explain(toInput({ ...GENUINE, ...changed })).causes).toMatchObject([
    { id: "body.line_endings", actor },
  ]);
});

describe("remarks", () => {
  const remarks = (change: Partial<Delivery>) =>
    explain(toInput({ ...GENUINE, ...change })).remarks.map(({ id, evidence }) => `${id}: ${evidence}`);

  it("are separate from causes", () => {
    expect(remarks({})).toEqual([]);
    expect(remarks({ secret: `\ufeff${SECRET.replace("whsec_", "WHSEC_")}\n` })).toEqual([
      "secret.shape: secret 1 is probably meant without the white space in it, without its invisible characters",
    ]);
  });

  it("say that a matching secret is not that of the endpoint with this secretPrefix", () => {
    const { verdict, remarks: found } = explain({ ...toInput(GENUINE), secretPrefix: "whsec_other1" });
    expect([verdict, found.map(({ id }) => id)]).toEqual(["valid", ["secret.other_prefix"]]);
  });

  it("are there for a valid delivery too", () => {
    const secret = `${SECRET}\n`;
    const valid = explain(toInput({ ...GENUINE, secret, signature: signAs({ key: secret }) }));
    expect(valid).toMatchObject({ verdict: "valid", causes: [], remarks: [{ id: "secret.shape" }] });
    const withoutPrefix = { ...GENUINE, secret: "plain", signature: signAs({ key: "plain" }) };
    expect(explain(toInput(withoutPrefix)).remarks).toEqual([]);
  });
});
