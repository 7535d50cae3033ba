/** Four validators with insecure signatures in this process, on real stores and sockets. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AccountId, Logger } from "#internal/core/mod.ts";
import { fromHex, parseJson, silentLogger, stringifyJson } from "#internal/core/mod.ts";
import type { Client, ClientOptions } from "#internal/client/mod.ts";
import { openClient } from "#internal/client/mod.ts";
import type { Tuning } from "#internal/consensus/mod.ts";
import type { DualBackend } from "#internal/crypto/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import type { Ledger, Member, Policy, SignedUnit, Unit } from "#internal/ledger/mod.ts";
import { accountId, createLedger, NO_SALT, policyOfKey, USD } from "#internal/ledger/mod.ts";
import type { MethodName, MethodResult, RpcCalls } from "#internal/rpc/mod.ts";
import { decodeRequest, devnetWalletSeed, encodeRequest, methods } from "#internal/rpc/mod.ts";
import { systemClock, systemRandom } from "#internal/runtime/mod.ts";
import type { DevnetFolder, DevnetShape } from "../../internal/node/devnet_folder.ts";
import { openDevnetFolder } from "../../internal/node/devnet_folder.ts";
import type { OpenValidator } from "../../internal/node/validator.ts";
import { openValidator } from "../../internal/node/validator.ts";
import type { Address } from "../../internal/node/dialer.ts";

/** A wallet of the devnet. */
export interface TestWallet {
  readonly account: AccountId;
  readonly policy: Policy;
  sign(unit: Unit): Promise<SignedUnit>;
}

/** The deterministic wallet of a name. */
export async function testWallet(
  name: string,
  ledger: Ledger,
  backend?: DualBackend,
): Promise<TestWallet> {
  const dual = backend ?? await loadDualBackend("insecure");
  const keys = await dual.keysFromSeed(devnetWalletSeed(name));
  const policy = policyOfKey(keys.publicKey);
  return {
    account: accountId(policy, NO_SALT),
    policy,
    async sign(unit) {
      const signature = await dual.sign(keys, fromHex(ledger.unitDigest(unit)), systemRandom);
      return {
        unit,
        authorization: {
          policy,
          salts: unit.members.map(() => NO_SALT),
          signatures: [{ key: 0, signature }],
        },
      };
    },
  };
}

/** A transaction before it has its slot. */
type Action = Pick<Member, "kind" | "body">;

/** Signs units of the devnet's wallets and hands them in. */
export interface TestClient {
  readonly ledger: Ledger;
  wallet(name: string): Promise<TestWallet>;
  /** A unit of one member for each action, from a slot on; its fee and validity are filled in. */
  signed(
    name: string,
    sequence: bigint,
    actions: readonly Action[],
    more?: Partial<Unit>,
  ): Promise<SignedUnit>;
  payAction(to: string, amount: bigint): Promise<Action>;
  submit(unit: SignedUnit): Promise<MethodResult<"submit">>;
  pay(
    from: string,
    to: string,
    amount: bigint,
    sequence: bigint,
  ): Promise<MethodResult<"submit">>;
  /** Micro-USD. */
  balance(name: string): Promise<bigint>;
}

/** A client of a node. @param backend signs; the insecure one unless given. */
export function testClient(calls: RpcCalls, chain: string, backend?: DualBackend): TestClient {
  const ledger = createLedger();
  const wallets = new Map<string, Promise<TestWallet>>();
  const wallet = (name: string): Promise<TestWallet> => {
    const known = wallets.get(name) ?? testWallet(name, ledger, backend);
    wallets.set(name, known);
    return known;
  };
  const signed = async (
    name: string,
    sequence: bigint,
    actions: readonly Pick<Member, "kind" | "body">[],
    more: Partial<Unit> = {},
  ): Promise<SignedUnit> => {
    const { account, policy, sign } = await wallet(name);
    const { pulse } = await calls.status({});
    const members = actions.map((action, i) => ({
      account,
      sequence: sequence + BigInt(i),
      ...action,
    }));
    const unit: Unit = { chain, validUntil: BigInt(pulse) + 40n, maxFee: 0n, members, ...more };
    const fees = ledger.fees({ unit, authorization: { policy } });
    return await sign({ ...unit, maxFee: more.maxFee ?? fees.reduce((a, b) => a + b, 0n) });
  };
  const payAction = async (to: string, amount: bigint) => ({
    kind: "pay",
    body: { asset: USD, outputs: [[(await wallet(to)).account, amount]] },
  });
  return {
    ledger,
    wallet,
    signed,
    payAction,
    submit: (unit: SignedUnit) => calls.submit({ tx: ledger.encodeSigned(unit) }),
    async pay(
      from: string,
      to: string,
      amount: bigint,
      sequence: bigint,
    ): Promise<MethodResult<"submit">> {
      const unit = await signed(from, sequence, [await payAction(to, amount)]);
      return await calls.submit({ tx: ledger.encodeSigned(unit) });
    },
    async balance(name: string): Promise<bigint> {
      const { account } = await wallet(name);
      return (await calls.account({ account })).balances[0]?.amount ?? 0n;
    },
  };
}

/** A node's calls behind the contract's JSON, as over HTTP. */
export function overJson(calls: RpcCalls): NonNullable<ClientOptions["transport"]> {
  return async (name, params, { signal }) => {
    const method = name as MethodName;
    const read = decodeRequest(methods[method], encodeRequest(methods[method], params));
    const call = calls[method] as (params: unknown, options: object) => Promise<unknown>;
    return parseJson(stringifyJson(await call(read, { signal })));
  };
}

/** A client that pins the chain and speaks to a node of this process. @param home its folder. */
export function pinnedClient(calls: RpcCalls, chain: string, home: string): Client {
  return openClient({ env: {}, home, chain, transport: overJson(calls) });
}

/** A running devnet of one process. */
export interface TestDevnet extends AsyncDisposable {
  readonly folder: DevnetFolder;
  readonly validators: readonly OpenValidator[];
  readonly calls: RpcCalls;
  readonly chain: string;
}

/** Starts validators on a folder; `which` names those that run. */
export async function startTestDevnet(
  path: string,
  options: {
    shape?: DevnetShape;
    which?: readonly number[];
    logger?: Logger;
    tuning?: Partial<Tuning>;
    keptRounds?: number;
  } = {},
): Promise<TestDevnet> {
  const folder = await openDevnetFolder({
    path,
    shown: "~/d",
    shape: { insecureSignatures: true, ...options.shape },
    random: systemRandom,
    nowMs: systemClock.nowMs(),
  });
  const token = new Uint8Array(32);
  const validators: OpenValidator[] = [];
  for (const place of folder.validators) {
    if (options.which !== undefined && !options.which.includes(place.index)) continue;
    const validator = await openValidator({
      genesis: folder.genesis,
      place,
      fresh: folder.fresh,
      shown: "~/d",
      peering: { kind: "run", index: place.index, token },
      clock: systemClock,
      random: systemRandom,
      // Signatures cost nothing here, so rounds need not be paced for them.
      tuning: {
        burst: 16,
        refillMs: 10,
        loadedMs: 10,
        gatherMs: 1,
        trailMs: 10,
        allMs: 20,
        restMs: 30,
        ...options.tuning,
      },
      ...(options.keptRounds === undefined ? {} : { keptRounds: options.keptRounds }),
      logger: options.logger ?? silentLogger,
      onFault: (error) => {
        throw error;
      },
    });
    validators.push(validator);
  }
  await folder.complete();
  const addresses = addressesOf(validators);
  validators.forEach((validator, i) => validator.start(addresses.slice(i + 1)));
  const first = validators[0] as OpenValidator;
  return {
    folder,
    validators,
    calls: first.calls,
    chain: first.chain,
    async [Symbol.asyncDispose]() {
      for (const validator of validators) await validator[Symbol.asyncDispose]();
    },
  };
}

/** Where validators listen for their peers. */
export function addressesOf(validators: readonly OpenValidator[]): Address[] {
  return validators.map(({ port = 0 }) => ({ host: "127.0.0.1", port }));
}

/** A temporary folder that goes with its test. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "sion-devnet-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}
