/** Claims from the command line, as programs at a devnet: from a bond to what its slashing pays. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programCommand } from "../programs.ts";
import { runWith, signalTo, start } from "./_child.ts";
import type { Child, Ended } from "./_child.ts";

let folder = "";
let devnet: Child;
let node = "";

function command(...words: string[]): [string, ...string[]] {
  return [...programCommand("sion"), ...words, "--home", join(folder, "home")];
}

async function sion(...words: string[]): Promise<Ended> {
  return await runWith("", command(...words, "--node", node));
}

type Fields = Record<string, unknown>;

/** The value that a command prints, and its exit code. */
async function json(...words: string[]): Promise<{ code: number | null; value: Fields }> {
  const { code, stdout, stderr } = await sion(...words, "--json");
  if (stdout === "") throw new Error(`${words.join(" ")}: ${stderr}`);
  return { code, value: JSON.parse(stdout) as Fields };
}

async function balanceOf(account: string): Promise<number> {
  const { value } = await json("balance", account);
  return Number((value["balances"] as { amount: string }[])[0]?.amount);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sion-claims-"));
  devnet = start(command("devnet", "--listen", "127.0.0.1:0", "--json", "--insecure-signatures"));
  await devnet.until(() => devnet.stdout().includes("\n"));
  ({ node } = JSON.parse(devnet.stdout()) as { node: string });
});

afterAll(async () => {
  signalTo(devnet, "SIGTERM");
  await devnet.ended;
  rmSync(folder, { recursive: true, force: true });
});

describe("sion bond and sion claim", () => {
  it("a claim is backed, relied on, disputed and found false, and who relied on it is paid [L-165 L-166 L-182 L-210 L-213 L-398 L-399 L-634 L-635 L-651]", async () => {
    const posted = await sion("bond", "post", "dana", "tests", "100");
    expect([posted.code, posted.stdout]).toEqual([
      0,
      expect.stringMatching(
        /Done: 100 USD at stake as bond tests; fee [\d.]+ USD\.\nbond [0-9a-f]{64}\n$/,
      ),
    ]);
    await json("bond", "post", "carol", "judge", "300");
    const issued = await json(
      ...["claim", "issue", "dana", "Build 12 is clean", "--bond", "tests"],
      ...["--judge", "carol:judge", "--valid-for", "2000"],
    );
    const claim = issued.value["claim"] as string;
    expect(claim).toMatch(/^[0-9a-f]{64}$/);
    const short = claim.slice(0, 8);

    const accepted = await sion("claim", "assess", short, "--value", "40");
    expect(accepted.code).toBe(0);
    expect(accepted.stdout.split("\n").map((line) => line.replace(/ [0-9a-f]{64}/, ""))).toEqual([
      "Build 12 is clean (active)",
      "atom ml-dsa-44: trusted",
      "atom slh-dsa-sha2-128f: trusted",
      "atom bond dana:tests: 100 USD to corrupt",
      "atom adjudicator carol:judge: 300 USD to corrupt",
      "rely on it: cost of corruption 100 covers κ·V = 80",
      "",
    ]);

    const { value } = await json("claim", "assess", short, "--value", "40");
    const [first, second] = value["atoms"] as { id: string }[];
    const careful = await json(
      ...["claim", "assess", short, "--value", "40", "--kappa", "3"],
      ...["--distrust", first?.id ?? "", "--distrust", second?.id.slice(0, 8) ?? ""],
    );
    expect(careful.code).toBe(6);
    expect(careful.value["decision"]).toMatchObject({
      accept: false,
      reasons: [
        "cost of corruption 0 (after detection discount 1000/1000) is below κ·V = 120",
        "only 0 of backing is unreserved; κ·V = 120 is needed",
      ],
    });

    const reserved = await sion("claim", "reserve", "dana", short, "bob", "40", "--for", "500");
    expect(reserved.stdout).toContain(
      `Done: 40 USD of what backs claim ${short} reserved for bob for 500 Pulses; fee`,
    );
    const full = await json("claim", "assess", short, "--value", "40");
    expect([full.code, full.value["decision"]]).toEqual([
      6,
      expect.objectContaining({
        reasons: ["only 60 of backing is unreserved; κ·V = 80 is needed"],
      }) as unknown,
    ]);
    const beyond = await json("bond", "release", "dana", "tests", "61");
    expect([beyond.code, beyond.value["error"]]).toEqual([
      1,
      "only 60 USD of bond tests is free: ask for less; nothing was sent",
    ]);
    expect((await json("bond", "release", "dana", "tests", "10")).code).toBe(0);
    const shown = await sion("bond", "show", "dana");
    expect(shown.stdout.split("\n").slice(1)).toEqual([
      expect.stringMatching(new RegExp(`^40 USD held for bob until Pulse \\d+ on claim ${short}$`)),
      expect.stringMatching(/^10 USD can be taken from Pulse \d+ on$/),
      "",
    ]);
    expect((await json("claim", "dispute", "alice", short)).value["error"]).toBe(
      `nothing is reserved for alice on claim ${short}: only who relies on it may dispute it; ` +
        "nothing was sent",
    );
    expect((await json("claim", "dispute", "bob", short, "--reason", "it was not")).code).toBe(0);
    const disputed = await json("claim", "assess", short, "--value", "1");
    expect([disputed.code, disputed.value["status"]]).toEqual([6, "Disputed"]);

    const before = await balanceOf("bob");
    expect((await json("claim", "judge", "dana", short, "false")).value["error"]).toBe(
      `only the adjudicator of claim ${short} may judge it: give the wallet that is; ` +
        "nothing was sent",
    );
    const judged = await sion("claim", "judge", "carol", short, "false", "--reason", "looked");
    expect(judged.stdout).toContain(`Done: claim ${short} found false, 100 USD slashed; fee`);
    expect(await balanceOf("bob")).toBeCloseTo(before + 40, 6);
    const refuted = await json("claim", "assess", short, "--value", "1");
    expect([refuted.code, refuted.value["status"]]).toEqual([6, "Refuted"]);
    const { stdout } = await sion("bond", "show", "dana", "tests");
    expect(stdout).toMatch(/tests: 0 USD, 0 unreserved, 100 slashed so far\n$/);
  });

  it("a claim that its issuer would judge is told so", async () => {
    await sion("bond", "post", "dana", "own", "10");
    const { value } = await json("claim", "issue", "dana", "It holds", "--judge", "dana:own");
    const assess = ["claim", "assess", value["claim"] as string, "--value", "1"];
    expect((await sion(...assess)).stdout).toMatch(/\nits judge is its issuer\n$/);
    expect((await json(...assess)).value).not.toHaveProperty("judge");
  });

  it("claims are listed, shown and taken back, and errors say what to do [L-634]", async () => {
    const { value } = await json("claim", "issue", "alice", "Invoice 88 was paid in full");
    const claim = value["claim"] as string;
    const shown = await sion("claim", "show", claim.slice(0, 8));
    expect(shown.stdout.replaceAll(/Pulse \d+/g, "Pulse n").split("\n")).toEqual([
      `claim ${claim} of alice: Active`,
      "note/v1: Invoice 88 was paid in full",
      "rests on all of (ml-dsa-44, slh-dsa-sha2-128f)",
      "issued at Pulse n, valid until Pulse n",
      "",
    ]);
    expect((await sion("claim", "revoke", "alice", claim.slice(0, 8))).stdout).toContain(
      `Done: claim ${claim.slice(0, 8)} revoked; fee`,
    );
    const listed = await sion("claim", "list", "--issuer", "alice");
    expect(listed.stdout).toBe(`${claim} alice Revoked: Invoice 88 was paid in full\n`);
    const unsaid = await sion("claim", "assess", claim);
    expect([unsaid.code, unsaid.stderr]).toEqual([
      1,
      "error: sion claim assess needs --value: say what you stand to lose, in USD\n",
    ]);
    const nobody = await sion("claim", "issue", "alice", "x", "--judge", "carol");
    expect(nobody.stderr).toBe(
      "error: --judge carol names no adjudicator: write it like carol:judge\n",
    );
  });
});
