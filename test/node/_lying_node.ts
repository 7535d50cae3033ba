/**
 * A node that lies in one place: everything else it says is what an honest devnet says.
 */
import type { Codec, JsonValue } from "#internal/core/mod.ts";
import { decode, encode, fromHex, parseJson, stringifyJson, toHex } from "#internal/core/mod.ts";
import type { Client, ClientOptions } from "#internal/client/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import type {
  Header,
  HeaderProof,
  LocksPage,
  PulseData,
  SessionStep,
  StateProof,
} from "#internal/proofs/mod.ts";
import {
  headerProofCodec,
  locksPageCodec,
  pulseDataCodec,
  sessionStepCodec,
  stateProofCodec,
} from "#internal/proofs/mod.ts";
import type { MethodName } from "#internal/rpc/mod.ts";
import { decodeRequest, encodeRequest, methods, RpcError } from "#internal/rpc/mod.ts";
import type { TestClient, TestDevnet } from "./devnet_fixture.ts";
import { startTestDevnet, temporaryFolder, testClient } from "./devnet_fixture.ts";

type Answer = Record<string, unknown>;
type Params = Record<string, unknown>;
/** Changes the honest answer to a call; what it throws is what the liar answers. */
export type Lie = (answer: Answer, params: Params) => Answer | Promise<Answer>;

export interface Case {
  readonly name: string;
  /** Number of the line, from 1, that has to fail. */
  readonly line: number;
  readonly reason: RegExp;
  readonly lies: Partial<Record<MethodName, Lie>>;
}

export let folder: ReturnType<typeof temporaryFolder>;
export let devnet: TestDevnet;
let other: ReturnType<typeof temporaryFolder>;
let otherNet: TestDevnet;
export let wallets: TestClient;
export let digests: string[];
/** The Pulse that is verified: in session 1 or later, with three transactions. */
export let pulse: number;
let sequence = 0n;

/** Pays until a Pulse is certified: an idle chain takes its time. */
export const certified = async (number: number): Promise<void> => {
  while ((await devnet.calls.status({})).certified_pulse < number) {
    const paid = await wallets.pay("carol", "bob", 1n, sequence++);
    await devnet.calls.receipt({ digest: paid.digests[0] as string, wait_ms: 15_000 });
  }
};

/** Starts the devnets and has something executed. */
export async function startLab(): Promise<void> {
  folder = temporaryFolder();
  other = temporaryFolder();
  devnet = await startTestDevnet(folder.path, { shape: { epochPulses: 4 } });
  otherNet = await startTestDevnet(other.path, { which: [0], shape: { validators: 1 } });
  wallets = testClient(devnet.calls, devnet.chain);
  await certified(9);
  const batch = await wallets.signed("alice", 0n, [
    await wallets.payAction("bob", 1n),
    await wallets.payAction("carol", 2n),
    await wallets.payAction("dana", 3n),
  ]);
  digests = [...(await wallets.submit(batch)).digests];
  const told = await devnet.calls.receipt({ digest: digests[0] as string, wait_ms: 15_000 });
  pulse = told.receipt?.pulse as number;
  await certified(pulse + 2);
}
/** Ends them. */
export async function stopLab(): Promise<void> {
  await devnet[Symbol.asyncDispose]();
  await otherNet[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
  other[Symbol.dispose]();
}

export async function honest(method: MethodName, params: unknown, from = devnet): Promise<Answer> {
  const read = decodeRequest(methods[method], encodeRequest(methods[method], params));
  const call = from.calls[method] as (params: unknown, options: object) => Promise<unknown>;
  return parseJson(stringifyJson(await call(read, {}))) as Answer;
}

/** A client whose node tells these lies. */
export function lied(lies: Case["lies"], more: Partial<ClientOptions> = {}): Client {
  return openClient({
    env: {},
    home: `${folder.path}/home`,
    chain: devnet.chain,
    async transport(name, params) {
      const method = name as MethodName;
      const lie = lies[method];
      // A liar also answers what an honest node has nothing to say to.
      const answer = await honest(method, params).catch((error: unknown): Answer => {
        if (lie === undefined) throw error;
        return {};
      });
      return lie === undefined ? answer : await lie(answer, params as Params) as JsonValue;
    },
    ...more,
  });
}

/** Decodes `bytes` of the answer, changes the value, encodes it again. */
export function edited<T>(codec: Codec<T>, change: (value: T) => T | Promise<T>): Lie {
  return async (answer) => {
    const value = decode(codec, fromHex(answer["bytes"] as string));
    return { ...answer, bytes: toHex(encode(codec, await change(value))) };
  };
}
export const flipped = (bytes: Uint8Array, at = 5): Uint8Array =>
  bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));
export const flip: Lie = (answer) => ({
  ...answer,
  bytes: toHex(flipped(fromHex(answer["bytes"] as string), 40)),
});
export const refuse: Lie = () => {
  throw new RpcError("not-found", "There is none here");
};
export const insteadOf = (method: MethodName, params: () => unknown): Lie => () =>
  honest(method, params());
export const ofOtherChain = (method: MethodName, params: unknown): Lie => () =>
  honest(method, params, otherNet);

export const header = (change: (value: Header) => Partial<Header>): Lie =>
  edited(headerProofCodec, ({ before, certificate }: HeaderProof): HeaderProof => {
    const [first, ...rest] = [...before, certificate.header] as Header[];
    const headers = [{ ...first, ...change(first as Header) } as Header, ...rest];
    const last = headers.pop() as Header;
    return { before: headers, certificate: { header: last, items: certificate.items } };
  });
export const items = (
  change: (items: HeaderProof["certificate"]["items"]) => HeaderProof["certificate"]["items"],
): Lie =>
  edited(headerProofCodec, (proof: HeaderProof): HeaderProof => ({
    ...proof,
    certificate: { ...proof.certificate, items: change(proof.certificate.items) },
  }));
const data = (change: (value: PulseData) => PulseData): Lie =>
  edited(pulseDataCodec, change as never);
export const published =
  (change: (value: PulseData) => PulseData): Lie => async (answer, params) => {
    const lie = await data(change)(answer, params);
    return { ...lie, size: (lie["bytes"] as string).length / 2 };
  };
export const locks = (change: (page: LocksPage) => LocksPage): Lie =>
  edited(locksPageCodec, change as never);
export const firstLock = (
  change: (items: LocksPage["locks"][number]["body"]["items"]) => readonly unknown[],
): Lie =>
  locks(({ blocks, locks: [first, ...rest] }) => ({
    blocks,
    locks: [{ ...first, body: { items: change(first?.body.items ?? []) } }, ...rest],
  } as LocksPage));
export const state = (change: (proof: StateProof) => StateProof): Lie =>
  edited(stateProofCodec, change as never);
export const step =
  (change: (step: SessionStep) => SessionStep | Promise<SessionStep>): Lie => async (answer) => {
    const [first, ...rest] = answer["steps"] as string[];
    const value = decode(sessionStepCodec, fromHex(first as string));
    return { ...answer, steps: [toHex(encode(sessionStepCodec, await change(value))), ...rest] };
  };
export const receiptsList = (change: (list: string[]) => string[]): Lie => (answer) => {
  const list = change(answer["receipts"] as string[]);
  return { ...answer, receipts: list, count: list.length };
};
export const share = (change: (bytes: Uint8Array) => Uint8Array): Lie => (answer) => ({
  ...answer,
  shares: (answer["shares"] as string[]).map((hex, i) =>
    i === 7 ? toHex(change(fromHex(hex))) : hex
  ),
});
