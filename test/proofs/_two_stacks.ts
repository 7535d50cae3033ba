/** One Pulse executed by the production executor on the whole state, and by both stacks from a witness. */
import { encode, toHex } from "#internal/core/mod.ts";
import type { Ordered, PulseOutput, SignedUnit } from "#internal/ledger/mod.ts";
import { logPeaksRoot } from "#internal/merkle/mod.ts";
import {
  buildWitness,
  differingFields,
  executeByStackA,
  executeByStackB,
} from "#internal/proofs/mod.ts";
import type {
  ExecutedField,
  ExecutedPulse,
  WorldInput,
  WorldOrdered,
  WorldOutput,
} from "#internal/proofs/mod.ts";
import { encodeReceipt } from "../../internal/proofs/world/stack_b/receipt.ts";
import { beaconOf, CHAIN } from "../ledger/_world.ts";
import type { World } from "../ledger/_world.ts";

/** What both stacks say of a Pulse. */
export interface Compared {
  readonly a: PulseOutput;
  /** Stack A over the witness. */
  readonly again: WorldOutput;
  readonly b: ExecutedPulse;
  readonly input: WorldInput;
  /** What they disagree about, one line each. */
  readonly differences: readonly string[];
}

/** How a Pulse is executed by both. */
export interface ComparedOptions {
  readonly advanceMs?: bigint;
  readonly witness?: "touched" | "whole";
  /** It is its session's last. */
  readonly closesSession?: boolean;
}

/** Executes a Pulse in the world and by stack B, from the keys that it touched or the whole state. */
export function executeByBoth(
  world: World,
  ordered: readonly (SignedUnit | Ordered)[],
  options: ComparedOptions = {},
): Compared {
  const before = world.state;
  const { closesSession = false } = options;
  const a = world.execute(ordered, options.advanceMs, closesSession);
  const whole = options.witness === "whole";
  const shown = whole ? [...before.entries()].map(([key]) => key) : a.touched;
  const input: WorldInput = {
    chain: CHAIN,
    pulse: world.pulse,
    timeMs: world.timeMs,
    beacon: toHex(beaconOf(world.pulse)),
    shards: before.shards.length,
    closesSession,
    before: {
      stateRoot: before.root(),
      knowledgeRoot: logPeaksRoot(before.knowledge),
      knowledgeSize: before.knowledge.size,
    },
    ordered: ordered.map((item) => orderedOf(world, item)),
    ...buildWitness(before, shown),
  };
  const b = executeByStackB(input);
  const again = executeByStackA(world.ledger, input);
  const differences = [
    ...differencesOf(world, a, b),
    ...differingFields(again, headerOf(a)).map((field) => `${field} of A over the witness`),
    ...[again, b.output].filter((one) => sessionOf(one) !== sessionOf(a)).map(() => "the session"),
  ];
  return { a, again, b, input, differences };
}

function orderedOf(world: World, item: SignedUnit | Ordered): WorldOrdered {
  if ("unit" in item) {
    return { type: "unit", bytes: world.ledger.encodeSigned(item), forced: false };
  }
  if (item.type === "void") return item;
  return { type: "unit", bytes: world.ledger.encodeSigned(item.signed), forced: item.forced };
}

function sessionOf({ endsSession, committee }: Pick<WorldOutput, "endsSession" | "committee">) {
  const members = committee?.map(({ operator, key, stake }) =>
    [operator, toHex(key), stake].join()
  );
  return `${endsSession} ${members?.join(" ")}`;
}

/** What a header says of an execution. */
function headerOf({ roots }: PulseOutput): Pick<WorldOutput, ExecutedField> {
  return {
    stateRoot: roots.state,
    knowledgeRoot: roots.knowledge,
    knowledgeSize: roots.knowledgeSize,
    receiptsRoot: roots.receipts,
    leavesRoot: roots.leaves,
  };
}

function differencesOf(world: World, a: PulseOutput, b: ExecutedPulse): string[] {
  const fields = differingFields(b.output, headerOf(a));
  const lines: string[] = [];
  for (const [i, receipt] of a.receipts.entries()) {
    const other = b.receipts[i];
    const bytes = toHex(encode(world.ledger.receiptCodec, receipt));
    if (other && toHex(encodeReceipt(other)) === bytes) continue;
    const body = other?.outcome.kind === "failed" ? other.outcome.body : other?.outcome.kind;
    const said = receipt.outcome.kind === "failed" ? receipt.outcome.reason : receipt.outcome.kind;
    lines.push(`${receipt.kind}: A "${said}" (${receipt.fee}), B "${body}" (${other?.fee})`);
  }
  return [...fields, ...lines];
}
