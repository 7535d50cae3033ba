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
    await refused(
      `claim reserve alice ${short} bob 6.5`,
      `only 6 USD of what backs claim ${short} is free: reserve less, or \`sion bond add\` more`,
    );
    await made("claim", "reserve", "alice", short, "bob", "2");
    await refused(
      `claim reserve alice ${short} carol 4.000001`,
      `only 4 USD of what backs claim ${short} is free: reserve less, or \`sion bond add\` more`,
    );
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
    await refused(
      `claim reserve alice ${bare.slice(0, 8)} bob 1`,
      `claim ${bare.slice(0, 8)} names no adjudicator, so that nobody can find it false: ` +
        "issue another",
    );
    await made("claim", "revoke", "alice", bare);
    await refused(
      `claim reserve alice ${bare.slice(0, 8)} bob 1`,
      `claim ${bare.slice(0, 8)} is revoked: issue another`,
    );
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

  it("charter pay: what a charter, the agents' standing or the allotment stop costs no fee [L-219..L-224 L-239]", async () => {
    const limits = "--budget 4 --payee bob --max-payment 3 --refill 1/day";
    const created = await bench.sion(
      ...["agent", "create", "alice", "coder", "--json", ...limits.split(" ")],
    );
    expect([created.code, created.stderr]).toEqual([0, ""]);
    const made = created.json() as { agent: string; charter: string; allotment: string };
    const { charter, allotment } = made;
    const [agent, terms, money] = [made.agent, charter, allotment].map((id) => id.slice(0, 8));
    const pay = (payee: string, amount: string) =>
      bench.sion("charter", "pay", "coder", charter, allotment, payee, amount);
    const refused = async (payee: string, amount: string, sentence: string): Promise<void> => {
      const submitted = bench.chain.units.size;
      const { code, stdout, stderr } = await pay(payee, amount);
      expect([code, stdout, stderr]).toEqual([1, "", `error: ${sentence}; nothing was sent\n`]);
      expect(bench.chain.units.size).toBe(submitted);
    };
    const done = async (...words: string[]): Promise<void> => {
      const { code, stderr } = await bench.sion(...words);
      expect([words, code, stderr]).toEqual([words, 0, ""]);
    };
    await refused(
      ...["carol", "1"] as const,
      `charter ${terms} does not let carol be paid: \`sion charter show\` lists whom it does`,
    );
    await refused(
      ...["bob", "3.000001"] as const,
      `charter ${terms} lets at most 3 USD be paid at once: pay less`,
    );
    expect((await pay("bob", "3")).code).toBe(0);
    const spent = await pay("bob", "2.5");
    expect([spent.code, spent.stderr]).toEqual([
      1,
      expect.stringMatching(
        `^error: charter ${terms} has 1(\\.0\\d*)? of 4 USD to spend now: pay less, or wait; nothing was sent\n$`,
      ),
    ]);
    await done("charter", "reclaim", "alice", allotment, "0.5");
    await refused(
      ...["bob", "0.8"] as const,
      `allotment ${money} holds only 0.5 USD: pay less`,
    );
    expect((await pay("bob", "0.5")).code).toBe(0);
    await done("agent", "suspend", "alice", made.agent);
    await refused(
      ...["bob", "0.1"] as const,
      `agent ${agent} (coder) is suspended: who stands above it can resume it`,
    );
    await done("agent", "resume", "alice", made.agent);
    await done("charter", "revoke", "alice", charter);
    await refused(
      ...["bob", "0.1"] as const,
      `charter ${terms} was revoked, which is for good: \`sion charter create\` makes another`,
    );
    const free = (await bench.sion(..."agent create alice helper --budget 2 --json".split(" ")))
      .json() as { charter: string; allotment: string };
    const other = await bench.sion("charter", "pay", "helper", free.charter, allotment, "bob", "1");
    expect([other.code, other.stderr]).toEqual([
      1,
      `error: allotment ${money} is of charter ${terms}: give one of charter ` +
      `${free.charter.slice(0, 8)}; nothing was sent\n`,
    ]);
    const more = await bench.sion(
      "charter",
      "pay",
      "helper",
      free.charter,
      free.allotment,
      "bob",
      "3",
    );
    expect([more.code, more.stderr]).toEqual([
      1,
      `error: charter ${free.charter.slice(0, 8)} has 2 of 2 USD to spend now: pay less; nothing ` +
      "was sent\n",
    ]);
    const stranger = await bench.sion(
      "charter",
      "pay",
      "bob",
      free.charter,
      free.allotment,
      "bob",
      "1",
    );
    expect([stranger.code, stranger.stderr]).toEqual([
      1,
      expect.stringMatching(/^error: wallet bob does not act for agent [0-9a-f]{8} \(helper\): /),
    ]);
  });

  it("charter pay: what a charter above stops costs no fee [L-224 L-243]", async () => {
    const top = (await bench.sion(..."agent create alice lead --budget 5 --json".split(" ")))
      .json() as { agent: string; charter: string };
    const spawn = "--agent fetcher=2 --json".split(" ");
    const { code, stdout, stderr } = await bench.sion(
      "agent",
      "spawn",
      "lead",
      top.agent,
      ...spawn,
    );
    expect([code, stderr]).toEqual([0, ""]);
    const [below] = (JSON.parse(stdout) as {
      agents: readonly { charter: string; allotment: string; agent: string }[];
    }).agents;
    const pay = () =>
      bench.sion("charter", "pay", "lead", `${below?.charter}`, `${below?.allotment}`, "bob", "1");
    await bench.sion("charter", "narrow", "alice", top.charter, "--max-payment", "0.5");
    const narrowed = await pay();
    expect([narrowed.code, narrowed.stderr]).toEqual([
      1,
      `error: charter ${top.charter.slice(0, 8)} lets at most 0.5 USD be paid at once: pay less; ` +
      "nothing was sent\n",
    ]);
    await bench.sion("agent", "suspend", "alice", top.agent);
    const suspended = await pay();
    expect([suspended.code, suspended.stderr]).toEqual([
      1,
      `error: agent ${top.agent.slice(0, 8)} (lead) above agent ${below?.agent.slice(0, 8)} is ` +
      "suspended: who stands above it can resume it; nothing was sent\n",
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
