/** Spawned agents of a run: all that a transaction asks for is there after its Pulse, or nothing. */
import type { PulseEffect } from "#internal/consensus/mod.ts";
import { idBytes } from "#internal/core/mod.ts";
import type {
  Action,
  Allotment,
  Charter,
  Identity,
  LedgerObject,
  Receipt,
  SignedUnit,
} from "#internal/ledger/mod.ts";
import { accountId, objectId } from "#internal/ledger/mod.ts";
import type { KnownUnit } from "./statement_book.ts";
import type { KnownState } from "./memory_oracle.ts";
import { Violation } from "./violation.ts";

type Spawned = Extract<Action, { kind: "spawn_agents" }>["body"];

/** A unit as its owner signed it, with all that it holds. */
export interface SignedKnown extends KnownUnit {
  readonly signed?: SignedUnit;
}

/** Objects that one transaction could make at most. */
const MOST_MADE = 96;

/** Looks at every transaction that spawns, in the Pulse that it is in. */
export class SpawnOracle {
  /** Agents that were spawned. */
  spawned = 0;
  /** The state before. */
  #before: KnownState | undefined;

  /** @throws {Violation} `agents` when a part is missing, or is there although it failed. */
  pulse(
    { number, state, receipts }: PulseEffect,
    unitOf: (digest: string) => SignedKnown | undefined,
  ): void {
    for (const receipt of receipts) {
      const { signed } = unitOf(receipt.unit) ?? {};
      const action = signed?.unit.members[receipt.index];
      if (receipt.kind !== "spawn_agents" || signed === undefined || action === undefined) continue;
      const fault = receipt.outcome.kind === "success"
        ? this.#faultOf(state, receipt, action.body as Spawned, signed.authorization.policy)
        : faultOfFailed(state, receipt);
      if (fault === undefined) continue;
      throw new Violation("agents", `${receipt.digest.slice(0, 8)} in Pulse ${number} ${fault}`);
    }
    this.#before = state;
  }

  #faultOf(
    state: KnownState,
    receipt: Receipt,
    body: Spawned,
    policy: Parameters<typeof accountId>[0],
  ): string | undefined {
    const { agents, charter, parent, source } = body;
    const objects = new Map<string, LedgerObject | undefined>(
      receipt.made.map((id) => [id, state.at(id)]),
    );
    const made = [...receipt.made];
    const next = <V>(kind: string): { id: string; value: V } | undefined => {
      const id = made.shift() ?? "";
      const object = objects.get(id);
      return object?.kind === kind ? { id, value: object.value as V } : undefined;
    };
    const above = parent === null ? undefined : state.at(parent)?.value as Identity;
    let total = 0n;
    for (const { name, account, budget } of agents) {
      const agent = next<Identity>("identity");
      const acts = account ?? accountId(policy, idBytes(agent?.id ?? "00".repeat(32)));
      if (agent?.value.name !== name || agent.value.account !== acts) return `lacks agent ${name}`;
      const { depth, principal, registered } = agent.value;
      if (agent.value.parent !== parent || depth !== (above?.depth ?? 0) + 1) {
        return `has ${name} in another place`;
      }
      if (principal !== (above?.principal ?? receipt.account) || registered !== receipt.pulse) {
        return `has ${name} under another person, or of another Pulse`;
      }
      this.spawned++;
      if (budget === null) continue;
      total += budget.amount;
      const given = next<Charter>("charter");
      if (given?.value.agent !== agent.id || given.value.parent !== charter) {
        return `lacks the charter of ${name}`;
      }
      const money = next<Allotment>("allotment")?.value;
      const sum = (money?.balance ?? 0n) + (money?.spent ?? 0n);
      if (money?.charter !== given.id || money.source !== source || sum !== budget.amount) {
        return `lacks the money of ${name}`;
      }
    }
    if (made.length > 0) return "makes more than it asks for";
    return this.#faultOfSource(state, source, total);
  }

  /** Nothing else draws on the source, and nothing goes back to it, in a run. */
  #faultOfSource(state: KnownState, source: string | null, total: bigint): string | undefined {
    if (source === null) return undefined;
    const left = (of: KnownState | undefined): bigint =>
      (of?.at(source)?.value as Allotment | undefined)?.balance ?? 0n;
    return left(this.#before) - left(state) === total
      ? undefined
      : "took another sum from its source";
  }
}

function faultOfFailed(state: KnownState, { digest, made }: Receipt): string | undefined {
  const left = Array.from({ length: MOST_MADE }, (_, at) => state.at(objectId(digest, at)));
  return made.length > 0 || left.some((object) => object !== undefined)
    ? "failed and left something"
    : undefined;
}
