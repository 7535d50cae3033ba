/**
 * A node's proofs, over the contract's methods. What the node refuses, or answers in another form,
 * is a verdict on it; that it cannot be reached is none.
 */
import { concatBytes, decode, fromHex, SionError } from "#internal/core/mod.ts";
import type { ShareProof } from "#internal/merkle/mod.ts";
import type { LightSource } from "#internal/proofs/mod.ts";
import {
  MAX_PULSE_DATA_BYTES,
  MAX_WITNESS_BYTES,
  notServed,
  shareProofCodec,
} from "#internal/proofs/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";

/** Codes that say nothing about what the node would prove. */
const NO_VERDICT: ReadonlySet<string> = new Set([
  "node-unreachable",
  "busy",
  "limited",
  "stopping",
]);

/** Receipts of one Pulse: what fits its data, at 100 bytes each. */
const MAX_RECEIPTS = 1 << 20;

/** Proofs from a node. */
export function lightSource(rpc: RpcCalls, signal?: AbortSignal): LightSource {
  const options = signal === undefined ? {} : { signal };
  /** The answer, or `not-served` for a refusal and for what is no answer. */
  const ask = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof SionError) || NO_VERDICT.has(error.code)) throw error;
      throw notServed(`the node does not give it (${error.message})`, error);
    }
  };
  const bytesOf = async (call: Promise<{ readonly bytes: string }>): Promise<Uint8Array> =>
    fromHex((await ask(call)).bytes);
  /** Bytes that come a page at a time. */
  const paged = async (
    what: string,
    page: (from: number) => Promise<{ readonly bytes: string; readonly size: number }>,
    maxBytes: number,
  ): Promise<Uint8Array> => {
    const parts: Uint8Array[] = [];
    for (let from = 0;;) {
      const { bytes, size } = await ask(page(from));
      const part = fromHex(bytes);
      if (size > maxBytes) throw notServed(`${what} is too large`);
      if (part.length === 0 && from < size) throw notServed(`${what} is missing`);
      parts.push(part);
      from += part.length;
      if (from >= size) return concatBytes(...parts);
    }
  };
  return {
    origin: () => bytesOf(rpc.genesis({}, options)),
    async sessionSteps(from) {
      return (await ask(rpc.session_steps({ from }, options))).steps.map(fromHex);
    },
    header: (number) => bytesOf(rpc.header_proof({ number }, options)),
    bareHeader: (number) => bytesOf(rpc.header({ number }, options)),
    data: (number) =>
      paged(
        "published data",
        (from) => rpc.published({ number, from }, options),
        MAX_PULSE_DATA_BYTES,
      ),
    async receipts(number) {
      const found: Uint8Array[] = [];
      for (;;) {
        const page = await ask(rpc.receipts({ number, from: found.length }, options));
        found.push(...page.receipts.map(fromHex));
        if (found.length >= page.count) return found;
        if (page.receipts.length === 0 || page.count > MAX_RECEIPTS) {
          throw notServed("receipts are missing");
        }
      }
    },
    receiptProof: (digest) => bytesOf(rpc.receipt_proof({ digest }, options)),
    state: (number, key) =>
      bytesOf(rpc.object_proof({ number, ...(key === undefined ? {} : { key }) }, options)),
    async shares(number, places) {
      const found: ShareProof[] = [];
      while (found.length < places.length) {
        const rest = places.slice(found.length);
        const page = await ask(rpc.shares({ number, places: rest }, options));
        if (page.shares.length === 0 || page.shares.length > rest.length) break;
        found.push(...page.shares.map((hex) => decode(shareProofCodec, fromHex(hex))));
      }
      return places.map((_, i) => found[i]);
    },
    commitment: (number) => bytesOf(rpc.square_commitment({ number }, options)),
    badEncoding: (number) => bytesOf(rpc.bad_encoding({ number }, options)),
    locks: (number, from) => bytesOf(rpc.lane_certificates({ number, from }, options)),
    knowledge: (number, from) => bytesOf(rpc.knowledge_proof({ number, from }, options)),
    world: (number) =>
      paged("the witness", (from) => rpc.world({ number, from }, options), MAX_WITNESS_BYTES),
  };
}
