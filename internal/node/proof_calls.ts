/** What a validator answers to light clients: proofs, as canonical bytes. */
import { decode, encode, toHex } from "#internal/core/mod.ts";
import { createBlockCodec, statementKinds } from "#internal/consensus/mod.ts";
import { receiptLeaf } from "#internal/ledger/mod.ts";
import { DataSquare, logInclusionProof, MerkleLog } from "#internal/merkle/mod.ts";
import type { Header, HeaderProof, KnowledgeProof } from "#internal/proofs/mod.ts";
import {
  chainOriginCodec,
  headerCodec,
  headerProofCodec,
  knowledgeProofCodec,
  orderedOf,
  proveState,
  pulseCertificateCodec,
  pulseDataCodec,
  receiptProofCodec,
  sessionStepCodec,
  shareProofCodec,
  squareCommitmentCodec,
  stateProofCodec,
} from "#internal/proofs/mod.ts";
import type { MethodParams, MethodResult, RpcCalls } from "#internal/rpc/mod.ts";
import { MAX_PAGE_BYTES, RpcError } from "#internal/rpc/mod.ts";
import type { PublishedPulse } from "#internal/store/mod.ts";
import type { ValidatorParts } from "./parts.ts";
import { createBadEncodings } from "./bad_encodings.ts";
import type { LockedThing } from "./proofs.ts";
import { decodeKeptLocks, makeLocksPage, sessionSteps } from "./proofs.ts";

/** A square is kept for the next question when its data has at most so many bytes. */
const KEPT_SQUARE_BYTES = 1 << 23;

type ProofCalls = Pick<
  RpcCalls,
  | "bad_encoding"
  | "genesis"
  | "header_proof"
  | "knowledge_proof"
  | "lane_certificates"
  | "object_proof"
  | "published"
  | "receipt_proof"
  | "receipts"
  | "report_bad_encoding"
  | "session_steps"
  | "shares"
  | "square_commitment"
  | "world"
>;

/** The calls of a validator that prove. */
export function createProofCalls(parts: ValidatorParts): ProofCalls {
  const prover = new Prover(parts);
  const now = <P, R extends object>(answer: (params: P) => R) =>
  // deno-lint-ignore require-await -- async for what it throws
  async (params: P): Promise<R & { readonly pulse: number }> => ({
    ...answer(params),
    pulse: Number(parts.machine.header().number),
  });
  const reports = createBadEncodings(parts);
  return {
    bad_encoding: now((params) => reports.served(params)),
    async report_bad_encoding(params) {
      await reports.take(params);
      return { number: params.number, pulse: Number(parts.machine.header().number) };
    },
    genesis: now(() => ({ bytes: toHex(encode(chainOriginCodec, parts.facts.origin)) })),
    header_proof: now((params) => prover.headerProof(params)),
    knowledge_proof: now((params) => prover.knowledgeProof(params)),
    lane_certificates: now((params) => prover.laneCertificates(params)),
    object_proof: now((params) => prover.objectProof(params)),
    published: now((params) => prover.published(params)),
    receipt_proof: now((params) => prover.receiptProof(params)),
    receipts: now((params) => prover.receipts(params)),
    session_steps: now((params) => prover.sessionSteps(params)),
    shares: now((params) => prover.shares(params)),
    square_commitment: now((params) => prover.squareCommitment(params)),
    world: now((params) => prover.world(params)),
  };
}

type Answer<N extends keyof ProofCalls> = Omit<MethodResult<N>, "pulse">;

function notFound(what: string): RpcError {
  return new RpcError("not-found", what);
}

/** Makes proofs of what a validator has. */
class Prover {
  readonly #parts: ValidatorParts;
  readonly #blocks;
  #square: { readonly number: number; readonly square: DataSquare } | undefined;
  #knowledge: MerkleLog | undefined;

  constructor(parts: ValidatorParts) {
    this.#parts = parts;
    this.#blocks = createBlockCodec(parts.ledger, statementKinds);
  }

  headerProof({ number }: MethodParams<"header_proof">): Answer<"header_proof"> {
    const certified = this.#parts.store.certificateFrom(Math.max(number, 1));
    if (number === 0 || certified === undefined) {
      throw notFound(`There is no certificate of Pulse ${number} here`);
    }
    const before: Header[] = [];
    for (let at = number; at < certified.number; at++) before.push(this.#header(at));
    const certificate = decode(pulseCertificateCodec, certified.bytes);
    const proof: HeaderProof = { before, certificate };
    return { bytes: toHex(encode(headerProofCodec, proof)), number };
  }

  sessionSteps({ from }: MethodParams<"session_steps">): Answer<"session_steps"> {
    const steps: string[] = [];
    let size = 0;
    for (const step of sessionSteps(this.#parts.store, from)) {
      const bytes = encode(sessionStepCodec, step);
      size += bytes.length;
      if (size > MAX_PAGE_BYTES && steps.length > 0) return { steps, more: true };
      steps.push(toHex(bytes));
    }
    return { steps, more: false };
  }

  knowledgeProof(
    { number, claim, from }: MethodParams<"knowledge_proof">,
  ): Answer<"knowledge_proof"> {
    const size = this.#header(number).knowledgeSize;
    const log = this.#knowledgeLog();
    const index = claim === undefined ? undefined : this.#placeOfClaim(claim, size);
    if (from !== undefined && from > size) throw notFound(`Pulse ${number} knows ${size} claims`);
    const proof: KnowledgeProof = {
      inclusion: index === undefined ? null : { index, path: log.proveInclusion(index, size) },
      consistency: from === undefined
        ? null
        : { from, path: from === 0n ? [] : log.proveConsistency(from, size) },
    };
    return { bytes: toHex(encode(knowledgeProofCodec, proof)), number };
  }

  laneCertificates(
    { number, from = 0 }: MethodParams<"lane_certificates">,
  ): Answer<"lane_certificates"> {
    const { ledger, store } = this.#parts;
    const kept = this.#published(number);
    const locks = decodeKeptLocks(kept.locks);
    const things = (orderedOf(decode(pulseDataCodec, kept.data)) ?? []).slice(from)
      .map((entry): LockedThing => {
        if (entry.type === "void") return entry;
        const { unit } = ledger.decodeSigned(entry.bytes);
        const [slot] = ledger.slots(unit);
        return entry.forced && slot !== undefined ? slot : { unit: ledger.unitDigest(unit) };
      });
    const { session } = this.#header(number);
    const request = { session, locks: locks.slice(from), things };
    return { bytes: toHex(makeLocksPage(request, store, this.#blocks)), number };
  }

  objectProof({ number, key }: MethodParams<"object_proof">): Answer<"object_proof"> {
    const kept = this.#parts.store.published(number)?.state;
    if (kept !== undefined && (key === undefined || decode(stateProofCodec, kept).key === key)) {
      return { bytes: toHex(kept), number };
    }
    const state = this.#parts.stateAt(number);
    if (state === undefined || key === undefined) {
      throw notFound(
        `The state of Pulse ${number} is not kept here: ask for the newest certified Pulse`,
      );
    }
    const proof = proveState(state, key, state.bytes(key));
    return { bytes: toHex(encode(stateProofCodec, proof)), number };
  }

  published({ number, from = 0 }: MethodParams<"published">): Answer<"published"> {
    const { data } = this.#published(number);
    return {
      bytes: toHex(data.subarray(from, from + MAX_PAGE_BYTES)),
      number,
      size: data.length,
    };
  }

  receipts({ number, from = 0 }: MethodParams<"receipts">): Answer<"receipts"> {
    const receipts = this.#receiptsOf(number);
    const page: string[] = [];
    let size = 0;
    for (const bytes of receipts.slice(from)) {
      size += bytes.length;
      if (size > MAX_PAGE_BYTES && page.length > 0) break;
      page.push(toHex(bytes));
    }
    return { count: receipts.length, number, receipts: page };
  }

  receiptProof({ digest }: MethodParams<"receipt_proof">): Answer<"receipt_proof"> {
    const found = this.#parts.journal.find(digest);
    if (found === undefined) throw notFound("There is no receipt of this transaction here");
    const { contents: { number }, index } = found;
    const receipts = this.#receiptsOf(number);
    const proof = {
      pulse: BigInt(number),
      receipt: receipts[index] as Uint8Array,
      index,
      count: receipts.length,
      path: logInclusionProof(receipts.map(receiptLeaf), index),
    };
    return { bytes: toHex(encode(receiptProofCodec, proof)) };
  }

  shares({ number, places }: MethodParams<"shares">): Answer<"shares"> {
    const square = this.#squareOf(number);
    const shares: string[] = [];
    let size = 0;
    for (const { row, column, through } of places) {
      const bytes = encode(shareProofCodec, square.prove(row, column, through));
      size += bytes.length;
      if (size > MAX_PAGE_BYTES && shares.length > 0) break;
      shares.push(toHex(bytes));
    }
    return { number, shares };
  }

  squareCommitment({ number }: MethodParams<"square_commitment">): Answer<"square_commitment"> {
    const { commitment } = this.#squareOf(number);
    return { bytes: toHex(encode(squareCommitmentCodec, commitment)), number };
  }

  world({ number, from = 0 }: MethodParams<"world">): Answer<"world"> {
    const witness = this.#parts.store.witness(number);
    if (witness === undefined) throw notFound(`No witness of Pulse ${number} is kept here`);
    return {
      bytes: toHex(witness.subarray(from, from + MAX_PAGE_BYTES)),
      number,
      size: witness.length,
    };
  }

  #header(number: number): Header {
    if (number === 0) return this.#parts.facts.header;
    const bytes = this.#parts.store.header(number);
    if (bytes === undefined) throw notFound(`There is no Pulse ${number} here`);
    return decode(headerCodec, bytes);
  }

  #published(number: number): PublishedPulse {
    const published = this.#parts.store.published(number);
    if (published !== undefined) return published;
    throw notFound(`What Pulse ${number} published is not kept here`);
  }

  #squareOf(number: number): DataSquare {
    if (this.#square?.number === number) return this.#square.square;
    const { data } = this.#published(number);
    const square = DataSquare.of(data);
    if (data.length <= KEPT_SQUARE_BYTES) this.#square = { number, square };
    return square;
  }

  #receiptsOf(number: number): Uint8Array[] {
    const { journal, ledger } = this.#parts;
    const contents = journal.contents(number);
    if (contents === undefined) throw notFound(`There is no Pulse ${number} here`);
    return contents.receipts.map((receipt) => encode(ledger.receiptCodec, receipt));
  }

  /** The log is read when somebody asks for it first, and grows from the store after that. */
  #knowledgeLog(): MerkleLog {
    const log = this.#knowledge ??= new MerkleLog();
    for (const data of this.#parts.store.knowledge(Number(log.size))) log.append(data);
    return log;
  }

  #placeOfClaim(claim: string, size: bigint): bigint {
    let index = 0n;
    for (const data of this.#parts.store.knowledge()) {
      if (index === size) break;
      if (toHex(data) === claim) return index;
      index++;
    }
    throw notFound(`There is no claim ${claim.slice(0, 8)} in the log`);
  }
}
