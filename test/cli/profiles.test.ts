/** What commands of profiles and their tokens print, against the real ledger behind a fake node. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemRandom } from "#internal/runtime/mod.ts";
import { openProfileTokens } from "#internal/store/mod.ts";
import { useBench } from "./bench.ts";

const TURNS = [
  { calls: [{ tool: "ledger_pay", input: { amount: "1", purpose: "invoice 7", to: "bob" } }] },
  { say: "Paid." },
];

describe("sion agent profile", () => {
  const bench = useBench();
  const sion = (line: string) => bench.sion(...line.split(" "));
  const ok = async (line: string) => {
    const { code, stdout, stderr } = await sion(line);
    expect([line, code, stderr]).toEqual([line, 0, ""]);
    return stdout;
  };

  async function createCoder(): Promise<string> {
    writeFileSync(join(bench.home, "turns.json"), JSON.stringify(TURNS));
    const created = await ok("agent create alice coder --budget 10 --payee bob --json");
    return (JSON.parse(created) as { agent: string }).agent;
  }

  const addLead = (agent: string, more = "") =>
    ok(`agent profile add lead coder ${agent} --model script:turns.json --autonomy L5${more}`);

  it("add, show, list, set and remove keep an agent's options under a name [A-589 A-590 A-630]", async () => {
    const agent = await createCoder();
    const more = ` lead coder ${agent} --model script:turns.json --instructions @notes.txt`;
    const missing = await sion(`agent profile add${more}`);
    expect(missing.stderr).toContain("the instructions in");
    writeFileSync(join(bench.home, "notes.txt"), "Be brief.");
    expect(await addLead(agent.slice(0, 8), " --memory --instructions @notes.txt"))
      .toBe(`profile lead is agent ${agent} of wallet coder\n`);
    const model = `script:${join(bench.home, "turns.json")}`;
    const options = `  --autonomy L5\n  --instructions @${join(bench.home, "notes.txt")}\n`;
    expect(await ok("agent profile show lead")).toBe(
      `profile lead\nagent ${agent} of wallet coder\n${options}  --memory\n  --model ${model}\n`,
    );
    expect(await ok("agent profile list")).toBe(`lead agent ${agent} of coder, L5: ${model}\n`);
    expect(await ok("agent profile set lead --autonomy L6 --without memory --tasks")).toBe(
      `profile lead is agent ${agent} of wallet coder\n` +
        `${options.replace("L5", "L6")}  --model ${model}\n  --tasks\n`,
    );
    expect(JSON.parse(await ok("agent profile show lead --json"))).toEqual({
      agent,
      name: "lead",
      options: {
        autonomy: "L6",
        instructions: `@${join(bench.home, "notes.txt")}`,
        model: [model],
        tasks: true,
      },
      tokens: [],
      wallet: "coder",
    });
    expect(await ok("agent profile remove lead")).toBe("removed profile lead\n");
    const none = await sion("agent profile list");
    expect([none.stdout, none.stderr]).toEqual([
      "",
      "no profiles here yet: `sion agent profile add` keeps one\n",
    ]);
  });

  it("checks everything before anything is kept", async () => {
    const agent = await createCoder();
    for (
      const [line, sentence] of [
        [`bob ${agent} --model script:x.json`, "wallet bob does not act for agent"],
        [`coder ${agent} --autonomy L9`, "L9 is no autonomy level: give L0 to L6"],
        [`coder ${agent} --model gpt`, "gpt names no model this sion can ask"],
        [`coder ${agent} --workspace nowhere`, "there is no folder nowhere"],
        [`coder ${agent} --paid-fetch all`, "--paid-fetch all is neither public nor local"],
      ]
    ) {
      const { code, stderr } = await sion(`agent profile add lead ${line}`);
      expect([line, code, stderr]).toEqual([line, 1, expect.stringContaining(sentence as string)]);
    }
    expect((await sion("agent profile list")).stdout).toBe("");
    const bare = await sion(`agent profile add lead coder ${agent}`);
    expect([bare.code, bare.stderr]).toEqual([
      0,
      expect.stringMatching(/^profile lead has no model/),
    ]);
    const again = await sion(`agent profile add lead coder ${agent}`);
    expect(again.stderr).toBe(
      "error: there is a profile lead already: change it with `sion agent profile set lead`\n",
    );
    const slip = await sion("agent profile show laed");
    expect(slip.stderr).toBe(
      "error: there is no profile laed here, did you mean lead: `sion agent profile list` shows " +
        "yours\n",
    );
    const absent = await sion("agent profile set lead --without shel");
    expect([absent.code, absent.stderr]).toEqual([
      1,
      "error: profile lead has no option --shel: `sion agent profile show lead` shows those it " +
      "has\n",
    ]);
  });

  it("run takes agent and options of a profile, and what is given goes first [A-631]", async () => {
    const agent = await createCoder();
    await addLead(agent);
    const waits = await sion("agent run --profile lead --task Pay.");
    expect([waits.code, waits.stdout]).toEqual([
      5,
      expect.stringContaining("(spending at autonomy L5; request "),
    ]);
    const lower = await sion("agent run --profile lead --task Pay. --autonomy L4");
    expect(lower.stdout).toContain("spending is refused at autonomy L4");
    const both = await sion("agent run coder x --profile lead --task Pay.");
    expect(both.stderr).toContain("takes no <wallet> with --profile");
    const neither = await sion("agent run --task Pay.");
    expect(neither.stderr).toContain("sion agent run needs <wallet>");
    const file = join(bench.home, "agents/profiles/lead.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"autonomy"', '"telepathy"'));
    const unknown = await sion("agent run --profile lead --task Pay.");
    expect(unknown.stderr).toContain(
      "profile lead has the option telepathy, which this sion does not know: update sion",
    );
    await ok("agent profile set lead --without telepathy");
    expect((await sion("agent run --profile lead --task Pay.")).stdout).toContain(
      "refused at autonomy L2",
    );
  });

  it("has the most that its sessions run at, which an option lowers and does not raise [A-051]", async () => {
    await addLead(await createCoder());
    const sentence =
      "error: profile lead runs at L5 at most, not at L6: leave --autonomy out, or raise the " +
      "profile's with `sion agent profile set lead --autonomy L6`\n";
    for (const words of ["agent run --profile lead --task Pay.", "agent talk lead"]) {
      const { code, stderr } = await sion(`${words} --autonomy L6`);
      expect([code, stderr]).toEqual([1, sentence]);
    }
    await ok("agent profile set lead --autonomy L6");
    const pays = await sion("agent run --profile lead --task Pay. --autonomy L6");
    expect([pays.code, pays.stdout]).toEqual([0, expect.stringMatching(/: done\n$/)]);
    await ok("agent profile set lead --without autonomy");
    expect((await sion("agent run --profile lead --task Pay. --autonomy L6")).code).toBe(0);
  });

  it("talk opens by a profile's name [A-634]", async () => {
    await addLead(await createCoder());
    const talked = await bench.sionIn({ stdin: "Pay.\n" }, "agent", "talk", "lead");
    expect(talked.stdout).toContain("(spending at autonomy L5; request ");
    const unknown = await sion("agent talk laed");
    expect(unknown.stderr).toContain("there is no profile laed here, did you mean lead");
    expect((await sion("agent talk scout")).stderr).toBe(
      "error: there is no profile scout here: `sion agent profile list` shows yours; of a wallet " +
        "give the agent too, as `sion agent talk scout <agent>`\n",
    );
  });
});

describe("sion agent profile token", () => {
  const bench = useBench();
  const sion = (line: string) => bench.sion(...line.split(" "));

  async function addProfile(name: string): Promise<string> {
    const created = await sion(`agent create alice ${name} --json`);
    const { agent } = created.json() as { agent: string };
    const added = await sion(`agent profile add ${name} ${name} ${agent} --model script:x.json`);
    expect(added.code).toBe(0);
    return agent;
  }

  it("add shows a token once, list and remove know it by its id [C-107 C-108 C-112..C-118]", async () => {
    const [lead, payer] = [await addProfile("lead"), await addProfile("payer")];
    const first = await sion("agent profile token add lead");
    expect(first.stdout).toMatch(
      new RegExp(
        `^token [0-9a-f]{8} for profile lead, agent ${lead.slice(0, 8)} \\(messages only\\); it ` +
          "is shown once, and kept here only as its hash:\nsion_ch_[0-9a-f]{64}\n$",
      ),
    );
    const second = await sion("agent profile token add payer --approve");
    expect(second.stdout).toMatch(
      new RegExp(
        `^token [0-9a-f]{8} for profile payer, agent ${payer.slice(0, 8)} \\(messages, approvals ` +
          "and declines\\); it is shown once, and kept here only as its hash:\nsion_ch_",
      ),
    );
    const ids = [first, second].map(({ stdout }) => stdout.slice(6, 14));
    expect((await sion("agent profile token list")).stdout).toBe(
      `${ids[0]} lead agent ${lead.slice(0, 8)} messages\n` +
        `${ids[1]} payer agent ${payer.slice(0, 8)} messages, approvals\n`,
    );
    expect((await sion("agent profile show payer")).stdout).toContain(
      `token ${ids[1]} messages, approvals\n`,
    );
    const token = second.stdout.trim().split("\n")[1] ?? "";
    const tokens = openProfileTokens(bench.home, { random: systemRandom });
    expect(await tokens.verify(token)).toMatchObject({ agent: payer, approve: true });
    const wrong = await sion(`agent profile token remove lead ${ids[1]}`);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      `error: profile lead has no token ${ids[1]}: \`sion agent profile token list\` shows them\n`,
    ]);
    expect((await sion(`agent profile token remove payer ${ids[1]}`)).stdout).toBe(
      `took token ${ids[1]} of profile payer back\n`,
    );
    expect(await tokens.verify(token)).toBe(undefined);
    expect((await sion("agent profile remove lead")).stdout).toBe(
      "removed profile lead and took its token back\n",
    );
    expect((await sion("agent profile token list")).stdout).toBe("");
  });

  it("add names the agent on a gateway's machine, which has no profile [A-630 C-446 C-448]", async () => {
    const agent = `0d7240c5${"1".repeat(56)}`;
    const none = await sion("agent profile token add lead");
    expect([none.code, none.stderr]).toEqual([
      1,
      "error: there is no profile lead here: `sion agent profile list` shows yours\n",
    ]);
    const made = await sion(`agent profile token add lead --agent ${agent} --json`);
    expect(made.json()).toEqual({
      agent,
      approve: false,
      id: expect.stringMatching(/^[0-9a-f]{8}$/),
      profile: "lead",
      token: expect.stringMatching(/^sion_ch_/),
    });
    const short = await sion("agent profile token add lead --agent 0d7240c5");
    expect(short.stderr).toBe(
      "error: --agent 0d7240c5 is no agent's id: give its 64 hex digits\n",
    );
    await addProfile("payer");
    const other = await sion(`agent profile token add payer --agent ${agent}`);
    expect(other.stderr).toMatch(/^error: profile payer is agent [0-9a-f]{8} here, not 0d7240c5: /);
  });
});
