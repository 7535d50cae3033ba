/** A mistyped account is never taken for a devnet's wallet, from which anybody could spend. */
import { describe, expect, it } from "vitest";
import { useBench } from "./bench.ts";

const ACCOUNT = "42424444042f6eae3f1f69e9d99e163216bd317aed703c8eb19a98346b1eeb23";
const SHORT = ACCOUNT.slice(1);
const LOUD = ACCOUNT.toUpperCase();

describe("sion with a mistyped account", () => {
  const bench = useBench();
  const RULE = "an account has 64 lower-case hex digits";

  it.each([
    [["pay", "alice", SHORT, "1"], `${SHORT} looks like an account with 63 digits, ${RULE}`],
    [["pay", "alice", LOUD, "1"], `${LOUD} looks like an account in upper case, ${RULE}`],
    [["pay", SHORT, "bob", "1"], `${SHORT} looks like an account with 63 digits, ${RULE}`],
    [["faucet", LOUD, "1"], `${LOUD} looks like an account in upper case, ${RULE}`],
    [["balance", SHORT], `${SHORT} looks like an account with 63 digits, ${RULE}`],
    [["wallet", "new", SHORT], `${SHORT} looks like an account with 63 digits, ${RULE}`],
    [
      ["agent", "create", "alice", "coder", "--budget", "1", "--payee", LOUD],
      `${LOUD} looks like an account in upper case, ${RULE}`,
    ],
  ])("%j is refused, and nothing sent [L-068 L-604]", async (words, sentence) => {
    const { code, stderr } = await bench.sion(...words);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`error: ${sentence}`)]);
    expect(bench.chain.units.size).toBe(0);
  });
});
