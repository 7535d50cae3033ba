/** What commands of tasks print, against the real ledger behind a fake node. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useBench } from "./bench.ts";

describe("sion task", () => {
  const bench = useBench();
  const run = async (line: string) => {
    const { code, stdout, stderr } = await bench.sion(...line.split(" "));
    expect([line, code, stderr]).toEqual([line, 0, ""]);
    return stdout;
  };
  const last = (text: string): string => text.trim().split("\n").at(-1)?.split(" ").at(-1) ?? "";

  it("post, attest, submit, settle: each says what it did [L-368 L-636 L-639]", async () => {
    for (const to of ["carol", "dana"]) await run(`faucet ${to} 60`);
    await run("bond post bob task-worker 1");
    await run("bond post dana verifier 20");
    await run("bond post carol judge 50");
    const file = join(bench.home, "task.md");
    writeFileSync(file, "abc");
    const posted = await run(
      "task post alice --amount 5 --worker bob --verifier dana --adjudicator carol:judge " +
        `--spec-file ${file} --deadline 200 --reliance 300 --kappa 1.5 --detection 800`,
    );
    expect(posted).toMatch(
      /^alice signs: Post a task of 5 USD for bob, described by ba7816bf, to be settled within 200 Pulses, attested by dana or not at all, judged by carol with bond judge, noticed at most 800 times in 1000, backed by 1\.5 times the payment, which stays reserved for 300 Pulses\. Fee/,
    );
    const task = last(posted);
    const shown = await run(`task show ${task.slice(0, 8)}`);
    expect(shown).toMatch(
      new RegExp(
        `^task ${task} of alice, for bob: 5 USD, open until Pulse \\d+\n` +
          "described by text with SHA-256 ba7816bf[0-9a-f]{56}\n" +
          "attestations count of dana\n" +
          "judged by carol with bond judge\n" +
          "backed 1\\.5 times, noticed at most 800 times in 1000, reserved for 300 Pulses after " +
          "payment\n$",
      ),
    );
    const attestation = last(await run(`task attest dana ${task} --output 17`));
    const handed = `task submit bob ${task} --output 17 --attestation ${attestation}`;
    const result = last(await run(handed));
    expect(await run("task list --open")).toMatch(
      new RegExp(`^${task} alice 5 USD for bob: open until Pulse \\d+\n$`),
    );
    const output = "4523540f1504cd17100c4835e85b7eefd49911580f8efff0599a8f283be6b9e3";
    expect(await run(`task show ${task.slice(0, 8)}`)).toContain(
      `after payment\nattestation ${attestation} of dana: output ${output} of bob\n` +
        `result ${result} of bob: output ${output}\n`,
    );
    expect(JSON.parse(await run(`task show ${task} --json`))).toMatchObject({
      attestations: [{ claim: attestation, output, status: "Active" }],
      results: [{ claim: result, output, status: "Active", worker: null }],
    });
    expect(await run(`task settle bob ${task} ${result}`)).toMatch(
      /Done: task [0-9a-f]{8} paid 5 USD to bob; 7\.5 USD of what backs result [0-9a-f]{8} reserved until Pulse \d+; fee 0\.0011 USD\.\n$/,
    );
    expect(await run("task list --worker bob")).toMatch(
      /: paid to bob at Pulse \d+ for result [0-9a-f]{8}, backing reserved until Pulse \d+\n$/,
    );
    const again = await bench.sion("task", "settle", "bob", task, result);
    expect([again.code, again.stdout]).toEqual([1, ""]);
    expect(again.stderr).toContain("is paid already");
    expect(JSON.parse(await run(`task show ${task} --json`))).toMatchObject({
      escrow: "5",
      kappa: "1.5",
      state: "paid",
      task,
    });
  });

  it("post of an agent, bounties and refunds say where money is [L-354 L-637]", async () => {
    const { charter, allotment } = JSON.parse(
      await run("agent create alice coder --budget 10 --json"),
    ) as { charter: string; allotment: string };
    const posted = await run(
      `task post coder --amount 4 --deadline 1 --charter ${charter.slice(0, 8)} ` +
        `--allotment ${allotment.slice(0, 8)}`,
    );
    const task = last(posted);
    expect(await run(`task show ${task}`)).toMatch(
      /of (coder|[0-9a-f]{8}), a bounty: 4 USD/,
    );
    expect(await run(`task show ${task}`)).toContain(
      `paid from allotment ${allotment.slice(0, 8)}`,
    );
    await run("pay alice bob 1");
    await run("pay alice bob 1");
    expect(await run(`task list`)).toContain(": its poster can take the money back\n");
    expect(await run(`task refund alice ${task}`)).toContain(
      `Done: 4 USD of task ${task.slice(0, 8)} taken back into allotment ${
        allotment.slice(0, 8)
      }; fee`,
    );
    expect(await run(`task show ${task}`)).toMatch(/4 USD, taken back at Pulse \d+\n/);
  });

  it("attest and submit ask for one output [L-373 L-380]", async () => {
    const none = await bench.sion("task", "submit", "bob", "11".repeat(32));
    expect([none.code, none.stderr]).toEqual([
      1,
      "error: no output is given: add --output TEXT, or --output-file FILE\n",
    ]);
    const both = await bench.sion(
      ...["task", "attest", "dana", "11".repeat(32), "--output", "17", "--output-file", "x"],
    );
    expect(both.stderr).toContain("--output and --output-file are both given: give one");
    const bounty = await bench.sion("task", "list");
    expect(bounty.stderr).toContain("no tasks: `sion task post` makes one");
  });
});
