/** `sion pay --batch`: what lists it takes, what it prints, how it ends. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SionError } from "#internal/core/mod.ts";
import { parseList } from "../../internal/cli/commands/_batch_file.ts";
import { useBench } from "./bench.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("parseList()", () => {
  it("takes a payee and an amount on a line, with a comma or white space, and passes remarks over", () => {
    const text = "\ufeff# June\r\nbob 1.5\n\n  carol,2\ndave ,  0.000001 \nbob\t3";
    expect(parseList(bytes(text), "june.csv")).toEqual([
      { to: "bob", amount: 1_500_000n, source: "june.csv line 2", line: 2 },
      { to: "carol", amount: 2_000_000n, source: "june.csv line 4", line: 4 },
      { to: "dave", amount: 1n, source: "june.csv line 5", line: 5 },
      { to: "bob", amount: 3_000_000n, source: "june.csv line 6", line: 6 },
    ]);
  });

  it.each([
    [
      "bob",
      "f line 1: bob is no payment: write a payee and an amount, like bob 1.5; nothing was sent",
    ],
    [
      "bob 1\ncarol,1,5",
      "f line 2: carol,1,5 is no payment: write a payee and an amount, like bob 1.5; nothing was sent",
    ],
    ["bob,", 'f line 1: "" is no amount: write USD like 1.5; nothing was sent'],
    [
      ",1",
      "f line 1: ,1 is no payment: write a payee and an amount, like bob 1.5; nothing was sent",
    ],
    ["bob -1", "f line 1: -1 is negative: give an amount above 0; nothing was sent"],
    ["bob 0", "f line 1: 0 is nothing: give an amount above 0; nothing was sent"],
    ["payee,amount", "f line 1: amount is no amount: write USD like 1.5; nothing was sent"],
    ["# nobody\n", "f has no payments: write a payee and an amount on a line, like bob 1.5"],
  ])("refuses %j by its line", (text, sentence) => {
    expect(() => parseList(bytes(text), "f")).toThrow(sentence);
  });

  it("parseList() refuses bytes that are no text", () => {
    expect(() => parseList(Uint8Array.of(0xff), "f")).toThrow(/^f is no UTF-8 text: /);
  });
});

describe("sion pay --batch", () => {
  const bench = useBench();
  const keep = (name: string, text: string): void => writeFileSync(join(bench.home, name), text);

  it("says what is signed, then each receipt, then the sums [L-095 L-096 L-571]", async () => {
    keep("june.csv", "bob,1\ncarol,2.5\nbob,3\n");
    const { code, stdout, stderr } = await bench.sion("pay", "alice", "--batch", "june.csv");
    expect(stdout.replace(/batch [0-9a-f]{8}/, "batch B")).toBe(
      "alice signs part 1 of 1 of batch B: 3 payments of 6.5 USD together. " +
        "Fees 0.001701 USD; valid until Pulse 23.\n" +
        "Pulse 4: Done: paid 1 USD to bob; fee 0.000567 USD.\n" +
        "Pulse 4: Done: paid 2.5 USD to carol; fee 0.000567 USD.\n" +
        "Pulse 4: Done: paid 3 USD to bob; fee 0.000567 USD.\n" +
        "made 3 of 3 payments: 6.5 USD, and 0.001701 USD of fees\n",
    );
    expect([code, stderr]).toEqual([
      0,
      "the ledger has never seen carol: paying makes the account\n",
    ]);
    const again = await bench.sion("pay", "alice", "--batch", "june.csv");
    expect(again).toMatchObject({ code: 1, stdout: "" });
    expect(again.stderr).toMatch(/^error: alice made these 3 payments before, on .*--again/);
    expect((await bench.sion("pay", "alice", "--batch", "june.csv", "--again")).code).toBe(0);
  });

  it("reads standard input, and --json has every payment with its line", async () => {
    const { code, stdout } = await bench.sionIn(
      { stdin: "# two\nbob 1\nbob 2\n" },
      ...["pay", "alice", "--batch", "-", "--json"],
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      batch: expect.stringMatching(/^[0-9a-f]{16}$/),
      earlier: 0,
      failed: 0,
      fees: "0.0014",
      paid: "3",
      payments: [2, 3].map((line) => ({
        line,
        to: "bob",
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        fee: "0.0007",
        pulse: 4,
        receipt: `Done: paid ${line - 1} USD to bob; fee 0.0007 USD.`,
        status: "Success",
      })),
      succeeded: 2,
    });
  });

  it("exits 3 when a payment of the list failed, names its line, and pays the others [L-575 L-616]", async () => {
    bench.chain.before = (method, { digest }) => {
      const receipt = bench.chain.receipts.get(digest as string);
      if (method !== "receipt" || receipt?.index !== 1) return;
      const outcome = { kind: "failed", reason: "insufficient balance" } as const;
      bench.chain.receipts.set(receipt.digest, { ...receipt, outcome });
    };
    const { code, stdout } = await bench.sionIn(
      { stdin: "bob 1\ncarol 2\nbob 3\n" },
      ...["pay", "alice", "--batch", "-"],
    );
    expect(code).toBe(3);
    expect(stdout).toMatch(/\nPulse 4: Failed \(insufficient balance\); .*\n/);
    expect(stdout).toMatch(
      /not paid: standard input line 2, carol\nmade 2 of 3 payments: 4 USD, and 0\.001701 USD of fees\n$/,
    );
  });

  it("exits 4 when the node stops answering; the same command goes on and pays once", async () => {
    let taken = false;
    bench.chain.after = (method) => {
      if (method === "submit") taken = true;
    };
    let now = 0;
    bench.chain.before = () => {
      if (!taken) return;
      now += 20_000;
      throw new SionError("node-unreachable", "no node answers");
    };
    const list = { stdin: "bob 1\nbob 2\n" };
    const clock = { nowMs: () => now };
    const lost = await bench.sionIn(
      { ...list, client: { clock } },
      ...["pay", "alice", "--batch", "-"],
    );
    expect(lost.code).toBe(4);
    expect(lost.stderr).toMatch(
      /batch [0-9a-f]{8} is not finished: the same command goes on with it and pays nothing twice\n/,
    );
    bench.chain.before = () => {};
    const after = await bench.sionIn(list, "pay", "alice", "--batch", "-");
    expect(after.code).toBe(0);
    expect(after.stdout).toMatch(/made 2 of 2 payments: 3 USD, and 0\.0014 USD of fees\n$/);
    expect(bench.chain.receipts.size).toBe(2);
  });

  it("--offline prints a transaction a line, which `sion submit` sends", async () => {
    keep("june.csv", "bob,1\nbob,2\n");
    const signed = await bench.sion("pay", "alice", "--batch", "june.csv", "--offline");
    const { code, stdout, stderr } = signed;
    expect([code, bench.chain.receipts.size]).toEqual([0, 0]);
    expect(stderr).toMatch(/^alice signs: .*Pay 1 USD to bob.*\n$/);
    expect(stdout).toMatch(/^[0-9a-f]+\n$/);
    expect((await bench.sion("submit", stdout.trim())).code).toBe(0);
    expect(bench.chain.receipts.size).toBe(2);
    const json = await bench.sion("pay", "alice", "--batch", "june.csv", "--offline", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ units: [{ valid_until: expect.any(Number) }] });
  });

  it.each([
    [
      ["pay", "alice", "bob", "1", "--batch", "f"],
      "sion pay takes no <to> with --batch: leave one of them out",
    ],
    [["pay", "alice"], "sion pay needs <to>: for example `sion pay alice bob 1.5`"],
    [
      ["pay", "alice", "--batch", "nowhere.csv"],
      "cannot read nowhere.csv (ENOENT): give a file of payees and amounts",
    ],
  ])("%j is one line on stderr", async (words, sentence) => {
    const { code, stdout, stderr } = await bench.sion(...words);
    expect([code, stdout, stderr]).toEqual([1, "", `error: ${sentence}\n`]);
  });
});
