/**
 * Clients' units on their way between nodes: a follower hands in at validators what it is given, and
 * a forced unit goes to so many validators that one of them is honest. What a peer hands in goes no
 * further. docs/protocol/connections.md, "Handing in".
 */
import { messageOf, SionError } from "#internal/core/mod.ts";
import type { Answer } from "#internal/consensus/mod.ts";
import type { Ledger, SignedUnit } from "#internal/ledger/mod.ts";
import type { Committee } from "#internal/proofs/mod.ts";
import { RpcError } from "#internal/rpc/mod.ts";
import type { Driver } from "./driver.ts";
import type { Intake } from "./intake.ts";
import type { Offence } from "./peer_score.ts";
import type { RelayMessage, SubmitMessage } from "./relay_wire.ts";
import { decodeRelayMessage, encodeAnswer, encodeSubmit, isRelayFrame } from "./relay_wire.ts";

/** Time for a validator to answer before another is asked, ms: it may be verifying much. */
const ANSWER_MS = 3_000;
/** Units that one peer may have handed in and not been answered; beyond, it is told so at once. */
const MAX_OPEN_OF_PEER = 256;
/** When a client that found no validator connected should come again, ms. */
const RETRY_AFTER_MS = 1_000;

const UNCONNECTED =
  "this node is connected to no validator: give another --node, or see to its --peers";

/** What a relay works with. */
export interface RelayOptions {
  readonly committee: () => Committee;
  /** This node's index in the committee; null when it follows. */
  readonly self: () => number | null;
  /** Validators that are connected. */
  readonly validators: () => readonly number[];
  readonly send: (to: number, frame: Uint8Array) => void;
  readonly ledger: Ledger;
  readonly intake: Pick<Intake, "offerUnit">;
  readonly driver: Pick<Driver, "submit">;
  /** Time for a validator to answer, ms. @default 3,000 */
  readonly answerMs?: number;
  /** A peer did what no peer of good will does. */
  readonly onOffence: (from: number, offence: Offence) => void;
  /** A fault of this program, not of a peer. */
  readonly onFault: (error: unknown) => void;
}

/** A client's unit whose authorization holds. */
export interface HandedIn {
  /** Its digest. */
  readonly unit: string;
  readonly signed: SignedUnit;
  /** Its encoding. */
  readonly bytes: Uint8Array;
  readonly forced: boolean;
}

/** Units on their way between nodes. */
export interface Relay {
  /**
   * What becomes of a client's unit.
   * @throws {RpcError} when this node follows: `unconnected` without a validator to ask, `busy` when
   * none answers
   */
  handIn(given: HandedIn): Promise<Answer>;
  /** Takes a peer's frame if it is one of this kind; else answers false. */
  offerFrame(from: number, frame: Uint8Array): boolean;
  /** Nothing is waited for any more. */
  close(): void;
}

/** A relay with nothing on its way. */
export function createRelay(options: RelayOptions): Relay {
  const requests = new Requests(options);
  const open = new Map<number, number>();

  /** Connected validators of which, with those of `mask`, one is honest. */
  const honestFew = (mask: number): number[] => {
    const committee = options.committee();
    const chosen: number[] = [];
    for (const peer of options.validators()) {
      if (committee.hasHonest(mask)) break;
      mask |= 1 << peer;
      chosen.push(peer);
    }
    return chosen;
  };

  const answerOf = async (from: number, message: SubmitMessage): Promise<Answer> => {
    if (options.self() === null) return refused("busy", "this node only follows");
    const count = open.get(from) ?? 0;
    if (count >= MAX_OPEN_OF_PEER) return refused("busy", "too much waits here");
    open.set(from, count + 1);
    try {
      return await takeOfPeer(options, from, message);
    } finally {
      const left = (open.get(from) ?? 1) - 1;
      if (left > 0) open.set(from, left);
      else open.delete(from);
    }
  };

  return {
    async handIn(given) {
      const self = options.self();
      if (self === null) {
        if (options.validators().length === 0) throw new RpcError("unconnected", UNCONNECTED);
        return given.forced
          ? await requests.askAll(honestFew(0), given)
          : await requests.askInTurn(options.validators(), given);
      }
      const answer = options.driver.submit(given.unit, given.signed, given.forced);
      if (given.forced && answer.type !== "refused") {
        // What they answer is no news to the client: this validator has taken it.
        for (const peer of honestFew(1 << self)) void requests.ask(peer, given);
      }
      return answer;
    },
    offerFrame(from, frame) {
      if (!isRelayFrame(frame)) return false;
      const message = read(frame);
      if (message === undefined) options.onOffence(from, "undecodable");
      if (message?.kind === "answer") requests.answered(from, message.request, message.answer);
      if (message?.kind === "submit") {
        const { body } = message;
        answerOf(from, body)
          .then((answer) => options.send(from, encodeAnswer(body.request, answer)))
          .catch(options.onFault);
      }
      return true;
    },
    close: () => requests.close(),
  };
}

interface Waiting {
  readonly peer: number;
  resolve(answer: Answer | undefined): void;
}

/** Units that wait for peers' answers. */
class Requests {
  readonly #options: RelayOptions;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #closed = false;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Asks one validator; undefined when it does not answer in time. */
  ask(peer: number, { bytes, forced }: HandedIn): Promise<Answer | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const request = this.#last = (this.#last + 1) % 2 ** 32;
      const done = (answer: Answer | undefined): void => {
        clearTimeout(timer);
        this.#waiting.delete(request);
        resolve(answer);
      };
      const timer = setTimeout(() => done(undefined), this.#options.answerMs ?? ANSWER_MS);
      this.#waiting.set(request, { peer, resolve: done });
      this.#options.send(peer, encodeSubmit({ request, forced, unit: bytes }));
    });
  }

  /** Asks validators one after the other until one answers. */
  async askInTurn(peers: readonly number[], given: HandedIn): Promise<Answer> {
    for (const peer of peers) {
      const answer = await this.ask(peer, given);
      // Another may have room.
      if (answer !== undefined && !isBusy(answer)) return answer;
    }
    throw nobodyAnswers();
  }

  /** Asks all of them at once: the first to accept decides, else any that answers. */
  async askAll(peers: readonly number[], given: HandedIn): Promise<Answer> {
    const answers = peers.map((peer) => this.ask(peer, given));
    const accepted = answers.map(async (answer) => {
      const told = await answer;
      if (told?.type !== "accepted") {
        throw new RangeError("Cannot take the unit: it did not accept");
      }
      return told;
    });
    try {
      return await Promise.any(accepted);
    } catch {
      const told = (await Promise.all(answers)).find((answer) => answer !== undefined);
      if (told === undefined || isBusy(told)) throw nobodyAnswers();
      return told;
    }
  }

  answered(from: number, request: number, answer: Answer): void {
    const asked = this.#waiting.get(request);
    if (asked?.peer === from) asked.resolve(answer);
  }

  close(): void {
    this.#closed = true;
    for (const { resolve } of [...this.#waiting.values()]) resolve(undefined);
  }
}

/** Verifies a unit that a peer hands in and gives it to this validator. */
async function takeOfPeer(
  { ledger, intake, driver, onOffence }: RelayOptions,
  from: number,
  { unit: bytes, forced }: SubmitMessage,
): Promise<Answer> {
  try {
    const signed = ledger.decodeSigned(bytes);
    if (!await intake.offerUnit(signed, bytes)) {
      // Whoever hands in has verified it.
      onOffence(from, "bad-signature");
      return refused("authorization", "a signature is not valid");
    }
    return driver.submit(ledger.unitDigest(signed.unit), signed, forced);
  } catch (error) {
    if (error instanceof RpcError) return refused("busy", "too much waits here");
    if (error instanceof SionError || error instanceof SyntaxError) {
      return refused("bad-request", messageOf(error).slice(0, 200));
    }
    throw error;
  }
}

function read(frame: Uint8Array): RelayMessage | undefined {
  try {
    return decodeRelayMessage(frame);
  } catch {
    return undefined;
  }
}

function refused(code: string, reason: string): Answer {
  return { type: "refused", code, reason };
}

function isBusy(answer: Answer): boolean {
  return answer.type === "refused" && answer.code === "busy";
}

function nobodyAnswers(): RpcError {
  return new RpcError(
    "busy",
    "This node only follows, and no validator that it is connected to can take it now: ask again, " +
      "or another node",
    { data: { retry_after_ms: RETRY_AFTER_MS } },
  );
}
