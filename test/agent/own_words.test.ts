import { describe, expect, test } from "vitest";
import { addressesIn, plainAddress } from "../../internal/agent/addresses.ts";
import { namesTarget } from "../../internal/agent/own_words.ts";

const account = (to: string, amount?: string) => ({
  kind: "account",
  to,
  ...(amount === undefined ? {} : { amount }),
});

describe("namesTarget() takes as named", () => {
  test.each([
    ["pay bob 1 USD", "bob"],
    ["Pay Bob.", "bob"],
    ["ask @alice about it", "alice"],
    ["post it in #general, please", "general"],
    ["write to 'sarah.connor@mail.example'.", "sarah.connor@mail.example"],
    ["a.b@c.example, d@e.example", "a.b@c.example"],
    ["stay at  Le   Marais\nBoutique", "Le Marais Boutique"],
    ["is it (bob)?", "bob"],
    ["bob's invoice", "bob"],
    ["bob: 1 USD", "bob"],
  ])("%j: %s [A-055]", (words, to) => {
    expect(namesTarget(words, account(to))).toBe(true);
  });

  test.each([
    ["read www.a.example.", "https://www.a.example/"],
    ["read https://a.example/x?y=1", "https://a.example/x?y=1"],
    ["read http://A.example/x", "https://a.example/x"],
  ])("the address in %j: %s [A-054]", (words, to) => {
    expect(namesTarget(words, { kind: "url", to })).toBe(true);
  });

  test.each([
    ["delete file 13", "file", "13"],
    ["delete the file with ID '13'", "file", "13"],
    ["delete message #7, number 7", "message", "7"],
  ])("a bare number after its word in %j [A-054]", (words, kind, to) => {
    expect(namesTarget(words, { kind, to })).toBe(true);
  });

  test.each([
    ["pay bob 1 USD", "1"],
    ["pay bob $1.50", "1.5"],
    ["pay bob 1,000 dollars", "1000"],
    ["pay bob 2", "2"],
    ["pay bob 2.", "2"],
    ["bob gets 0.10 EUR or 3 EUR", "3"],
  ])("the amount in %j: %s [A-054]", (words, amount) => {
    expect(namesTarget(words, account("bob", amount))).toBe(true);
  });
});

describe("namesTarget() does not take as named", () => {
  test.each([
    ["pay bob-smith", "bob"],
    ["mail bob@a.example", "bob"],
    ["mail x@bob", "bob"],
    ["pay bob.smith", "bob"],
    ["see a.example/bob", "bob"],
    ["pay bobby", "bob"],
    ["pay Bоb", "bob"],
    ["read a.example/x", "a.example"],
    ["read a.example", "a.example/x"],
    ["read www.a.example.They said", "www.a.example"],
    ["pay bob", ""],
    ["pay bob", "  "],
  ])("%j: %s [A-054]", (words, to) => {
    expect(namesTarget(words, account(to))).toBe(false);
  });

  test.each([
    ["what happens on June 13?", "file", "13"],
    ["delete file 130", "file", "13"],
    ["profile 13", "file", "13"],
    ["pay 13 USD", "file", "13"],
  ])("a bare number without its word in %j [A-054]", (words, kind, to) => {
    expect(namesTarget(words, { kind, to })).toBe(false);
  });

  test.each([
    ["pay bob 1 USD for invoice 7", "7"],
    ["pay bob 1 USD", "100"],
    ["pay bob 10 USD", "1"],
    ["pay bob 1.5 USD", "1"],
    ["pay bob on 2026-05-20", "20"],
    ["pay bob by 12:30", "30"],
    ["pay bob 10% more", "10"],
    ["pay bob the 13th part", "13"],
    ["pay bob 10.000,50 EUR", "50"],
    ["pay bob $10.000,50", "10"],
    ["pay bob invoice13 USD", "13"],
    ["pay bob 2026-05 USD", "5"],
    ["pay bob", "1"],
  ])("the amount in %j: %s [A-054]", (words, amount) => {
    expect(namesTarget(words, account("bob", amount))).toBe(false);
  });
});

test("addressesIn() finds links, hosts and mail addresses without what ends a sentence", () => {
  expect(addressesIn("See https://a.example/x?y=1, www.b.example! (or ask d.e@f.example)."))
    .toEqual([
      "https://a.example/x?y=1",
      "www.b.example",
      "d.e@f.example",
    ]);
  expect(addressesIn("nothing here, v1.2 and a/b")).toEqual([]);
  expect(addressesIn(`${"a".repeat(70_000)} www.b.example`)).toEqual([]);
});

test("plainAddress() writes an address the same with and without its scheme and last slash", () => {
  expect(plainAddress("https://A.example/")).toBe("a.example");
  expect(plainAddress("a.example")).toBe("a.example");
  expect(plainAddress("https://A.example/Path/")).toBe("a.example/Path/");
  expect(plainAddress("https://a.example?q=1")).toBe("a.example?q=1");
});
