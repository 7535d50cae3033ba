/** Moves the ledger's head of a memory log to what its file holds. */
import * as z from "zod";
import { idOf, outcomeResult, recoverSigned, signed } from "./_ledger.ts";
import { defineAgentTool } from "./_tool.ts";

export const ledgerMemoryCommit = defineAgentTool({
  name: "ledger_memory_commit",
  title: "Commit a memory log",
  description: "Commit what you remembered to the ledger, with a proof that the log only grew. " +
    "Recalls see what is committed.",
  input: () => z.strictObject({ log: idOf("Memory log") }),
  needs: ["memory"],
  highestEffect: "write",
  // With nothing new in the log, another commit is refused before it is signed.
  repeatHarmless: true,
  openWorld: false,
  mainArgument: "log",
  fromPrograms: false,
  run: (context, { log }) =>
    signed(context, (acting) => context.ledger.memory.commit(log, acting), outcomeResult),
  recover: (context, _input, notes) => recoverSigned(context, notes, outcomeResult),
});
