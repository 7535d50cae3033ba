/** A World Proof checked by both stacks, against two headers and what was published. */
import { decode, SionError, toHex } from "#internal/core/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Ledger } from "#internal/ledger/mod.ts";
import type { Header } from "../header.ts";
import type { ParameterFields, SessionConfig } from "../session_config.ts";
import { isLastOfSession } from "../session_rules.ts";
import type { WorldVerdict, WorldVerifier } from "../light/world_verifier.ts";
import { differingFields, differingSession } from "./compare.ts";
import { executeByStackA, verifySignaturesByStackA } from "./stack_a.ts";
import { verifySignatures as verifySignaturesByStackB } from "./stack_b/consent.ts";
import { executePulse as executeByStackB } from "./stack_b/execute.ts";
import type { WorldInput, WorldOrdered, WorldOutput } from "./world_input.ts";
import { MAX_WITNESS_BYTES, worldWitnessCodec } from "./world_input.ts";

/** What an input is put together from. */
export interface WorldParts {
  readonly header: Header;
  /** The header of the Pulse before. */
  readonly before: Header;
  readonly ordered: readonly WorldOrdered[];
  readonly parameters: ParameterFields;
  /** Of a session's last Pulse, the next one's. */
  readonly next: SessionConfig | undefined;
  /** Canonical bytes, as served. */
  readonly witness: Uint8Array;
}

/**
 * The input of a Pulse's execution, from its header, the one before, its order and a witness.
 * @throws {SionError} `codec` unless the witness is one encoding, of at most 128 MiB.
 */
export function worldInputOf(parts: WorldParts): WorldInput {
  const { header, before, ordered, parameters, witness } = parts;
  if (witness.length > MAX_WITNESS_BYTES) {
    throw new SionError("codec", "Cannot decode: a witness is over 128 MiB");
  }
  return {
    chain: toHex(header.chain),
    pulse: header.number,
    timeMs: header.timeMs,
    beacon: toHex(header.beacon),
    shards: parameters.shards,
    closesSession: isLastOfSession(header),
    before: {
      stateRoot: before.stateRoot,
      knowledgeRoot: before.knowledgeRoot,
      knowledgeSize: before.knowledgeSize,
    },
    ordered,
    ...decode(worldWitnessCodec, witness),
  };
}

interface Stack {
  readonly name: string;
  execute(input: WorldInput): WorldOutput;
  verifySignatures(input: WorldInput, backend: DualBackend): Promise<void>;
}

/**
 * Has both stacks execute a Pulse and verify its clients' signatures. The verdict is good only when
 * both come to every field of the header that execution fixes, and to the same counts. Without a
 * backend the signatures are not looked at: for who verified them before.
 */
export function worldVerifier(
  ledger: Ledger,
): (claim: WorldParts & { readonly backend?: DualBackend }) => ReturnType<WorldVerifier> {
  const stacks: readonly Stack[] = [
    {
      name: "A",
      execute: (input) => executeByStackA(ledger, input),
      verifySignatures: (input, backend) => verifySignaturesByStackA(ledger, input, backend),
    },
    {
      name: "B",
      execute: (input) => executeByStackB(input).output,
      verifySignatures: verifySignaturesByStackB,
    },
  ];
  return async (claim): Promise<WorldVerdict> => {
    const backend = claim.backend && remembering(claim.backend);
    const outputs: WorldOutput[] = [];
    let at = "its witness";
    try {
      const input = worldInputOf(claim);
      for (const stack of stacks) {
        at = `stack ${stack.name}`;
        const output = stack.execute(input);
        const fields = [
          ...differingFields(output, claim.header),
          ...differingSession(output, claim),
        ];
        if (fields.length > 0) return refused(at, `comes to another ${fields.join(", ")}`);
        if (backend !== undefined) await stack.verifySignatures(input, backend);
        outputs.push(output);
      }
    } catch (error) {
      if (!(error instanceof SionError)) throw error;
      return refused(at, error.message);
    }
    if (new Set(outputs.map(countsOf)).size !== 1) {
      return refused("the stacks", "count different receipts or fees under the same roots");
    }
    return { ok: true, leaves: claim.parameters.shards, stacks: stacks.map(({ name }) => name) };
  };
}

function refused(who: string, what: string): WorldVerdict {
  return { ok: false, reason: `${who}: ${what}` };
}

function countsOf({ receipts, succeeded, failed, voided, fees }: WorldOutput): string {
  return [receipts, succeeded, failed, voided, fees].join();
}

/** Both stacks ask for the same signatures, and the primitive is not what they differ in. */
function remembering(backend: DualBackend): DualBackend {
  const known = new Map<string, Promise<boolean>>();
  return {
    ...backend,
    verify(publicKey, message, signature) {
      const hash = toHex(taggedHash("sion/verified/v1", publicKey, message, signature));
      const key = `${publicKey.length}/${message.length}/${hash}`;
      const verdict = known.get(key) ?? backend.verify(publicKey, message, signature);
      known.set(key, verdict);
      return verdict;
    },
  };
}
