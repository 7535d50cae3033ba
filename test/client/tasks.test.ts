/** Tasks of a client: posted, attested, handed in, settled; and what is refused before it is signed. */
import { beforeEach, describe, expect, it } from "vitest";
import type { NewTask } from "#internal/client/mod.ts";
import { RELEASE_PULSES, utf8 } from "#internal/core/mod.ts";
import { USD, useBench } from "./bench.ts";

const OUTPUT = utf8("17");
/** SHA-256 of `17`. */
const OUTPUT_HASH = "4523540f1504cd17100c4835e85b7eefd49911580f8efff0599a8f283be6b9e3";

describe("tasks", () => {
  const bench = useBench();
  const act = async (wallet: string, kind: string, body: object): Promise<string> => {
    const [outcome] = await bench.client.transact({ wallet, actions: [{ kind, body }] });
    expect(outcome?.status).toBe("Success");
    return outcome?.made[0] ?? "";
  };
  const bond = (wallet: string, label: string, usd: bigint) =>
    act(wallet, "bond_post", { label, amount: usd * USD });
  const post = async (some: Partial<NewTask> = {}): Promise<string> => {
    const { task = "" } = await bench.client.tasks.post({
      wallet: "alice",
      amount: 5n * USD,
      worker: "bob",
      verifiers: ["dana"],
      adjudicator: "carol:judge",
      ...some,
    });
    return task;
  };
  const bonds = async (): Promise<void> => {
    await bond("bob", "task-worker", 1n);
    await bond("dana", "verifier", 20n);
    await bond("carol", "judge", 50n);
  };
  beforeEach(async () => {
    for (const to of ["bob", "carol", "dana"]) {
      await bench.client.pay({ from: "alice", to, amount: 60n * USD });
    }
  });

  it("go from posting to payment on a verifier's word [L-347 L-369 L-370 L-377 L-383 L-390 L-392]", async () => {
    await bonds();
    const { tasks } = bench.client;
    const task = await post({ spec: utf8("abc") });
    const shown = await tasks.show(task.slice(0, 12));
    expect(shown).toMatchObject({
      adjudicator: { account: await bench.chain.accountOf("carol"), label: "judge" },
      deadline: shown.posted + 1000,
      detection_permille: 900,
      escrow: "5",
      kappa: "2",
      paid: null,
      poster: await bench.chain.accountOf("alice"),
      reliance_pulses: 1000,
      spec: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      state: "open",
      verifiers: [await bench.chain.accountOf("dana")],
      worker: await bench.chain.accountOf("bob"),
    });
    const { claim: attestation = "" } = await tasks.attest({
      ...{ wallet: "dana", task: task.slice(0, 8), output: OUTPUT },
    });
    const { claim: result = "" } = await tasks.submit({
      ...{ wallet: "bob", task, output: OUTPUT, attestations: [attestation.slice(0, 10)] },
    });
    const { object } = await bench.client.object("claim", result);
    expect(object).toMatchObject({
      schema: "task-result/v1",
      subject: `task ${task} output ${OUTPUT_HASH}`,
      valid_until: null,
      detection_permille: 900,
    });
    const settled = await tasks.settle({ wallet: "bob", task, result: result.slice(0, 10) });
    expect(settled.status).toBe("Success");
    expect(settled.events).toMatchObject([
      { TaskPaid: { reserved: [[result, 1_000_000], [attestation, 9_000_000]] } },
    ]);
    expect(await tasks.list({ worker: "bob" })).toMatchObject([
      { task, state: "paid", paid: { result, worker: await bench.chain.accountOf("bob") } },
    ]);
    expect(await tasks.list({ poster: "bob" })).toEqual([]);
    await expect(tasks.settle({ wallet: "bob", task, result })).rejects.toThrow(
      `task ${task.slice(0, 8)} is paid already: nothing was sent`,
    );
  });

  it("name their adjudicator by its atom's id too [L-355]", async () => {
    await bonds();
    const [judge] = await bench.client.objects("bond", {
      member: "account",
      equals: await bench.chain.accountOf("carol"),
    });
    const atom = judge?.object["adjudicator_atom"] as string;
    for (const adjudicator of [atom, atom.slice(0, 8)]) {
      const task = await post({ adjudicator });
      expect((await bench.client.tasks.show(task)).adjudicator).toMatchObject({ atom });
    }
    await expect(post({ adjudicator: "0".repeat(64) })).rejects.toThrow(
      /names no adjudicator: give an account and the label of its bond, like carol:judge$/,
    );
    await expect(post({ adjudicator: "carol:nothing" })).rejects.toThrow(
      "carol has no bond nothing: post it with `sion bond post carol nothing 20`",
    );
  });

  it("are refused before anything is signed where they cannot succeed [L-376 L-384]", async () => {
    const { tasks } = bench.client;
    const refuses = async (call: Promise<unknown>, words: string | RegExp): Promise<void> => {
      await expect(call).rejects.toThrow(words);
    };
    await bond("carol", "judge", 50n);
    await refuses(post({ charter: "11".repeat(32) }), "given both or not at all");
    await refuses(post({ kappa: 10n ** 13n }), "a safety factor is 0.000001 to 1000000: nothing");
    await refuses(post({ verifiers: ["bob"] }), "a worker cannot verify its own result");
    await refuses(post({ requires: ["11".repeat(32)] }), "the ledger has no claim 11111111");
    const { claim: note = "" } = await bench.client.issueClaim({ issuer: "dana", subject: "x" });
    await act("dana", "claim_revoke", { claim: note });
    await refuses(post({ requires: [note] }), `claim ${note.slice(0, 8)} is revoked: nothing can`);

    const task = await post({ deadlinePulses: 3000 });
    const given = { task, output: OUTPUT };
    await refuses(tasks.attest({ ...given, wallet: "bob" }), "bob is no verifier of task");
    await refuses(tasks.attest({ ...given, wallet: "dana" }), "dana has no bond verifier");
    await bond("dana", "verifier", 1n);
    await act("dana", "bond_release", { label: "verifier", amount: USD });
    for (let left = RELEASE_PULSES; left > 0n; left--) bench.chain.executePulse();
    await act("dana", "bond_release", { label: "verifier", amount: null });
    await refuses(
      tasks.attest({ ...given, wallet: "dana" }),
      "bond dana:verifier holds nothing: add to it with `sion bond add dana verifier 20`; nothing",
    );
    await refuses(tasks.submit({ ...given, wallet: "bob" }), "bob has no bond task-worker");
    await refuses(tasks.submit({ ...given, wallet: "dana" }), "is not for dana");
    await bond("bob", "task-worker", 1n);
    const { claim: result = "" } = await tasks.submit({ ...given, wallet: "bob" });
    const settle = { wallet: "bob", task, result };
    await refuses(
      tasks.settle(settle),
      "the result would not be paid: cost of corruption 0.9 (after detection discount 900/1000) " +
        "is below κ·V = 10; nothing was sent",
    );
    await refuses(
      tasks.settle({ ...settle, result: note }),
      "hand a result in with `sion task submit`; nothing was sent",
    );
    await refuses(tasks.refund({ wallet: "alice", task }), "take its escrow back after that");
    const { sequence } = await bench.client.rpc.account({
      account: await bench.chain.accountOf("bob"),
    });
    expect(sequence).toBe(2n);
  });

  it("give back what nobody earned in time [L-637]", async () => {
    await bond("carol", "judge", 50n);
    const task = await post({ deadlinePulses: 1, worker: undefined });
    await bench.client.pay({ from: "alice", to: "bob", amount: 1n });
    await bench.client.pay({ from: "alice", to: "bob", amount: 1n });
    await expect(
      bench.client.tasks.submit({ wallet: "bob", task, output: OUTPUT }),
    ).rejects.toThrow("could be settled until Pulse");
    const { receipt } = await bench.client.tasks.refund({ wallet: "alice", task });
    expect(receipt).toBe(
      `Done: 5 USD of task ${task.slice(0, 8)} taken back; fee 0.0011 USD.`,
    );
    const { state, refunded } = await bench.client.tasks.show(task);
    expect([state, typeof refunded]).toEqual(["refunded", "number"]);
  });
});
