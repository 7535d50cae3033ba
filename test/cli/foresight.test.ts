/** What commands say before they sign: of names never seen, of what will come to nothing. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useBench } from "./bench.ts";

const NEVER = "the ledger has never seen bbo:";

describe("sion before it signs", () => {
  const bench = useBench();

  it.each([
    [["--worker", "bbo"], `${NEVER} only that account can be paid, did you mean bob\n`],
    [["--verifier", "bbo"], `${NEVER} only that account can attest as it, did you mean bob\n`],
    [["--worker", "bob"], ""],
  ])("task post %j says whom the ledger has never seen", async (words, says) => {
    const { code, stderr } = await bench.sion("task", "post", "alice", "--amount", "5", ...words);
    expect([code, stderr]).toEqual([0, says]);
  });

  it("storage post says that the ledger has never seen its provider", async () => {
    const file = join(bench.home, "a.bin");
    writeFileSync(file, "a");
    const post = ["storage", "post", "alice", file, "--price", "0.25", "--rounds", "4"];
    const { code, stderr } = await bench.sion(...post, "--provider", "bbo");
    expect([code, stderr]).toEqual([
      0,
      `${NEVER} only that account can accept the deal, did you mean bob\n`,
    ]);
    const none = await bench.sion(...post);
    expect([none.code, none.stderr]).toEqual([
      1,
      "error: a deal for any provider says where the file is to be had: give --locator <URL>, or " +
      "--local for providers of this machine\n",
    ]);
  });

  it("stake delegate says that nothing earns where epochs never end [L-485]", async () => {
    const asked = { kind: "validator", limit: 1 };
    const { objects: [{ id = "" } = {}] } = await bench.chain.transport("objects", asked, {
      waitsMs: 0,
    }) as { objects: { id?: string }[] };
    const { code, stderr } = await bench.sion("stake", "delegate", "alice", id, "1");
    expect([code, stderr]).toEqual([
      0,
      "epochs never end on this chain, so nothing delegated ever earns: `sion devnet " +
      "--epoch-pulses` starts one on which they do\n",
    ]);
  });

  it("task list says whether it is its options that leave nothing", async () => {
    const list = async (...words: string[]) => (await bench.sion("task", "list", ...words)).stderr;
    expect(await list()).toBe("no tasks: `sion task post` makes one\n");
    await bench.sion("task", "post", "alice", "--amount", "5");
    expect(await list()).toBe("");
    expect(await list("--poster", "nosuch")).toBe("no such tasks: `sion task list` lists all\n");
  });

  it("node names the genesis file that is not there before anything else", async () => {
    const { code, stderr } = await bench.sion("node", "--genesis", "nofile");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: there is no .*nofile: give the --genesis of the network/),
    ]);
  });

  it("devnet and genesis new take the same epochs", async () => {
    const says = "--epoch-pulses 3 is not a number from 4 to 1000000000: give one";
    for (const words of [["devnet"], ["genesis", "new", "out"]]) {
      const { code, stderr } = await bench.sion(...words, "--epoch-pulses", "3");
      expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
    }
  });
});
