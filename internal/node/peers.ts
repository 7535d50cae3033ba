/**
 * The connections of a node. Validators have one a pair: either may make it, and of two that stand
 * the one of the lower index keeps the newer. Followers have one to each validator that they are
 * given; a validator takes a bounded number of them. Who does not greet as a node of the chain is
 * dropped, with one line in the log for each reason. docs/protocol/connections.md.
 */
import type { Logger, LogLevel, Random } from "#internal/core/mod.ts";
import { equalBytes, MAX_SIGNED_UNIT_BYTES, toHex } from "#internal/core/mod.ts";
import { MAX_MESSAGE_BYTES } from "#internal/consensus/mod.ts";
import type { FrameServer, FrameSocket, StrangerLimits } from "#internal/runtime/mod.ts";
import { createAlarm, listenFrames, monotonicMs, shownAddress } from "#internal/runtime/mod.ts";
import type { Address } from "./dialer.ts";
import { keepConnected } from "./dialer.ts";
import { greet, maxGreetingBytes, NONCE_BYTES, SELF } from "./greeting.ts";
import type { PeerProofs } from "./peer_proofs.ts";
import { FIRST_FOLLOWER, isFollower } from "./peer_number.ts";
import type { Offence } from "./peer_score.ts";
import { PeerScores } from "./peer_score.ts";

/** A peer that takes nothing for so long that this waits for it gets no more; it asks later, bytes. */
const MAX_WAITING_BYTES = 8 << 20;
/** The same of a follower. */
const MAX_FOLLOWER_WAITING_BYTES = 2 << 20;
/** What a follower sends has so many bytes at most: what it asks for, and its clients' units. */
const MAX_FOLLOWER_FRAME_BYTES: number = MAX_SIGNED_UNIT_BYTES + 16;
/** Followers connected at once, and those of one address. */
const MAX_FOLLOWERS = 32;
const MAX_FOLLOWERS_OF_HOST = 8;

/** Time to greet, ms: a validator that starts may be busy for a while. */
const GREETING_MS = 5_000;
/** Connections that have not greeted yet. */
const MAX_STRANGERS = 64;

/** The keepalive interval, ms: where nothing was sent in one, an empty frame is. */
const KEEPALIVE_MS = 5_000;
/** Intervals without a frame from the other end after which a connection is dead. */
const MAX_MISSED_KEEPALIVES = 3;

/** Greetings as a validator in a row that one address does not take: then this node follows there. */
const MAX_REFUSALS = 3;
/** Time for which it follows there before it greets as a validator again, ms. */
const FOLLOW_MS = 20_000;

/** A validator that connects anew so often, in so many ms, while it is connected is told of. */
const MANY_RENEWALS = 8;
const RENEWALS_MS = 10_000;

/** Reasons for dropping somebody that are told as warnings, each once. */
const MAX_REASONS = 16;

/** What a node's connections are made of. */
export interface PeersOptions {
  /** The index that this node greets with; null when it follows. It may change. */
  readonly self: () => number | null;
  /** Chain identity, 64 hex digits. */
  readonly chain: string;
  readonly proofs: PeerProofs;
  /**
   * The key that a validator of this index has now: who greeted under another is asked again.
   * @default keys do not change
   */
  readonly keyOf?: (index: number) => Uint8Array | undefined;
  readonly random: Random;
  /** Where to listen for peers; port 0 takes any free one. @default nobody can connect */
  readonly listen?: Address;
  /** How many followers are taken at once. @default 32 */
  readonly maxFollowers?: number;
  readonly logger: Logger;
  /** Level at which the log tells who is connected and who no longer. @default "info" */
  readonly connectionLevel?: LogLevel;
  /**
   * Whether the validators that are left are enough to go on with, when these are refused.
   * @default never: validators are dropped, and may come back at once
   */
  readonly maySpare?: (refused: readonly number[]) => boolean;
  /** Milliseconds of a clock that never runs backwards. @default the machine's */
  readonly nowMs?: () => number;
  /** Time to greet, ms. @default 5,000 */
  readonly greetingMs?: number;
  /** The keepalive interval, ms. @default 5,000 */
  readonly keepaliveMs?: number;
  /** Time to follow where this validator's greetings are not taken, ms. @default 20,000 */
  readonly followMs?: number;
  /** A frame came from a peer: a validator's index, or a follower's number. */
  readonly onFrame: (from: number, frame: Uint8Array) => unknown;
  /** A peer is connected, maybe not for the first time. */
  readonly onConnected: (peer: number) => void;
}

/** A node's connections. */
export interface Peers extends AsyncDisposable {
  /** Port that others connect to; undefined when nobody can. */
  readonly port: number | undefined;
  /** Keeps a connection to each address, in whatever order, as far as they are validators'. */
  connect(addresses: readonly Address[]): void;
  /** Sends to one peer, or to all. What cannot be sent now is dropped: peers ask again. */
  send(to: number | "all", frame: Uint8Array): void;
  /** The validator of this index if it is connected, else the next one that is. */
  nearest(peer: number): number;
  /** Validators that are connected, ascending. */
  validators(): readonly number[];
  /** Notes that a peer misbehaved; at its limit its connections end and it is refused for a while. */
  penalize(peer: number, offence: Offence): void;
  /** Notes bytes of blocks of no use. */
  sentUseless(peer: number, bytes: number): void;
  /** Whether a peer's `want` is within what is answered. */
  takesWant(peer: number): boolean;
  /** The session's validators, or what this node is among them, may have changed. */
  renew(): void;
}

/** One connection that has greeted. */
interface Link {
  readonly socket: FrameSocket;
  readonly peer: number;
  /** The key that it greeted under. */
  readonly key: Uint8Array | undefined;
  /** True when this node made it. */
  readonly isDialed: boolean;
  /** Intervals since something came. */
  missedKeepalives: number;
  /** Whether something was sent in this interval. */
  spoke: boolean;
}

/** An address that is kept connected. */
interface Contact {
  readonly address: Address;
  /** Who greeted from there last. */
  peer: number | undefined;
  /** True when this node itself listens there. */
  isSelf: boolean;
  /** Greetings as a validator that came to nothing there, since the last that did not. */
  refusals: number;
}

/** Listens for peers, if it is asked to. */
export async function openPeers(options: PeersOptions): Promise<Peers> {
  const connections = new Connections(options);
  await connections.listen();
  return connections;
}

class Connections implements Peers {
  readonly #options: PeersOptions;
  readonly #strangers: StrangerLimits;
  /** By peer, the newest last: at most two of a validator, one of a follower. */
  readonly #links = new Map<number, Link[]>();
  readonly #contacts: Contact[] = [];
  /** Nonces of greetings that this node began, with what is known of the address. */
  readonly #nonces = new Map<string, Contact>();
  readonly #told = new Set<string>();
  /** When a validator's connection was lately replaced by a newer one, ms, by its index. */
  readonly #renewals = new Map<number, readonly number[]>();
  readonly #stop = new AbortController();
  readonly #keepalive = createAlarm(() => this.#keepAlive(), { background: true });
  readonly #scores = new PeerScores();
  #self: number | null;
  #followers = 0;
  #server: FrameServer | undefined;

  constructor(options: PeersOptions) {
    this.#options = options;
    this.#self = options.self();
    this.#strangers = {
      maxFrameBytes: maxGreetingBytes(options.proofs),
      deadlineMs: options.greetingMs ?? GREETING_MS,
      maxSockets: MAX_STRANGERS,
    };
  }

  get port(): number | undefined {
    return this.#server?.port;
  }

  async listen(): Promise<void> {
    this.#keepalive.set(this.#options.keepaliveMs ?? KEEPALIVE_MS);
    if (this.#options.listen === undefined) return;
    this.#server = await listenFrames(
      {
        ...this.#options.listen,
        option: "--peer-listen",
        maxFrameBytes: MAX_MESSAGE_BYTES,
        strangers: this.#strangers,
      },
      (socket) => this.#attach(socket, undefined, () => {}),
    );
  }

  connect(addresses: readonly Address[]): void {
    for (const address of addresses) {
      const contact: Contact = { address, peer: undefined, isSelf: false, refusals: 0 };
      this.#contacts.push(contact);
      keepConnected({
        address,
        strangers: this.#strangers,
        random: this.#options.random,
        signal: this.#stop.signal,
        isNeeded: () => this.#needs(contact),
        attach: (socket, onGreeted) => this.#attach(socket, contact, onGreeted),
      });
    }
  }

  /** Whether an address is to be dialed: nobody of there is connected, or refused. */
  #needs({ isSelf, peer }: Contact): boolean {
    return !isSelf &&
      (peer === undefined || !this.#links.has(peer) && !this.#isRefused(validatorName(peer)));
  }

  /** Greets whoever is at the other end. @param contact where it was dialed */
  #attach(socket: FrameSocket, contact: Contact | undefined, onGreeted: () => void): void {
    const nonce = this.#options.random(NONCE_BYTES);
    let link: Link | undefined;
    let closed = false;
    // Whose key was replaced while it was down learns of it from blocks, which followers get too.
    const follows = this.#self !== null && (contact?.refusals ?? 0) >= MAX_REFUSALS;
    const trial = createAlarm(() => socket.close(), { background: true });
    let judged = false;
    if (contact !== undefined) this.#nonces.set(toHex(nonce), contact);
    socket.onClose(() => {
      closed = true;
      trial.clear();
      this.#nonces.delete(toHex(nonce));
      if (contact !== undefined && !judged) {
        contact.refusals = follows ? MAX_REFUSALS - 1 : contact.refusals + 1;
      }
      if (link !== undefined) this.#forget(link);
    });
    socket.onOversize(() => {
      if (link !== undefined) this.penalize(link.peer, "oversize", socket);
    });
    greet(
      socket,
      follows ? { ...this.#options, self: () => null } : this.#options,
      {
        end: contact === undefined ? "listen" : "dial",
        nonce,
        isOwnNonce: (given) => this.#isOwn(given),
        maxFrameBytes: (peer) => peer === null ? MAX_FOLLOWER_FRAME_BYTES : MAX_MESSAGE_BYTES,
      },
      {
        onFrame: (frame) => {
          if (link === undefined) return;
          link.missedKeepalives = 0;
          // A frame without bytes is a sign of life.
          if (frame.length > 0) this.#options.onFrame(link.peer, frame);
        },
        onGreeted: (index) => {
          if (closed) return;
          onGreeted();
          if (contact !== undefined) contact.peer = index ?? undefined;
          if (follows) {
            trial.set(this.#options.followMs ?? FOLLOW_MS);
            this.#tellNotTaken();
          } else {
            judged = true;
            if (contact !== undefined) contact.refusals = 0;
          }
          link = this.#take(socket, index, contact !== undefined);
          if (link !== undefined) this.#options.onConnected(link.peer);
        },
        onRefused: (reason) => {
          judged = true;
          this.#tellDropped(reason, socket, contact);
        },
      },
    );
  }

  #isOwn(nonce: Uint8Array): boolean {
    const contact = this.#nonces.get(toHex(nonce));
    if (contact !== undefined) contact.isSelf = true;
    return contact !== undefined;
  }

  /** Keeps a connection that has greeted, unless there is a reason not to. */
  #take(socket: FrameSocket, index: number | null, isDialed: boolean): Link | undefined {
    const standing = index === null ? [] : this.#links.get(index) ?? [];
    const fault = this.#isRefused(index === null ? hostName(socket) : validatorName(index))
      ? "it misbehaved, and is refused for a while"
      : index === null
      ? this.#followerFault(socket)
      : isDialed && standing.some((link) => link.isDialed)
      ? `validator ${index} is connected by another address already`
      : undefined;
    if (fault !== undefined) {
      socket.close();
      this.#tellDropped(fault, socket, undefined);
      return undefined;
    }
    const peer = index ?? FIRST_FOLLOWER + this.#followers++;
    const key = index === null ? undefined : this.#options.keyOf?.(index);
    const link: Link = { socket, peer, key, isDialed, missedKeepalives: 0, spoke: false };
    this.#links.set(peer, [...standing, link]);
    if (index !== null && standing.length > 0) this.#noteRenewal(index);
    // One end decides which of two stands, so that never both are closed.
    const decides = index !== null && this.#self !== null && this.#self < index;
    for (const older of decides ? standing : standing.slice(0, -1)) older.socket.end();
    if (standing.length === 0) {
      const who = index === null ? "A follower" : `Validator ${index}`;
      this.#tellConnection(`${who} is connected`, { host: socket.remoteHost });
    }
    return link;
  }

  #noteRenewal(index: number): void {
    const nowMs = this.#nowMs();
    const lately = (this.#renewals.get(index) ?? []).filter((ms) => ms > nowMs - RENEWALS_MS);
    const isMany = lately.length + 1 >= MANY_RENEWALS;
    this.#renewals.set(index, isMany ? [] : [...lately, nowMs]);
    if (!isMany) return;
    const line = `Validator ${index} connects again and again: two nodes may run with its key`;
    this.#options.logger.log(this.#told.has(line) ? "debug" : "warn", line);
    this.#told.add(line);
  }

  #nowMs(): number {
    return (this.#options.nowMs ?? monotonicMs)();
  }

  #isRefused(name: string): boolean {
    return this.#scores.isRefused(name, this.#nowMs());
  }

  /** What a peer's record goes by: a validator's index, a follower's address. */
  #nameOf(peer: number, socket = this.#links.get(peer)?.[0]?.socket): string | undefined {
    if (!isFollower(peer)) return validatorName(peer);
    return socket && hostName(socket);
  }

  penalize(peer: number, offence: Offence, socket?: FrameSocket): void {
    const name = this.#nameOf(peer, socket);
    if (name === undefined) return;
    const verdict = this.#scores.note(name, offence, {
      nowMs: this.#nowMs(),
      mayRefuse: () => isFollower(peer) || this.#maySpare(peer),
    });
    if (verdict.type === "heard") return;
    const { refusedMs, why } = verdict;
    const how = refusedMs === 0 ? "Dropped" : "Refused";
    const long = refusedMs === 0 ? "" : ` for ${refusedMs / 1_000} s`;
    this.#options.logger.log("warn", `${how} ${name}${long}: ${why}`);
    for (const link of [...this.#links.values()].flat()) {
      if (this.#nameOf(link.peer, link.socket) === name) link.socket.close();
    }
  }

  sentUseless(peer: number, bytes: number): void {
    const name = this.#nameOf(peer);
    if (name === undefined) return;
    const offences = this.#scores.countUseless(name, bytes, this.#nowMs());
    for (let i = 0; i < offences; i++) this.penalize(peer, "useless");
  }

  takesWant(peer: number): boolean {
    const name = this.#nameOf(peer);
    if (name === undefined) return false;
    if (this.#scores.takesWant(name, this.#nowMs())) return true;
    this.penalize(peer, "wants");
    return false;
  }

  /** Whether this validator can be refused besides those that are. */
  #maySpare(peer: number): boolean {
    const refused = [peer];
    for (let other = 0; other < FIRST_FOLLOWER; other++) {
      if (other !== peer && this.#isRefused(validatorName(other))) refused.push(other);
    }
    return this.#options.maySpare?.(refused) ?? false;
  }

  #followerFault({ remoteHost }: FrameSocket): string | undefined {
    const followers = [...this.#links.values()].flat().filter(({ peer }) => isFollower(peer));
    if (followers.length >= (this.#options.maxFollowers ?? MAX_FOLLOWERS)) {
      return "it follows, and no more followers are taken";
    }
    const alike = followers.filter(({ socket }) => socket.remoteHost === remoteHost).length;
    return alike < MAX_FOLLOWERS_OF_HOST
      ? undefined
      : "it follows, and no more followers are taken from there";
  }

  #forget(gone: Link): void {
    const standing = (this.#links.get(gone.peer) ?? []).filter((link) => link !== gone);
    if (standing.length > 0) return void this.#links.set(gone.peer, standing);
    if (!this.#links.delete(gone.peer)) return;
    const who = isFollower(gone.peer) ? "A follower" : `Validator ${gone.peer}`;
    this.#tellConnection(`${who} is no longer connected`);
  }

  #tellConnection(message: string, fields?: Readonly<Record<string, string>>): void {
    const { logger, connectionLevel = "info" } = this.#options;
    logger.log(connectionLevel, message, fields);
  }

  #tellDropped(reason: string, socket: FrameSocket, contact: Contact | undefined): void {
    if (this.#stop.signal.aborted) return;
    const { logger } = this.#options;
    // An own address among the peers' is an easy way to give all validators one list.
    if (contact?.isSelf === true || reason === SELF) return;
    // Strangers come as often as they like: the log is not theirs to fill.
    const known = this.#told.has(reason) || this.#told.size >= MAX_REASONS;
    const fields = contact === undefined
      ? { host: socket.remoteHost }
      : { address: shownAddress(contact.address) };
    logger.log(known ? "debug" : "warn", `Dropped a peer: ${reason}`, fields);
    if (!known) this.#told.add(reason);
  }

  #tellNotTaken(): void {
    const line =
      `Peers do not take this node for validator ${this.#self}: it follows them to find ` +
      "out why; if its key was replaced, run the node with the new key";
    this.#options.logger.log(this.#told.has(line) ? "debug" : "warn", line);
    this.#told.add(line);
  }

  /** Drops connections that are dead, and shows on the others that this node is not. */
  #keepAlive(): void {
    this.#keepalive.set(this.#options.keepaliveMs ?? KEEPALIVE_MS);
    for (const link of [...this.#links.values()].flat()) {
      link.missedKeepalives++;
      if (link.missedKeepalives > MAX_MISSED_KEEPALIVES) link.socket.close();
      else if (!link.spoke) link.socket.send(new Uint8Array());
      link.spoke = false;
    }
  }

  send(to: number | "all", frame: Uint8Array): void {
    const peers = to === "all" ? this.#links.keys() : [to];
    for (const peer of peers) {
      const most = isFollower(peer) ? MAX_FOLLOWER_WAITING_BYTES : MAX_WAITING_BYTES;
      // One that the other end has ended takes nothing more: then the other one stands.
      const link = this.#links.get(peer)?.findLast(({ socket }) =>
        socket.waitingBytes < most && socket.send(frame)
      );
      if (link !== undefined) link.spoke = true;
    }
  }

  nearest(peer: number): number {
    if (this.#links.has(peer)) return peer;
    const connected = this.validators();
    return connected.find((other) => other > peer) ?? connected[0] ?? peer;
  }

  validators(): readonly number[] {
    return [...this.#links.keys()].filter((peer) => !isFollower(peer)).sort((a, b) => a - b);
  }

  renew(): void {
    const { keyOf, self } = this.#options;
    const isSame = self() === this.#self;
    this.#self = self();
    if (!isSame) { for (const contact of this.#contacts) contact.refusals = 0; }
    for (const { peer, key, socket } of [...this.#links.values()].flat()) {
      const due = isFollower(peer) ? undefined : keyOf?.(peer);
      if (!isSame || !sameKey(key, due)) socket.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#keepalive.clear();
    for (const { socket } of [...this.#links.values()].flat()) socket.close();
    await this.#server?.[Symbol.asyncDispose]();
  }
}

function validatorName(index: number): string {
  return `validator ${index}`;
}

function hostName({ remoteHost }: FrameSocket): string {
  return `followers at ${remoteHost}`;
}

function sameKey(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && equalBytes(a, b));
}
