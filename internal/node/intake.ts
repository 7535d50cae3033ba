/**
 * What comes in from outside waits here until its signatures are verified, one after the other in
 * the validator's own thread: units that blocks wait for first, then validators' blocks, then clients'
 * other units and what followers ask for, so that order goes on under load.
 * Other work of the thread gets its turn after each verification.
 */
import type { DualBackend } from "#internal/crypto/mod.ts";
import type { Block, BlockCodec, Received, SharedUnit } from "#internal/consensus/mod.ts";
import {
  checksOf,
  decodeMessage,
  messageTypeOf,
  needsNoVerification,
} from "#internal/consensus/mod.ts";
import type { Ledger, SignedUnit } from "#internal/ledger/mod.ts";
import { verifyAuthorization } from "#internal/ledger/mod.ts";
import type { CertificateClaim, Committee, PulseCertificate } from "#internal/proofs/mod.ts";
import { firstForged } from "#internal/proofs/mod.ts";
import { RpcError } from "#internal/rpc/mod.ts";
import { yieldToOthers } from "#internal/runtime/mod.ts";
import { stoppingError } from "./errors.ts";
import { isFollower } from "./peer_number.ts";
import type { Offence } from "./peer_score.ts";

/** Clients' units that may wait, bytes; beyond it clients are told to come again. */
const MAX_UNIT_BYTES_WAITING = 4 << 20;
/** Waiting bytes up to which peers may add units of their clients: the rest is for those asked here. */
const MAX_SHARED_BYTES_WAITING = 2 << 20;
/** The same of units that blocks here wait for. */
const MAX_NEEDED_BYTES_WAITING = 6 << 20;
/** One peer's frames that may wait, bytes; beyond it they are dropped, and asked for again later. */
const MAX_PEER_BYTES_WAITING = 8 << 20;
/** What all followers send may wait, bytes: it is little that they ask for. */
const MAX_FOLLOWER_BYTES_WAITING = 1 << 20;
/** What a frame that waits counts besides its bytes: else the smallest would take a hundred times as much. */
const FRAME_COST_BYTES = 256;
/** When a client that found the queue full should come again, ms. */
const RETRY_AFTER_MS = 250;
/** Units remembered as verified. */
const REMEMBERED_UNITS = 1 << 12;

/** What an intake works for. */
export interface IntakeOptions {
  readonly ledger: Ledger;
  /** The committee of a session, as far as it is known. */
  readonly committeeOf: (session: number) => Committee | undefined;
  readonly backend: DualBackend;
  readonly blocks: BlockCodec;
  /** False for a block that needs no verification since it is of no use. */
  readonly wants: (block: Block) => boolean;
  /** Whether a block here waits for the unit of this form. */
  readonly needsUnit: (form: string) => boolean;
  /** As of the validator: undefined for a certificate of a session's end that is of no use. */
  readonly endClaim: (certificate: PulseCertificate) => CertificateClaim | undefined;
  /** Whether a peer still owes parts of a snapshot that it was asked for. */
  readonly wantsParts: (from: number) => boolean;
  /** A unit whose authorization holds, from a client or a peer. */
  readonly onUnit: (signed: SignedUnit) => void;
  /** A peer's message, verified. */
  readonly onMessage: (from: number, message: Received) => void;
  /** A peer misbehaved. */
  readonly onOffence: (from: number, offence: Offence) => void;
  /** So many bytes of blocks from a peer were of no use. */
  readonly onUseless: (from: number, bytes: number) => void;
  /** Whether a peer's `want` is answered. */
  readonly takesWant: (from: number) => boolean;
  /** Whether anything waits or is being verified here has changed. */
  readonly onLoad: (waiting: boolean) => void;
  /** A fault of this program, not of a peer. */
  readonly onFault: (error: unknown) => void;
}

/** The queue before a validator. */
export interface Intake {
  /**
   * A peer's frame. Frames that are no message, or whose signatures fail, come to nothing, and so
   * do followers' blocks: they have none of their own.
   */
  offerFrame(from: number, frame: Uint8Array): void;
  /**
   * A client's unit; resolves to whether its authorization holds.
   * @throws {RpcError} `busy` when too much waits already.
   */
  offerUnit(signed: SignedUnit, bytes: Uint8Array): Promise<boolean>;
  /** Whether a unit of this form waits here: it need not be asked for. */
  holdsUnit(form: string): boolean;
  /** Nothing more is taken or verified. */
  close(): void;
}

interface WaitingFrame {
  readonly from: number;
  readonly frame: Uint8Array;
}

interface WaitingUnit {
  readonly signed: SignedUnit;
  readonly bytes: Uint8Array;
  readonly resolve: (holds: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** What a peer shares waits with what clients hand in, behind all blocks; nobody waits for an answer. */
function sharedUnit(options: IntakeOptions, from: number, unit: SharedUnit): WaitingUnit {
  return {
    ...unit,
    resolve(holds) {
      if (holds) options.onMessage(from, { type: "units", units: [unit] });
      else options.onOffence(from, "bad-signature");
    },
    reject(error) {
      // An end of this node is no news, a fault of its verifier is.
      if (!(error instanceof RpcError && error.code === "stopping")) options.onFault(error);
    },
  };
}

/** Without room nobody is to blame: more clients came than this machine can serve. */
function offerShared(
  options: IntakeOptions,
  units: UnitQueue,
  from: number,
  shared: readonly SharedUnit[],
): void {
  for (const unit of shared) {
    const isNeeded = options.needsUnit(options.ledger.formOf(unit.signed));
    const most = isNeeded ? MAX_NEEDED_BYTES_WAITING : MAX_SHARED_BYTES_WAITING;
    units.offer(sharedUnit(options, from, unit), most);
  }
}

/** A part that was not asked for is not even decoded: it waits in no queue, so nothing else bounds it. */
function isExpected(options: IntakeOptions, from: number, frame: Uint8Array): boolean {
  if (messageTypeOf(frame) !== "part" || options.wantsParts(from)) return true;
  options.onUseless(from, frame.length);
  return false;
}

/** Everybody sends it to everybody: the first that holds is of use, the others are not looked at. */
async function takeEnd(
  options: IntakeOptions,
  from: number,
  message: Extract<Received, { type: "end" }>,
  bytes: number,
): Promise<void> {
  const claim = options.endClaim(message.certificate);
  if (claim === undefined) return options.onUseless(from, bytes);
  const holds = claim.ok && await firstForged(claim.signatures, options.backend) === undefined;
  if (holds) options.onMessage(from, message);
  else options.onOffence(from, "bad-end");
}

/** An empty intake. */
export function createIntake(options: IntakeOptions): Intake {
  const frames = new FrameQueue(MAX_PEER_BYTES_WAITING, (from) => from);
  const asked = new FrameQueue(MAX_FOLLOWER_BYTES_WAITING, () => "all");
  const units = new UnitQueue(({ signed }) => options.ledger.formOf(signed));
  const verifier = createVerifier(options);
  let followerTurn = false;
  let running = false;
  let closed = false;
  let told = false;

  const takeFrame = async (from: number, frame: Uint8Array): Promise<void> => {
    let message;
    try {
      message = decodeMessage(frame, options.blocks);
    } catch {
      return options.onOffence(from, "undecodable");
    }
    if (message.type === "end") return await takeEnd(options, from, message, frame.length);
    if (message.type !== "blocks" && message.type !== "units") {
      // No signature of a block or a client is in it: there is nothing to verify.
      if (message.type !== "want" || options.takesWant(from)) options.onMessage(from, message);
      return;
    }
    if (isFollower(from)) return options.onUseless(from, frame.length);
    if (message.type === "units") return offerShared(options, units, from, message.units);
    // Block by block, so that the first of many is of use before the last is verified.
    for (const block of message.blocks) {
      if (closed) return;
      if (!options.wants(block)) options.onUseless(from, block.bytes.length);
      else if (!await verifier.block(block)) options.onOffence(from, "bad-signature");
      else options.onMessage(from, { type: "blocks", blocks: [block] });
    }
  };

  const takeUnit = async (unit: WaitingUnit): Promise<true> => {
    await verifier.unit(unit.signed).then(unit.resolve, unit.reject);
    return true;
  };

  const takeNext = async (): Promise<boolean> => {
    const needed = units.takeNeeded(options.needsUnit);
    if (needed !== undefined) return await takeUnit(needed);
    // Neither clients nor followers keep the others waiting.
    followerTurn = !followerTurn;
    const next = frames.take() ?? (followerTurn || units.size === 0 ? asked.take() : undefined);
    if (next !== undefined) {
      await takeFrame(next.from, next.frame);
      return true;
    }
    const unit = units.take();
    return unit !== undefined && await takeUnit(unit);
  };

  const tellLoad = (): void => {
    const waiting = running || units.size > 0 || frames.size > 0;
    if (waiting !== told) options.onLoad(told = waiting);
  };

  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    try {
      tellLoad();
      while (!closed && await takeNext());
    } catch (error) {
      options.onFault(error);
    } finally {
      running = false;
    }
    if (!closed) tellLoad();
  };

  return {
    offerFrame(from, frame) {
      if (closed) return;
      if (needsNoVerification(messageTypeOf(frame))) {
        if (isExpected(options, from, frame)) takeFrame(from, frame).catch(options.onFault);
        return;
      }
      if ((isFollower(from) ? asked : frames).offer({ from, frame })) void run();
    },
    offerUnit(signed, bytes) {
      if (closed) return Promise.reject(stoppingError());
      return new Promise((resolve, reject) => {
        const unit = { signed, bytes, resolve, reject };
        if (units.offer(unit, MAX_UNIT_BYTES_WAITING)) void run();
        else reject(busyError());
      });
    },
    holdsUnit: (form) => units.holds(form),
    close() {
      closed = true;
      for (const { reject } of units.clear()) reject(stoppingError());
      frames.clear();
      asked.clear();
    },
  };
}

/** Units that wait, first in, first out, but for those that are needed. */
class UnitQueue {
  readonly #formOf: (unit: WaitingUnit) => string;
  #units: WaitingUnit[] = [];
  #bytes = 0;

  constructor(formOf: (unit: WaitingUnit) => string) {
    this.#formOf = formOf;
  }

  get size(): number {
    return this.#units.length;
  }

  /** False when so many bytes would wait with it. */
  offer(unit: WaitingUnit, maxBytes: number): boolean {
    if (this.#bytes + unit.bytes.length > maxBytes) return false;
    this.#bytes += unit.bytes.length;
    this.#units.push(unit);
    return true;
  }

  take(): WaitingUnit | undefined {
    const unit = this.#units.shift();
    this.#bytes -= unit?.bytes.length ?? 0;
    return unit;
  }

  holds(form: string): boolean {
    return this.#units.some((unit) => this.#formOf(unit) === form);
  }

  /** The first that is needed. */
  takeNeeded(needs: (form: string) => boolean): WaitingUnit | undefined {
    const at = this.#units.findIndex((unit) => needs(this.#formOf(unit)));
    const [unit] = at < 0 ? [] : this.#units.splice(at, 1);
    this.#bytes -= unit?.bytes.length ?? 0;
    return unit;
  }

  /** Takes all. */
  clear(): readonly WaitingUnit[] {
    const all = this.#units;
    this.#units = [];
    this.#bytes = 0;
    return all;
  }
}

/** Frames that wait, of each sender so many bytes. */
class FrameQueue {
  readonly #maxBytes: number;
  readonly #senderOf: (from: number) => unknown;
  readonly #frames: WaitingFrame[] = [];
  readonly #bytes = new Map<unknown, number>();

  constructor(maxBytes: number, senderOf: (from: number) => unknown) {
    this.#maxBytes = maxBytes;
    this.#senderOf = senderOf;
  }

  get size(): number {
    return this.#frames.length;
  }

  /** False when too much of its sender waits: it is dropped. */
  offer(waiting: WaitingFrame): boolean {
    const sender = this.#senderOf(waiting.from);
    const bytes = (this.#bytes.get(sender) ?? 0) + costOf(waiting);
    if (bytes > this.#maxBytes) return false;
    this.#bytes.set(sender, bytes);
    this.#frames.push(waiting);
    return true;
  }

  take(): WaitingFrame | undefined {
    const next = this.#frames.shift();
    if (next === undefined) return undefined;
    const sender = this.#senderOf(next.from);
    const left = (this.#bytes.get(sender) ?? 0) - costOf(next);
    if (left > 0) this.#bytes.set(sender, left);
    else this.#bytes.delete(sender);
    return next;
  }

  clear(): void {
    this.#frames.length = 0;
    this.#bytes.clear();
  }
}

function costOf({ frame }: WaitingFrame): number {
  return frame.length + FRAME_COST_BYTES;
}

/** Verifies blocks and units, each form of a unit once. */
function createVerifier({ ledger, committeeOf, backend, onUnit }: IntakeOptions): {
  block(block: Block): Promise<boolean>;
  unit(signed: SignedUnit): Promise<boolean>;
} {
  const verified = createMemory(REMEMBERED_UNITS);
  const unit = async (signed: SignedUnit): Promise<boolean> => {
    const key = ledger.formOf(signed);
    if (verified.has(key)) return true;
    const holds = await verifyAuthorization(backend, signed, ledger);
    if (holds) {
      verified.add(key);
      onUnit(signed);
    }
    await yieldToOthers();
    return holds;
  };
  return {
    unit,
    async block(block) {
      const members = committeeOf(block.header.session)?.members ?? [];
      for (const { author, digest, signature } of checksOf(block)) {
        const member = members[author];
        if (member === undefined) return false;
        if (!await backend.verify(member.publicKey, digest, signature)) return false;
        await yieldToOthers();
      }
      return true;
    },
  };
}

/** The answer to a client that comes while too much waits. */
export function busyError(): RpcError {
  return new RpcError("busy", "Too much waits to be verified: ask again in a moment", {
    data: { retry_after_ms: RETRY_AFTER_MS },
  });
}

/** A set that forgets its oldest members. */
function createMemory(size: number): { has(key: string): boolean; add(key: string): void } {
  const keys = new Set<string>();
  return {
    has: (key) => keys.has(key),
    add(key) {
      keys.add(key);
      if (keys.size <= size) return;
      for (const oldest of keys) {
        keys.delete(oldest);
        break;
      }
    },
  };
}
