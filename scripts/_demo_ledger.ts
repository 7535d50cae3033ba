/** The demo's beginning: a chain of its own, and money. */
import { join } from "node:path";
import { expect, microUsd, show, type Step, tell } from "./_demo_stage.ts";
import { startDevnet } from "./_sion.ts";

/** A devnet in the temporary folder, then a grant and a payment between two people. */
export const ledgerSteps: readonly Step[] = [
  {
    title: "Start a devnet: four validators, each with its own database and keys",
    async run(stage) {
      tell("$ sion devnet --listen 127.0.0.1:0 --json");
      const devnet = await startDevnet(stage.place, "--dir", join(stage.folder, "devnet"));
      stage.cleanup.push(async () => {
        stage.facts.set("devnet exit", String(await devnet.stop()));
      });
      stage.place = { ...stage.place, node: devnet.node };
      tell(`ready on ${devnet.node}: chain ${devnet.chainId}, identity ${devnet.chain}`);
    },
  },
  {
    title: "Fund alice",
    async run(stage) {
      const before = await microUsd(stage, "alice");
      await show(stage, ["faucet", "alice", "100"]);
      const gained = await microUsd(stage, "alice") - before;
      expect(gained === 100_000_000n, `alice gained ${gained} micro-units, not 100 USD`);
    },
  },
];
