/** Clients' units on their way between nodes. */
import { MAX_SIGNED_UNIT_BYTES } from "#internal/core/mod.ts";
import { describe, expect, test } from "vitest";
import type { Answer } from "#internal/consensus/mod.ts";
import type { Ledger, SignedUnit } from "#internal/ledger/mod.ts";
import { committeeOf } from "#internal/proofs/mod.ts";
import type { HandedIn, Relay, RelayOptions } from "../../internal/node/relay.ts";
import { createRelay } from "../../internal/node/relay.ts";
import { decodeRelayMessage, encodeAnswer, encodeSubmit } from "../../internal/node/relay_wire.ts";

const committee = committeeOf(
  [0, 1, 2, 3].map((n) => ({ publicKey: new Uint8Array(32).fill(n), stake: 1n })),
);
const UNIT = "ab".repeat(32);
const ACCEPTED: Answer = { type: "accepted" };
const SLOT: Answer = { type: "refused", code: "slot", reason: "slot 3 is used, 4 is next" };
const BUSY: Answer = { type: "refused", code: "busy", reason: "too much waits here" };
const LOCKED: Answer = { type: "locked", by: "cd".repeat(32) };

const given = (more: Partial<HandedIn> = {}): HandedIn => ({
  unit: UNIT,
  signed: {} as SignedUnit,
  bytes: new Uint8Array([7, 8]),
  forced: false,
  ...more,
});

/** What a node is asked and answers. */
interface Desk {
  readonly relay: Relay;
  /** Units that were handed to this validator. */
  readonly submitted: boolean[];
}

/** Nodes by number, a follower among them; messages arrive at once. */
function net(answers: { readonly [index: number]: Answer | "silent" }, follower = 300) {
  const desks = new Map<number, Desk>();
  const sent: [from: number, to: number][] = [];
  const make = (self: number | null, number: number, more: Partial<RelayOptions> = {}): Desk => {
    const submitted: boolean[] = [];
    const relay = createRelay({
      committee: () => committee,
      self: () => self,
      validators: () => Object.keys(answers).map(Number).filter((index) => index !== self),
      send(to, frame) {
        sent.push([number, to]);
        if (answers[to] !== "silent") desks.get(to)?.relay.offerFrame(number, frame);
      },
      ledger: {
        decodeSigned: () => ({ unit: {} }),
        unitDigest: () => UNIT,
      } as unknown as Ledger,
      intake: { offerUnit: () => Promise.resolve(true) },
      driver: {
        submit(_unit, _signed, forced) {
          submitted.push(forced);
          return answers[number] as Answer;
        },
      },
      answerMs: 20,
      onOffence: () => {},
      onFault(error) {
        throw error;
      },
      ...more,
    });
    const desk = { relay, submitted };
    desks.set(number, desk);
    return desk;
  };
  const validators = [0, 1, 2, 3].map((index) => make(index, index));
  return { validators, follower: make(null, follower), sent, make };
}

describe("createRelay()", () => {
  test("handIn() of a validator takes a unit itself and passes it on to nobody", async () => {
    const { validators, sent } = net({ 0: LOCKED, 1: ACCEPTED, 2: ACCEPTED, 3: ACCEPTED });
    expect(await validators[0]?.relay.handIn(given())).toEqual(LOCKED);
    expect(sent).toEqual([]);
  });

  test("handIn() of a validator passes a forced unit on to one more of four", async () => {
    const { validators, sent } = net({ 0: ACCEPTED, 1: SLOT, 2: ACCEPTED, 3: ACCEPTED });
    expect(await validators[0]?.relay.handIn(given({ forced: true }))).toEqual(ACCEPTED);
    await expect.poll(() => validators[1]?.submitted).toEqual([true]);
    // What a peer hands in goes no further.
    expect(sent).toEqual([[0, 1], [1, 0]]);
  });

  test("handIn() of a validator that refuses a forced unit passes it on to nobody", async () => {
    const { validators, sent } = net({ 0: SLOT, 1: ACCEPTED, 2: ACCEPTED, 3: ACCEPTED });
    expect(await validators[0]?.relay.handIn(given({ forced: true }))).toEqual(SLOT);
    expect(sent).toEqual([]);
  });

  test.each([ACCEPTED, LOCKED, SLOT])(
    "handIn() of a follower answers what a validator says: %j",
    async (answer) => {
      const { follower, validators } = net({ 0: answer, 1: ACCEPTED });
      expect(await follower.relay.handIn(given())).toEqual(answer);
      expect(validators.map(({ submitted }) => submitted)).toEqual([[false], [], [], []]);
    },
  );

  test("handIn() of a follower asks another validator when one is silent or has no room", async () => {
    const { follower } = net({ 0: "silent", 1: BUSY, 2: ACCEPTED });
    expect(await follower.relay.handIn(given())).toEqual(ACCEPTED);
  });

  test("handIn() of a follower says so when no validator takes it", async () => {
    const { follower } = net({ 0: "silent", 1: BUSY });
    await expect(follower.relay.handIn(given())).rejects.toMatchObject({
      code: "busy",
      data: { retry_after_ms: 1_000 },
    });
  });

  test("handIn() of a follower that is connected to no validator says so at once", async () => {
    const { follower } = net({});
    for (const forced of [false, true]) {
      await expect(follower.relay.handIn(given({ forced }))).rejects.toMatchObject({
        code: "unconnected",
      });
    }
  });

  test("handIn() of a follower hands a forced unit to two of four, and one that accepts decides", async () => {
    const { follower, validators } = net({ 0: SLOT, 1: ACCEPTED, 2: ACCEPTED, 3: ACCEPTED });
    expect(await follower.relay.handIn(given({ forced: true }))).toEqual(ACCEPTED);
    expect(validators.map(({ submitted }) => submitted)).toEqual([[true], [true], [], []]);
    const refusing = net({ 0: SLOT, 1: LOCKED, 2: ACCEPTED });
    expect(await refusing.follower.relay.handIn(given({ forced: true }))).toEqual(SLOT);
  });

  test("offerFrame() refuses what cannot be read, what is forged, and more than may be open", async () => {
    const got: Answer[] = [];
    const offences: string[] = [];
    const open = Promise.withResolvers<boolean>();
    let holds = Promise.resolve(false);
    const { make } = net({});
    const { relay } = make(9, 9, {
      send(_to, frame) {
        const message = decodeRelayMessage(frame);
        if (message.kind === "answer") got.push(message.answer);
      },
      intake: { offerUnit: () => holds },
      onOffence: (_from, offence) => offences.push(offence),
    });
    const frame = encodeSubmit({ request: 1, forced: false, unit: new Uint8Array(3) });
    expect(relay.offerFrame(300, frame)).toBe(true);
    await expect.poll(() => got).toEqual([
      { type: "refused", code: "authorization", reason: "a signature is not valid" },
    ]);
    holds = open.promise;
    for (let n = 0; n < 257; n++) relay.offerFrame(300, frame);
    await expect.poll(() => got).toHaveLength(2);
    expect(got[1]).toEqual(BUSY);
    open.resolve(false);
    expect(offences).toEqual(["bad-signature"]);
    expect(relay.offerFrame(300, new Uint8Array([64, 1]))).toBe(true);
    expect(offences[1]).toBe("undecodable");
    expect(relay.offerFrame(300, new Uint8Array([3]))).toBe(false);
  });

  test("offerFrame() takes an answer only from the peer that was asked", async () => {
    const { make } = net({ 0: "silent" });
    const { relay } = make(null, 301);
    const asked = relay.handIn(given());
    relay.offerFrame(1, encodeAnswer(1, ACCEPTED));
    await expect(asked).rejects.toMatchObject({ code: "busy" });
  });

  test("close() ends what waits for an answer", async () => {
    const { make } = net({ 0: "silent" });
    const { relay } = make(null, 301, { answerMs: 60_000 });
    const asked = relay.handIn(given());
    relay.close();
    await expect(asked).rejects.toMatchObject({ code: "busy" });
  });
});

describe("relay messages", () => {
  test.each<Answer>([ACCEPTED, LOCKED, SLOT])(
    "an answer is read as it was written: %j",
    (answer) => {
      expect(decodeRelayMessage(encodeAnswer(7, answer))).toEqual({
        kind: "answer",
        request: 7,
        answer,
      });
    },
  );

  test("the largest unit fits into a follower's frame", () => {
    const unit = new Uint8Array(MAX_SIGNED_UNIT_BYTES);
    expect(encodeSubmit({ request: 1, forced: false, unit }).length).toBeLessThan(524_304);
  });

  test("a unit is read as it was written, and no other bytes are", () => {
    const body = { request: 9, forced: true, unit: new Uint8Array([1, 2, 3]) };
    const frame = encodeSubmit(body);
    expect(decodeRelayMessage(frame)).toEqual({ kind: "submit", body });
    expect([...frame]).toEqual([64, 9, 0, 0, 0, 1, 3, 1, 2, 3]);
    for (
      const broken of [frame.subarray(1), frame.subarray(0, -1), new Uint8Array([...frame, 0])]
    ) {
      expect(() => decodeRelayMessage(broken)).toThrow();
    }
  });
});
