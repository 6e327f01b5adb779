import { lookup } from "node:dns";
import { describe, expect, it } from "vitest";
import {
  checkAddress,
  classifyAddress,
  createGuardedLookup,
} from "../../../../../sandbox/engine/webhooks/addresses.ts";

/** Returns the host after URL parsing, which normalizes decimal, octal and hex forms. */
const hostOf = (host: string) => new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, "");

describe("classifyAddress and checkAddress", () => {
  it.each([
    ...["127.0.0.1", "127.255.255.254", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
    ...["100.64.0.1", "100.100.100.201", "198.18.0.1", "[::1]", "[::]", "[fd12:3456::1]"],
    ...["2130706433", "0177.0.0.1", "0x7f.1", "127.1", "[::ffff:127.0.0.1]", "[::ffff:0a00:0001]"],
  ])("treat %s as local", (host) => {
    expect(classifyAddress(hostOf(host))).toBe("local");
    expect(checkAddress(hostOf(host), false)).toBeNull();
  });

  it.each([
    ...[
      "8.8.8.8",
      "1.1.1.1",
      "172.15.255.255",
      "172.32.0.0",
      "192.167.255.255",
      "100.63.255.255",
      "100.128.0.0",
    ],
    ...["134744072", "0x08080808", "[2606:4700::1111]", "[::ffff:8.8.8.8]"],
    ...["[fe00::1]", "[64:ff9a::a9fe:a9fe]"],
  ])("treat %s as public", (host) => {
    expect(classifyAddress(hostOf(host))).toBe("public");
    expect(checkAddress(hostOf(host), true)).toBeNull();
    expect(checkAddress(hostOf(host), false)?.message).toMatch(
      / is a public address; .*--allow-public-webhooks\)$/,
    );
  });

  it.each([
    ...["169.254.169.254", "169.254.0.0", "169.254.255.255", "224.0.0.1", "239.255.255.255", "240.0.0.1"],
    ...["255.255.255.255", "100.100.100.200", "192.0.0.192", "168.63.129.16"],
    ...[
      "[fe80::1]",
      "[febf::1]",
      "[fec0::1]",
      "[ff02::1]",
      "[fd00:ec2::254]",
      "[fd00:ec2::23]",
      "[fd20:ce::254]",
    ],
    // Metadata addresses in other notations.
    ...["2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "0xa9.254.0xa9fe", "169.254.169.254."],
    // Metadata addresses embedded in IPv6 addresses.
    ...["[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[::ffff:0:169.254.169.254]"],
    ...[
      "[64:ff9b::10.0.0.1]",
      "[64:ff9b::169.254.169.254]",
      "[64:ff9b:1::a9fe:a9fe]",
      "[64:ff9b:1:a9fe:a9:fe00::]",
      "[2002:a9fe:a9fe::1]",
      "[2001:0:1::5601:5601]",
    ],
    "[::ffff:100.100.100.200]",
  ])("treat %s as forbidden", (host) => {
    expect(classifyAddress(hostOf(host))).toBe("forbidden");
    expect(checkAddress(hostOf(host), true)?.message).toMatch(/deliveries never go there$/);
  });

  it("accept an address with a zone", () => {
    expect(classifyAddress("fe80::1%eth0")).toBe("forbidden");
    expect(classifyAddress("::1%lo")).toBe("local");
  });
});

describe("createGuardedLookup", () => {
  const lookUp = (name: string, all: boolean, allowPublic = false) =>
    new Promise((resolve) =>
      createGuardedLookup(allowPublic)(name, { all }, (...response) => resolve(response)),
    );

  it("resolves an allowed name like dns.lookup, to one or all addresses", async () => {
    for (const all of [true, false]) {
      const unguarded = await new Promise((resolve) =>
        lookup("localhost", { all: all as true }, (...response) => resolve(response)),
      );
      expect(await lookUp("localhost", all)).toEqual(unguarded);
    }
  });

  it("rejects a name that resolves to a blocked address, for one or all addresses", async () => {
    // A literal address resolves to itself, as any name can with a hosts file or a hostile name server.
    for (const all of [true, false]) {
      const [error] = (await lookUp("169.254.169.254", all)) as [Error];
      expect(error.name).toBe("AddressBlockedError");
      const [publicError] = (await lookUp("8.8.8.8", all)) as [Error];
      expect(publicError.message).toBe(
        "8.8.8.8 is a public address; deliveries go there only with allowPublicWebhooks (--allow-public-webhooks)",
      );
      expect((await lookUp("8.8.8.8", all, true)) as unknown[]).toContain(null);
    }
  });

  it("rejects an unknown name", async () => {
    const [error] = (await lookUp("nowhere.invalid", true)) as [NodeJS.ErrnoException];
    expect(error.code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });
});

it("the error of checkAddress contains the name and the address", () => {
  expect(checkAddress("169.254.169.254", true, "metadata.test")?.message).toBe(
    "metadata.test is 169.254.169.254, which is a link-local, metadata or reserved address; deliveries never go there",
  );
});
