import { expect, it } from "vitest";
import { serializePayload } from "../../../../../../sandbox/engine/service/grease/formats.ts";

it.each(["reversed", "spaced", "newline"] as const)(
  "writes a date as JSON does, and a field without a value not at all: %s",
  (form) => {
    const document = { at: new Date(0), none: undefined };
    expect(JSON.parse(serializePayload(document, form))).toEqual({ at: "1970-01-01T00:00:00.000Z" });
  },
);
