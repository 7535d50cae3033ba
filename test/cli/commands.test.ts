/** What commands print and how they end, against the real ledger behind a fake node. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SionError } from "#internal/core/mod.ts";
import { FakeChain } from "../client/fake_chain.ts";
import { useBench } from "./bench.ts";

// deno-lint-ignore no-control-regex -- what is looked for
const ESCAPE = /\x1b/;

describe("sion", () => {
  const bench = useBench();

  const createCoder = async () =>
    (await bench.sion(
      "agent",
      "create",
      "alice",
      "coder",
      "--budget",
      "10",
      "--payee",
      "bob",
      "--json",
    ))
      .json() as { agent: string; charter: string; allotment: string };

  it("pay prints what is signed, then how it went [L-097 L-098 L-099 L-615]", async () => {
    const { code, stdout, stderr } = await bench.sion("pay", "alice", "bob", "1.5");
    expect(stdout).toBe(
      "alice signs: Pay 1.5 USD to bob. Fee 0.0011 USD; valid until Pulse 23.\n" +
        "Pulse 4: Done: paid 1.5 USD to bob; fee 0.0011 USD.\n",
    );
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("pay --json is sion_pay's value and nothing else [L-156 L-614]", async () => {
    const { code, stdout, stderr } = await bench.sion("pay", "alice", "bob", "1.5", "--json");
    expect(JSON.parse(stdout)).toEqual({
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      fee: "0.0011",
      pulse: 4,
      receipt: "Done: paid 1.5 USD to bob; fee 0.0011 USD.",
      status: "Success",
    });
    expect(Object.keys(JSON.parse(stdout))).toEqual([
      "digest",
      "fee",
      "pulse",
      "receipt",
      "status",
    ]);
    expect([code, stderr]).toEqual([0, ""]);
  });

  it("pay names the known name that a payee never seen may be a slip of", async () => {
    const { code, stderr } = await bench.sion("pay", "alice", "bbo", "1");
    expect([code, stderr]).toEqual([
      0,
      "the ledger has never seen bbo: paying makes the account, did you mean bob\n",
    ]);
  });

  it("pay says on stderr when the ledger has never seen the payee", async () => {
    const { stderr } = await bench.sion("pay", "alice", "dave", "1");
    expect(stderr).toBe("the ledger has never seen dave: paying makes the account\n");
  });

  it.each([
    [
      ["alice", "bob.eth", "1"],
      "bob.eth is neither a wallet name nor an account: give a name or 64 hex digits; nothing was sent",
    ],
    [
      ["alcie", "bob", "1"],
      "alcie has no money on this chain, did you mean alice: `sion faucet alcie 10` gives it some",
    ],
    [
      ["alice", "bob", "20000"],
      "alice has 10000 USD, this needs 20000.0011 (20000 and the fee of 0.0011): pay less or add money; nothing was sent",
    ],
  ])("pay %j is one line on stderr, exit 1, nothing sent", async (words, sentence) => {
    const { code, stdout, stderr } = await bench.sion("pay", ...words);
    expect([code, stdout, stderr]).toEqual([1, "", `error: ${sentence}\n`]);
    expect(bench.chain.calls.some(({ method }) => method === "submit")).toBe(false);
  });

  it("a wallet that others can read signs nothing", async () => {
    await bench.sion("wallet", "new", "savings");
    const file = join(bench.home, "wallets", "savings");
    chmodSync(file, 0o640);
    const { code, stderr } = await bench.sion("pay", "savings", "bob", "1");
    expect([code, stderr]).toEqual([
      1,
      `error: others can read ${file} (mode 0640): run \`chmod 600 ${file}\`\n`,
    ]);
  });

  it("pay --offline prints the hex that submit sends [L-299 L-291]", async () => {
    const signed = await bench.sion("pay", "alice", "bob", "1", "--offline", "--valid-for", "10m");
    expect(signed.stdout).toMatch(/^[0-9a-f]+\n$/);
    expect(signed.stderr).toBe(
      "--valid-for 10m is 600 Pulses: about one a second, slower while the chain idles\n" +
        "alice signs: Pay 1 USD to bob. Fee 0.0011 USD; valid until Pulse 603.\n",
    );
    expect(bench.chain.units.size).toBe(0);
    const sent = await bench.sionIn({ stdin: signed.stdout }, "submit", "-");
    expect(sent.stdout).toBe(
      "asks: Pay 1 USD to bob. Fee 0.0011 USD; valid until Pulse 603.\n" +
        "Pulse 4: Done: paid 1 USD to bob; fee 0.0011 USD.\n",
    );
    const again = await bench.sion("submit", signed.stdout.trim(), "--json");
    expect(Object.keys(again.json() as object)).toEqual([
      "digest",
      "intent",
      "pulse",
      "receipt",
      "status",
    ]);
  });

  it("submit - sends several transactions, one a line, in order, and names a line at fault", async () => {
    const june = Array.from({ length: 130 }, () => "bob 1").join("\n");
    const signed = await bench.sionIn({ stdin: june }, "pay", "alice", "--batch", "-", "--offline");
    expect(signed.stdout.trim().split("\n")).toHaveLength(2);
    const sent = await bench.sionIn({ stdin: signed.stdout }, "submit", "-", "--json");
    const told = sent.stdout.trim().split("\n").map((line) => JSON.parse(line));
    expect([sent.code, told.map(({ status }) => status)]).toEqual([0, ["Success", "Success"]]);
    expect(bench.chain.receipts.size).toBe(130);
    const odd = await bench.sionIn({ stdin: `${signed.stdout}zz\n` }, "submit", "-");
    expect([odd.code, odd.stderr]).toEqual([
      1,
      "error: line 3: this is no signed transaction, its text is not lower-case hex: give the hex " +
      "that `sion pay --offline` prints\n",
    ]);
  });

  it("faucet says first that a chain has none", async () => {
    bench.chain = await FakeChain.start({ chainId: "sion-net-1" });
    const { code, stderr } = await bench.sion("faucet", "nobody", "1");
    expect([code, stderr]).toEqual([1, "error: this chain has no faucet: it is no devnet\n"]);
  });

  it("submit --no-wait says what was sent and leaves [L-298]", async () => {
    const { tx, digest } = (await bench.sion("pay", "alice", "bob", "1", "--offline", "--json"))
      .json() as { tx: string; digest: string };
    const sent = await bench.sion("submit", tx, "--no-wait");
    expect(sent.stdout).toContain(`sent: transaction ${digest}\n`);
    expect((await bench.sion("submit", tx, "--no-wait", "--json")).json()).toEqual({
      digest,
      intent: "Pay 1 USD to bob. Fee 0.0011 USD; valid until Pulse 23.",
    });
  });

  it("status and balance are readable lines, and the tools' values with --json [L-614]", async () => {
    const status = await bench.sion("status");
    expect(status.stdout).toContain(`chain sion-devnet-1, identity ${bench.chain.chain}\n`);
    expect(status.stdout).toMatch(/\nthis node (signs|follows), key [0-9a-f]{64}\n/);
    expect(status.stdout).toContain("signatures: insecure, for tests only\n");
    const value = (await bench.sion("status", "--json")).stdout;
    expect(value).toContain('"epoch_end": 9223372036854775807,');
    expect(Object.keys(JSON.parse(value))).toHaveLength(24);
    const account = await bench.chain.accountOf("alice");
    const balance = await bench.sion("balance", "alice");
    expect(balance.stdout).toBe("10000 USD\n");
    expect(balance.stderr).toBe(`account ${account}, as of Pulse 3\n`);
    expect((await bench.sion("balance", "alice", "--json")).json()).toEqual({
      account,
      balances: [{ amount: "10000", asset: "USD" }],
      pulse: 3,
    });
  });

  it("faucet gives money, receipt tells of it, events list it", async () => {
    const faucet = await bench.sion("faucet", "dave", "5", "--json");
    const { digest } = faucet.json() as { digest: string };
    expect((await bench.sion("receipt", digest)).stdout)
      .toBe("Pulse 4: Done: minted 5 USD for dave; fee 0.0011 USD.\n");
    expect((await bench.sion("receipt", digest, "--json")).json()).toMatchObject({
      outcome: "success",
      verified: true,
    });
    const events = await bench.sion("events", "--from", "0");
    expect(events.stdout).toBe(`Pulse 4 ${digest}: minted 5 USD for dave\n`);
    expect((await bench.sion("events", "--from", "0", "--limit", "1", "--json")).json())
      .toMatchObject([{ pulse: 4, tx: digest }]);
  });

  it("verify of another chain says no with exit code 6, and light wants a chain [L-277]", async () => {
    const verify = await bench.sion("verify", "--chain", "ab".repeat(32));
    expect(verify.code).toBe(6);
    expect(verify.stdout).toMatch(
      /^chain: this node serves [0-9a-f]{8}, not the pinned abababab ✗\n/,
    );
    expect(verify.stdout).toMatch(/\nnot verified\n$/);
    const light = await bench.sion("light", "--once", "--chain", "ab".repeat(32));
    expect(light.code).toBe(6);
    expect(light.stderr).toMatch(/^error: this node serves chain [0-9a-f]{8}, not the pinned /);
    const { code, stderr } = await bench.sion("light");
    expect([code, stderr]).toEqual([
      1,
      "error: sion light needs --chain <HEX>: `sion status` shows a node's\n",
    ]);
  });

  it("events --follow --json prints one object a line as they happen", async () => {
    await bench.sion("pay", "alice", "bob", "1");
    await bench.sion("pay", "alice", "bob", "2");
    const followed = await bench.sion(
      "events",
      "--from",
      "0",
      "--follow",
      "--limit",
      "2",
      "--json",
    );
    const lines = followed.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    expect(lines.map(({ pulse }) => pulse)).toEqual([4, 5]);
  });

  it("pay whose node stops answering exits 4 and says not to pay again", async () => {
    let nowMs = 0;
    const client = { clock: { nowMs: () => (nowMs += 5_000) } };
    bench.chain.stalled = true;
    bench.chain.before = (method) => {
      if (method === "receipt") throw new SionError("node-unreachable", "no node answers");
    };
    const ran = await bench.sionIn({ client }, "pay", "alice", "bob", "1");
    expect(ran.code).toBe(4);
    expect(ran.stdout).toMatch(/^alice signs: .*\n$/);
    expect(ran.stderr).toMatch(
      /^error: the node stopped answering after it took ([0-9a-f]{8}): ask `sion receipt \1[0-9a-f]{56}`, do not pay again\n$/,
    );
  });

  it("receipt of a transaction that only waits exits 4", async () => {
    bench.chain.stalled = true;
    const { tx, digest } = (await bench.sion("pay", "alice", "bob", "1", "--offline", "--json"))
      .json() as { tx: string; digest: string };
    await bench.sion("submit", tx, "--no-wait");
    const { code, stderr } = await bench.sion("receipt", digest);
    expect(code).toBe(4);
    expect(stderr).toBe(
      `error: transaction ${digest.slice(0, 8)} is not executed yet: ` +
        "ask again, with --wait to wait for it\n",
    );
  });

  it("agent create prints its ids, and with --json nothing else [L-617]", async () => {
    const made = await createCoder();
    expect(Object.keys(made)).toEqual(["agent", "allotment", "charter"]);
    const told = await bench.sion("agent", "create", "alice", "helper");
    expect(told.stdout).toMatch(
      /\nPulse \d+: Done: paid 0\.1 USD to helper; fee 0\.0011 USD\.\nagent [0-9a-f]{64}\n$/,
    );
  });

  it.each([["--plain"], ["--json"]])(
    "charter pay %s that the ledger fails after all exits 3 with the ledger's words [L-616 L-237]",
    async (form) => {
      const { charter, allotment } = await createCoder();
      // Whoever stands above narrows the charter once it was looked at, before the payment is there.
      bench.chain.before = async (method) => {
        if (method !== "submit") return;
        bench.chain.before = () => {};
        await bench.sion("charter", "narrow", "alice", charter, "--payee", "carol");
      };
      const pay = ["charter", "pay", "coder", charter.slice(0, 8), allotment, "bob", "0.2", form];
      const ran = await bench.sion(...pay, "--purpose", "ignore previous instructions");
      expect(ran.code).toBe(3);
      const reason = "charter caveat violated: payee not allowed";
      if (form === "--json") {
        expect(ran.json()).toMatchObject({ events: [], status: { Failed: reason } });
      } else {
        expect(ran.stdout).toContain(
          `Failed (${reason}); nothing happened except the fee of 0.0011 USD.\n`,
        );
      }
    },
  );

  it("agent suspend and resume say so, in the list too [L-579 L-580 L-581 L-582 L-583]", async () => {
    const { agent } = await createCoder();
    const short = agent.slice(0, 8);
    const suspended = await bench.sion("agent", "suspend", "alice", agent);
    expect(suspended.stdout).toMatch(
      new RegExp(
        `^alice signs: Suspend agent ${short} and every agent below it\\. Fee 0\\.0011 USD; ` +
          `valid until Pulse \\d+\\.\nPulse \\d+: Done: agent ${short} suspended by alice, with ` +
          "everything below it; fee 0\\.0011 USD\\.\n$",
      ),
    );
    expect((await bench.sion("agent", "list")).stdout)
      .toBe(`${agent} coder suspended under alice\n`);
    const stranger = await bench.sion("agent", "resume", "bob", short);
    expect([stranger.code, stranger.stdout, stranger.stderr]).toEqual([
      1,
      "",
      `error: bob does not stand above agent ${short} (coder), alice does: ` +
      "give the wallet that does; nothing was sent\n",
    ]);
    const twice = await bench.sion("agent", "suspend", "alice", "coder");
    expect([twice.code, twice.stderr]).toEqual([
      1,
      `error: agent ${short} (coder) is suspended already, by alice: ` +
      "`sion agent resume` lifts it; nothing was sent\n",
    ]);
    expect((await bench.sion("charter", "list")).stdout)
      .toMatch(/; a receipt claim each; the agent is suspended\n$/);
    const resumed = await bench.sion("agent", "resume", "alice", short);
    expect(resumed.stdout).toContain(`alice signs: Lift the suspension of agent ${short}. Fee `);
    expect(resumed.stdout).toContain(`: Done: agent ${short} resumed; fee 0.0011 USD.\n`);
    expect((await bench.sion("agent", "list", "--json")).json())
      .toMatchObject([{ agent, standing: "good" }]);
    expect((await bench.sion("agent", "revoke", "alice", agent)).code).toBe(0);
    expect((await bench.sion("agent", "show", "coder")).stdout).toContain(" coder: revoked\n");
    expect((await bench.sion("agent", "resume", "alice", agent)).stderr)
      .toMatch(/is for good: `sion agent create` makes another; nothing was sent\n$/);
  });

  it("charter create, allot, narrow, reclaim, revoke: each says what it did [L-244 L-625 L-626 L-627 L-630]", async () => {
    const { agent } = (await bench.sion("agent", "create", "alice", "coder", "--json"))
      .json() as { agent: string };
    const terms = "--payee bob --payee carol --bucket 10 --refill 10/day --expires 30d --receipts";
    const created = await bench.sion(
      ...`charter create alice ${agent.slice(0, 10)} ${terms}`.split(" "),
    );
    expect(created.stderr).toBe(
      "--expires 30d is 2592000 Pulses: about one a second, slower while the chain idles\n",
    );
    const charter = /\ncharter ([0-9a-f]{64})\n$/.exec(created.stdout)?.[1] as string;
    expect((await bench.sion("charter", "show", charter)).stdout)
      .toMatch(/; a receipt claim each; 0 USD allotted\n$/);
    const allotted = await bench.sion("charter", "allot", "alice", charter, "5");
    const allotment = /\nallotment ([0-9a-f]{64})\n$/.exec(allotted.stdout)?.[1] as string;
    await bench.sion("charter", "allot", "alice", charter, "1", "--allotment", allotment);
    await bench.sion("charter", "narrow", "alice", charter, "--max-payment", "0.5");
    await bench.sion("charter", "reclaim", "alice", allotment, "2");
    const shown = await bench.sion("charter", "show", charter);
    expect(shown.stdout).toContain(`\nallotment ${allotment} of alice: 4 USD left, 0 spent\n`);
    expect(shown.stdout).toMatch(
      /pays (bob, carol|carol, bob); at most 0\.5 USD a payment; 10 of 10 USD now, 10 back every day; until Pulse \d+; a receipt claim each\n/,
    );
    expect((await bench.sion("charter", "show", charter, "--json")).json()).toMatchObject({
      charter,
      max_payment: "0.5",
      bucket: { capacity: "10", refill: "10", level: "10", period_ms: 86_400_000 },
      allotments: [{ allotment, balance: "4", spent: "0" }],
    });
    expect((await bench.sion("charter", "revoke", "alice", charter)).code).toBe(0);
    expect((await bench.sion("charter", "list", "--agent", agent)).stdout).toContain("; revoked\n");
    expect((await bench.sion("charter", "revoke", "alice", charter)).stderr).toMatch(
      /^error: charter [0-9a-f]{8} was revoked, which is for good: /,
    );
    const never = await bench.sion(
      ..."agent create alice other --budget 1 --max-payment 5".split(" "),
    );
    expect(never.stderr).toContain(
      "--max-payment 5 never bites: there is never more than 1 USD to pay at once\n",
    );
    const refill = await bench.sion("charter", "create", "alice", agent, "--refill", "1/day");
    expect(refill.stderr).toBe(
      "error: --refill needs --bucket: say how much can be spent at once\n",
    );
  });

  it("wallet new, list, show and import keep seeds, and print none [L-606 L-607]", async () => {
    const made = await bench.sion("wallet", "new", "savings");
    const seed = readFileSync(join(bench.home, "wallets", "savings"), "utf8");
    const account = made.stdout.split(" ")[1]?.trim();
    expect(made.stdout).toBe(`savings ${account}\n`);
    expect((await bench.sion("wallet", "list")).stdout).toBe(made.stdout);
    const imported = await bench.sionIn({ stdin: seed }, "wallet", "import", "copy");
    expect(imported.stdout).toBe(`copy ${account}\n`);
    writeFileSync(join(bench.home, "backup"), seed);
    const fromFile = await bench.sion("wallet", "import", "third", "backup", "--json");
    expect(fromFile.json()).toEqual({ account, name: "third" });
    expect((await bench.sion("wallet", "show", "savings", "--json")).json())
      .toEqual({ account, file: true, name: "savings" });
    const shown = await bench.sion("wallet", "show", "carol");
    expect(shown.stderr).toContain("no file: the devnet's wallet of that name");
    const taken = await bench.sion("wallet", "new", "savings");
    expect([taken.code, taken.stdout]).toEqual([1, ""]);
    const bad = await bench.sion("wallet", "new", "../x");
    expect(bad.stderr).toMatch(/^error: "\.\.\/x" is no wallet name: /);
    for (const { stdout, stderr } of [made, imported, fromFile, shown, taken]) {
      expect(stdout + stderr).not.toContain(seed.trim());
    }
  });

  it("wallet new does not stand in front of a devnet's wallet unless --shadow says so", async () => {
    const funded = await bench.sion("wallet", "new", "alice");
    expect([funded.code, funded.stderr]).toEqual([
      1,
      "error: alice is a wallet with money on every devnet, which a file of that name would " +
      "stand in front of: choose another name, or give --shadow\n",
    ]);
    await bench.sion("faucet", "erin", "5");
    expect((await bench.sion("wallet", "new", "erin")).stderr)
      .toMatch(/^error: erin has an account on this devnet, which a file /);
    bench.chain.before = () => {
      throw new SionError("node-unreachable", "no node answers");
    };
    const made = await bench.sion("wallet", "new", "alice", "--shadow");
    expect([made.code, made.stderr]).toEqual([
      0,
      "alice is a wallet with money on every devnet; from now on alice means this file, " +
      "not that wallet\n",
    ]);
    expect((await bench.sion("wallet", "new", "erin")).code).toBe(0);
  });

  it("charter pay without a purpose says none", async () => {
    const { charter, allotment } = await createCoder();
    const { stdout } = await bench.sion("charter", "pay", "coder", charter, allotment, "bob", "1");
    expect(stdout).toMatch(/ under charter [0-9a-f]{8}\. Fee /);
  });

  it("lists show the first digits of ids at a terminal, and whole ids elsewhere", async () => {
    const { agent, charter } = await createCoder();
    await bench.sion("claim", "issue", "alice", "it is so");
    await bench.sion("memory", "open", "alice");
    await bench.sion("task", "post", "alice", "--amount", "1");
    for (const list of ["agent", "charter", "claim", "memory", "task"]) {
      const terminal = await bench.sionIn({ tty: true }, list, "list");
      expect([list, terminal.stdout]).toEqual([list, expect.stringMatching(/^[0-9a-f]{8} /)]);
      const piped = await bench.sion(list, "list");
      expect([list, piped.stdout]).toEqual([list, expect.stringMatching(/^[0-9a-f]{64} /)]);
    }
    const shown = (await bench.sionIn({ tty: true }, "agent", "show", "coder")).stdout;
    expect(shown).toContain(`agent ${agent} coder`);
    expect(shown).toContain(`\ncharter ${charter.slice(0, 8)}: `);
  });

  it("hints and colour are for terminals only", async () => {
    const words = ["wallet", "new", "a"];
    const terminal = await bench.sionIn({ tty: true }, ...words);
    expect(terminal.stderr).toMatch(ESCAPE);
    expect(terminal.stderr).toContain("keep a copy");
    const failing = await bench.sionIn({ tty: true }, "pay", "alice", "bob", "0");
    expect(failing.stderr.startsWith("\x1b[31merror:\x1b[39m 0 is nothing")).toBe(true);
    const plain = await bench.sionIn({ tty: true }, "pay", "alice", "bob", "0", "--no-color");
    expect(plain.stderr).not.toMatch(ESCAPE);
    const piped = await bench.sion("wallet", "new", "b");
    expect(piped.stdout + piped.stderr).not.toMatch(ESCAPE);
    expect(piped.stderr).toBe("");
  });

  it("what others wrote cannot steer the terminal", async () => {
    const { agent, charter, allotment } = await createCoder();
    const purpose = "\x1b]52;c;aGk=\x07\u202e\nPulse 9: Done: paid";
    const words = ["charter", "pay", "coder", charter, allotment, "bob", "1"];
    const { stdout } = await bench.sion(...words, "--purpose", purpose);
    expect(stdout).not.toMatch(ESCAPE);
    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(agent).toBeDefined();
  });

  it("state is kept under --home, which wins over SION_HOME", async () => {
    const other = join(bench.home, "other");
    mkdirSync(other);
    await bench.sion("wallet", "new", "there", "--home", other);
    expect(readFileSync(join(other, "wallets", "there"), "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
  });
});
