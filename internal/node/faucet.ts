/** A devnet's faucet: the asked validator's operator signs, pays the fee, and waits for the receipt. */
import type { AccountId, Random } from "#internal/core/mod.ts";
import { fromHex, toHex } from "#internal/core/mod.ts";
import type { Member, Policy, SignedUnit, Unit } from "#internal/ledger/mod.ts";
import { accountId, NO_SALT, policyOfKey } from "#internal/ledger/mod.ts";
import type { MethodParams, MethodResult } from "#internal/rpc/mod.ts";
import { devnetWalletSeed, MAX_WAIT_MS, operatorName, RpcError } from "#internal/rpc/mod.ts";
import { receiptView } from "./pulse_contents.ts";
import type { ValidatorParts } from "./parts.ts";

/** Pulses for which a faucet's transaction is valid. */
const VALID_PULSES = 20n;

/** A faucet. */
export interface Faucet {
  /**
   * Mints `amount` micro-USD for an account.
   * @throws {RpcError} `refused` with the ledger's reason.
   */
  give(
    params: MethodParams<"faucet">,
    signal: AbortSignal | undefined,
  ): Promise<MethodResult<"faucet">>;
}

interface Operator {
  readonly account: AccountId;
  readonly policy: Policy;
  sign(unit: Unit): Promise<SignedUnit>;
}

/** The faucet of a validator; its operator's keys are made at first use. */
export function createFaucet(parts: ValidatorParts, random: Random): Faucet {
  const kind = parts.ledger.kinds.find(({ name }) => name === "faucet");
  let operator: Promise<Operator> | undefined;
  let before: Promise<unknown> = Promise.resolve();

  /** Signs and hands in one transaction; the next one sees this one's slot as taken. */
  const handIn = async (params: MethodParams<"faucet">): Promise<string> => {
    const body = { account: params.account, amount: params.amount };
    const fault = kind?.check?.(body);
    if (kind === undefined || fault !== undefined) {
      throw new RpcError("refused", fault ?? "this chain's ledger has no faucet");
    }
    const index = parts.operator();
    if (index === undefined) {
      throw new RpcError("refused", "this node only follows: ask a validator for money");
    }
    operator ??= operatorOf(parts, index, random);
    const { account, policy, sign } = await operator;
    const member: Member = {
      account,
      sequence: parts.machine.nextSequence(account),
      kind: kind.name,
      body,
    };
    const unit = faucetUnit(parts, member, policy);
    const signed = await sign(unit);
    const digest = parts.ledger.unitDigest(unit);
    const bytes = parts.ledger.encodeSigned(signed);
    const answer = await parts.handIn({ unit: digest, signed, bytes, forced: false });
    if (answer.type === "refused" && parts.machine.state().account(account) === undefined) {
      throw new RpcError(
        "refused",
        `the faucet's fee is paid by operator-${index}, which has no money: make the genesis with ` +
          `--fund operator-${index}=1`,
      );
    }
    if (answer.type !== "accepted") {
      throw new RpcError(
        "refused",
        answer.type === "refused" ? answer.reason : "the operator has another payment under way",
      );
    }
    parts.journal.seen(unit);
    return parts.ledger.memberDigests(unit)[0] as string;
  };

  return {
    async give(params, signal) {
      const mine = before.then(() => handIn(params));
      before = mine.catch(() => {});
      const digest = await mine;
      await parts.journal.wait(digest, "executed", { ms: MAX_WAIT_MS, signal });
      const found = parts.journal.find(digest);
      const receipt = found?.contents.receipts[found.index];
      if (found === undefined || receipt === undefined) {
        throw new RpcError("refused", `its transaction ${digest} is not executed yet`);
      }
      return {
        digest,
        pulse: Number(parts.machine.header().number),
        receipt: receiptView(receipt),
        tx: toHex(found.contents.unitOf(found.index) ?? new Uint8Array()),
      };
    },
  };
}

function faucetUnit(parts: ValidatorParts, member: Member, policy: Policy): Unit {
  const unit = {
    chain: parts.facts.chain,
    validUntil: parts.machine.header().number + VALID_PULSES,
    maxFee: 0n,
    members: [member],
  };
  const fees = parts.ledger.fees({ unit, authorization: { policy } });
  return { ...unit, maxFee: fees.reduce((sum, fee) => sum + fee, 0n) };
}

async function operatorOf(
  { backend, ledger }: ValidatorParts,
  index: number,
  random: Random,
): Promise<Operator> {
  const seed = devnetWalletSeed(operatorName(index));
  const keys = await backend.keysFromSeed(seed);
  const policy = policyOfKey(keys.publicKey);
  return {
    account: accountId(policy, NO_SALT),
    policy,
    async sign(unit) {
      const digest = fromHex(ledger.unitDigest(unit));
      const signature = await backend.sign(keys, digest, random);
      return {
        unit,
        authorization: { policy, salts: [NO_SALT], signatures: [{ key: 0, signature }] },
      };
    },
  };
}
