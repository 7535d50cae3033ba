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

  it("bonds and claims: whose they are not, and what is not left of them, costs no fee", async () => {
    const made = async (...words: string[]): Promise<string> => {
      const { code, stdout, stderr } = await bench.sion(...words);
      expect([words, code, stderr]).toEqual([words, 0, ""]);
      return stdout.trim().split(" ").at(-1) ?? "";
    };
    const refused = async (line: string, sentence: string): Promise<void> => {
      const submitted = bench.chain.units.size;
      const { code, stdout, stderr } = await bench.sion(...line.split(" "));
      expect([code, stdout, stderr]).toEqual([1, "", `error: ${sentence}; nothing was sent\n`]);
      expect(bench.chain.units.size).toBe(submitted);
    };
    await made("bond", "post", "alice", "tests", "10");
    await made("bond", "post", "bob", "judge", "10");
    const claim = await made(
      ...["claim", "issue", "alice", "it is so", "--bond", "tests", "--judge", "bob:judge"],
    );
    const short = claim.slice(0, 8);
    const lists = "`sion bond show alice` lists those there are";
    await refused("bond add alice none 1", `alice has no bond none: ${lists}`);
    await refused("bond release alice none", `alice has no bond none: ${lists}`);
    await refused(
      "bond release alice tests",
      "nothing of bond tests is on its way out: give the amount to ask for",
    );
    await refused("bond release alice tests 11", "only 10 USD of bond tests is free: ask for less");
    await made("bond", "release", "alice", "tests", "4");
    const { code, stderr } = await bench.sion("bond", "release", "alice", "tests");
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: 4 USD of bond tests can be taken from Pulse \d+ on, this is Pulse \d+: wait for it; nothing was sent\n$/,
      ),
    ]);
    await refused(
      `claim revoke bob ${short}`,
      `only who issued claim ${short} may revoke it: give the wallet that did`,
    );
    await refused(
      `claim reserve bob ${short} alice 1`,
      `only who issued claim ${short} may reserve what backs it: give the wallet that did`,
    );
    await refused(
      `claim judge alice ${short} false`,
      `only the adjudicator of claim ${short} may judge it: give the wallet that is`,
    );
    await refused(
      `claim judge bob ${short} upheld`,
      `claim ${short} is not disputed: there is nothing to uphold`,
    );
    await refused(
      `claim dispute bob ${short}`,
      `nothing is reserved for bob on claim ${short}: only who relies on it may dispute it`,
    );
    await made("claim", "reserve", "alice", short, "bob", "2");
    await made("claim", "dispute", "bob", short);
    await refused(
      `claim dispute bob ${short}`,
      `bob disputes claim ${short} already: its adjudicator judges it`,
    );
    await made("claim", "judge", "bob", short, "false");
    await refused(
      `claim revoke alice ${short}`,
      `claim ${short} was found false, which is for good: issue another`,
    );
    const bare = await made("claim", "issue", "alice", "so it is");
    await refused(
      `claim judge bob ${bare.slice(0, 8)} false`,
      `claim ${bare.slice(0, 8)} names no adjudicator: nobody can judge it`,
    );
    await made("claim", "revoke", "alice", bare);
    await refused(
      `claim revoke alice ${bare.slice(0, 8)}`,
      `claim ${bare.slice(0, 8)} was revoked, which is for good: issue another`,
    );
  });

  it("allotments: whose they are not, and what is not left of them, costs no fee", async () => {
    const create = async (name: string) =>
      (await bench.sion("agent", "create", "alice", name, "--budget", "10", "--json")).json() as {
        agent: string;
        charter: string;
        allotment: string;
      };
    const { agent, charter, allotment } = await create("coder");
    const other = await create("helper");
    const refused = async (line: string, sentence: string): Promise<void> => {
      const submitted = bench.chain.units.size;
      const { code, stdout, stderr } = await bench.sion(...line.split(" "));
      expect([code, stdout, stderr]).toEqual([1, "", `error: ${sentence}; nothing was sent\n`]);
      expect(bench.chain.units.size).toBe(submitted);
    };
    const short = allotment.slice(0, 8);
    await refused(
      `charter reclaim alice ${short} 11`,
      `allotment ${short} holds only 10 USD: ask for less`,
    );
    await refused(
      `charter reclaim bob ${short}`,
      `bob does not stand above agent ${agent.slice(0, 8)} (coder), alice does: give the wallet ` +
        "that does",
    );
    await refused(
      `charter allot alice ${charter} 1 --allotment ${other.allotment}`,
      `allotment ${other.allotment.slice(0, 8)} is of charter ${other.charter.slice(0, 8)}: ` +
        `give one of charter ${charter.slice(0, 8)}`,
    );
    await refused(
      `charter allot bob ${charter} 1 --allotment ${allotment}`,
      `only who gave allotment ${short} may add to it: leave it out to make another`,
    );
    expect((await bench.sion("charter", "reclaim", "alice", short)).code).toBe(0);
    await refused(
      `charter reclaim alice ${short}`,
      `allotment ${short} is empty: there is nothing to take back`,
    );
    expect((await bench.sion("charter", "revoke", "alice", charter)).code).toBe(0);
    await refused(
      `charter allot alice ${charter} 1`,
      `charter ${charter.slice(0, 8)} was revoked, which is for good: \`sion charter create\` ` +
        "makes another",
    );
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
