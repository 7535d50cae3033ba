/** The oracles see what they are there for, and nothing in what is allowed. */
import { describe, expect, it } from "vitest";
import type { Block, Statement } from "#internal/consensus/mod.ts";
import { committeeOf } from "#internal/proofs/mod.ts";
import { Disk } from "./disk.ts";
import { PRODUCT } from "./rules.ts";
import type { KnownUnit } from "./statement_book.ts";
import { slotName, StatementBook } from "./statement_book.ts";
import type { MemoryLog } from "#internal/ledger/mod.ts";
import type { Claim, LedgerState, Staking, Validator } from "#internal/ledger/mod.ts";
import {
  bondedStake,
  claimKind,
  createLedger,
  genesisState,
  STAKING,
  stakingKind,
  validatorKind,
} from "#internal/ledger/mod.ts";
import { bondsOf } from "../../internal/ledger/objects/claim.ts";
import { backedClaim, reserve } from "../ledger/_claims.ts";
import { accountOf, usd, World } from "../ledger/_world.ts";
import { ClaimsOracle } from "./claims_oracle.ts";
import type { MemoryHead } from "#internal/memory/mod.ts";
import { growing } from "../ledger/_memory.ts";
import { LOG_ATOMS } from "./memory_life.ts";
import type { KnownState } from "./memory_oracle.ts";
import { MemoryOracle } from "./memory_oracle.ts";
import { earningWorld } from "../ledger/_staking.ts";
import { idOf } from "../ledger/_validators.ts";
import type { StakePulse } from "./stake_oracle.ts";
import { StakeOracle } from "./stake_oracle.ts";

const ACCOUNT = "aa".repeat(32);
const SLOT = slotName(ACCOUNT, 0n);

function bookOf(liar: number | null = null) {
  const validators = [0, 1, 2, 3].map((i) => ({
    publicKey: new Uint8Array(1344).fill(i + 1),
    stake: 100_000n,
  }));
  const units = new Map<string, KnownUnit>(["a", "b"].map((digest) => [
    digest,
    // Bound 17.
    { digest, validUntil: 5n, slots: [SLOT], isCertain: true, isForbidden: false },
  ]));
  const final: string[] = [];
  const open = { close: 1000, below: 1000 };
  const book = new StatementBook({
    committeeOf: () => committeeOf(validators),
    rules: PRODUCT,
    liar,
    unit: (digest) => units.get(digest),
    closeRound: () => open.close,
    openBelow: () => open.below,
    final: ({ digest }) => final.push(digest),
  });
  let made = 0;
  const sign = (author: number, round: number, ...statements: Statement[]): void => {
    const header = { author, session: 0, round };
    book.signed({ id: `block-${made++}`, header, body: { statements } } as unknown as Block);
  };
  return { book, sign, final, open };
}
const vote = (unit: string): Statement => ({ kind: "vote", body: { unit } });
const confirm = (unit: string): Statement => ({ kind: "confirm", body: { unit } });
const stop = (named: string | null): Statement => ({
  kind: "stop",
  body: { account: ACCOUNT, sequence: 0n, named },
});
const pulseVote = (pulse: bigint, byte: number): Statement => ({
  kind: "pulse_vote",
  body: { pulse, header: new Uint8Array(32).fill(byte) },
});

describe("StatementBook", () => {
  it("refuses two blocks of one round", () => {
    const { sign } = bookOf();
    sign(0, 3);
    sign(1, 3);
    expect(() => sign(0, 3)).toThrow("equivocation: validator 0 signed block-0");
  });

  it("refuses two votes on a slot below the bound, and allows the second from it on", () => {
    const { sign } = bookOf();
    sign(0, 3, vote("a"));
    sign(1, 3, vote("a"));
    expect(() => sign(0, 16, vote("b"))).toThrow("votes for two units");
    expect(() => sign(1, 17, vote("b"))).not.toThrow();
  });

  it("refuses two Confirms on a slot below the bound, and allows the second from it on", () => {
    const { sign } = bookOf();
    sign(0, 3, confirm("a"));
    sign(1, 3, confirm("a"));
    expect(() => sign(0, 16, confirm("b"))).toThrow("confirms two units");
    expect(() => sign(1, 17, confirm("b"))).not.toThrow();
  });

  it("refuses a vote after a Stop, and a Confirm of another unit than the Stop's", () => {
    const { sign } = bookOf();
    for (const author of [0, 1, 2]) sign(author, 3, stop(author === 0 ? null : "a"));
    expect(() => sign(0, 4, confirm("a"))).toThrow("confirms against its Stop");
    expect(() => sign(1, 4, confirm("a"))).not.toThrow();
    expect(() => sign(2, 4, vote("a"))).toThrow("votes after its Stop");
  });

  it("refuses PulseVotes for two headers of one Pulse", () => {
    const { sign } = bookOf();
    sign(0, 3, pulseVote(1n, 1));
    sign(0, 4, pulseVote(1n, 1), pulseVote(2n, 2));
    expect(() => sign(0, 5, pulseVote(1n, 2))).toThrow("vouches for two headers");
  });

  it("refuses a statement on a unit that no owner signed", () => {
    const { sign } = bookOf();
    expect(() => sign(0, 3, vote("c"))).toThrow("which nobody signed");
  });

  it("finds a unit final with three Confirms below the bound, the liar's taken for granted", () => {
    const honest = bookOf();
    honest.sign(0, 3, confirm("a"));
    honest.sign(1, 3, confirm("a"));
    honest.sign(2, 17, confirm("a"));
    expect(honest.final).toEqual([]);
    honest.sign(3, 16, confirm("a"));
    expect(honest.final).toEqual(["a"]);
    const lied = bookOf(3);
    lied.sign(0, 3, confirm("a"));
    expect(lied.final).toEqual([]);
    lied.sign(1, 4, confirm("a"));
    expect(lied.final).toEqual(["a"]);
  });
});

describe("StatementBook.executed()", () => {
  it("makes final what was confirmed in rounds that might have been past a close", () => {
    const { book, sign, final, open } = bookOf();
    open.below = 4;
    for (const author of [0, 1, 2]) sign(author, 5 - author, confirm("a"));
    expect(final).toEqual([]);
    open.below = 5;
    book.executed();
    expect(final).toEqual([]);
    open.below = 8;
    book.executed();
    expect(final).toEqual(["a"]);
  });

  it("executed() makes nothing final where the session closed before", () => {
    const { book, sign, final, open } = bookOf();
    open.below = 4;
    for (const author of [0, 1, 2]) sign(author, 5 - author, confirm("a"));
    Object.assign(open, { close: 5, below: 5 });
    book.executed();
    expect(final).toEqual([]);
  });
});

describe("MemoryOracle", () => {
  const LOG = "cc".repeat(32);
  const AGENT = "dd".repeat(32);
  const headAt = (size: number): MemoryHead => growing(LOG, LOG_ATOMS)(size, size).to;
  const logOf = (size: number, more: Partial<MemoryLog> = {}): MemoryLog => ({
    owner: ACCOUNT,
    agent: null,
    ...headAt(size),
    head: size === 0 ? 0n : 1n,
    opened: 1n,
    committed: size === 0 ? 1n : 2n,
    sealed: null,
    ...more,
  });
  const stateOf = (log: MemoryLog, suspensions: readonly unknown[] = []): KnownState => ({
    at: () => ({ kind: "identity", value: { suspensions, revoked: null } }),
    *entries() {
      yield [LOG, { kind: "memory_log", value: log }];
    },
  });
  /** Opened in Pulse 1, without atoms but for what is said. */
  const opened = (): MemoryOracle => {
    const oracle = new MemoryOracle();
    oracle.pulse(1n, stateOf(logOf(0)));
    return oracle;
  };

  it("allows a log to grow and to be sealed, and counts its moves", () => {
    const oracle = opened();
    oracle.pulse(2n, stateOf(logOf(3)));
    oracle.pulse(3n, stateOf(logOf(3)));
    oracle.pulse(4n, stateOf(logOf(3, { head: 2n, committed: 4n, sealed: 4n })));
    expect(oracle.moves).toBe(2);
  });

  for (
    const [what, before, after, why] of [
      ["a head of other atoms", logOf(3), { root: "00".repeat(32) }, "its owner never had"],
      ["a shorter log", logOf(5), { ...headAt(3), head: 2n, committed: 3n }, "went back"],
      ["a head that counts back", logOf(3), { head: 0n, committed: 3n }, "went back"],
      ["growth without a commit", logOf(3), headAt(5), "changed without a commit"],
      ["growth after the seal", logOf(3, { sealed: 2n }), { ...headAt(5), head: 2n }, "its seal"],
      ["another owner", logOf(3), { owner: AGENT }, "changed hands"],
      ["another Pulse", logOf(3), { ...headAt(5), head: 2n, committed: 2n }, "transaction time"],
    ] as const
  ) {
    it(`refuses ${what} [L-407 L-444]`, () => {
      const oracle = opened();
      oracle.pulse(2n, stateOf(before));
      expect(() => oracle.pulse(3n, stateOf({ ...before, ...after }))).toThrow(why);
    });
  }

  it("refuses growth of an agent's log while the agent is suspended [L-410]", () => {
    const oracle = new MemoryOracle();
    const log = logOf(0, { agent: AGENT });
    oracle.pulse(1n, stateOf(log, [{}]));
    expect(() => oracle.pulse(2n, stateOf(logOf(3, { agent: AGENT }), [{}])))
      .toThrow("while its agent was suspended");
  });
});

describe("ClaimsOracle", () => {
  /** A claim on a bond of 100 USD of which 40 are held, and an oracle that has seen them. */
  function seen() {
    const world = new World();
    const id = backedClaim(world);
    world.make("alice", reserve(id, accountOf("bob"), usd(40)));
    const [bond = ""] = bondsOf(world.read(claimKind, id) as Claim);
    const oracle = new ClaimsOracle();
    oracle.pulse(1n, world.state);
    /** The next state, but for members of one object. */
    const change = (changed: string, members: object) => {
      const entries = [...world.state.entries()].map((
        [key, object],
      ) => [
        key,
        key === changed ? { ...object, value: { ...object.value as object, ...members } } : object,
      ]);
      return () => oracle.pulse(2n, { entries: () => entries } as unknown as LedgerState);
    };
    return { world, id, bond, oracle, change };
  }

  it("refuses a bond that holds less than what is reserved of it, or was slashed less than before", () => {
    const { bond, change } = seen();
    expect(change(bond, { amount: usd(40) })).not.toThrow();
    expect(change(bond, { amount: usd(39) })).toThrow("holds 1000000 less than it owes");
    expect(change(bond, { release: { amount: usd(61), due: 9n } })).toThrow("less than it owes");
    expect(change(bond, { slashed: usd(1) })).not.toThrow();
    expect(change(bond, { slashed: 0n })).toThrow("is slashed less");
    expect(change(bond, { slashed: usd(2), release: { amount: 1n, due: 9n } })).toThrow(
      "is slashed and still releases money",
    );
  });

  it("refuses a claim that says another thing, or is no longer revoked or refuted", () => {
    const { id, change, oracle } = seen();
    expect(change(id, { issued: 77n })).toThrow("says another thing than it did");
    const refuted = { by: "11".repeat(32), since: 2n };
    expect(change(id, { refuted, disputed: refuted })).toThrow("is refuted and still disputed");
    expect(change(id, { revoked: 2n, refuted })).not.toThrow();
    expect(oracle.refuted).toBe(1);
    expect(change(id, { revoked: 2n })).toThrow("is no longer refuted");
    expect(change(id, { refuted })).toThrow("is no longer revoked");
  });
});

describe("StakeOracle", () => {
  /** A pool that earned for one of its delegations, and an oracle that has seen it. */
  function seen() {
    const { world, delegation } = earningWorld();
    const oracle = new StakeOracle();
    const pulse = (
      state: StakePulse["state"],
      epoch = 2n,
      nextSession: StakePulse["nextSession"] = null,
    ): void =>
      oracle.pulse({
        header: { number: 20n, epoch } as StakePulse["header"],
        nextSession,
        state,
      });
    pulse(world.state);
    const validator = world.read(validatorKind, idOf(0)) as Validator;
    /** The same state, but for members of some objects. */
    const stateWith = (changes: Readonly<Record<string, object>>): StakePulse["state"] => {
      const entries = [...world.state.entries()].map(([key, object]) => {
        const value = { ...object.value as object, ...changes[key] };
        return [key, { ...object, value }] as const;
      });
      const at = (id: string) => entries.find(([key]) => key === id)?.[1];
      return { at, entries: () => entries } as unknown as StakePulse["state"];
    };
    const change = (changed: string, members: object) => () =>
      pulse(stateWith({ [changed]: members }));
    /** The validator slashed for a session, with this left; what is bonded is without it unless it stays. */
    const slash = (stake: bigint, status = "slashed") => {
      const { active, validators, bonded } = world.read(stakingKind, STAKING) as Staking;
      const stays = status === "active";
      const lost = stays ? validator.stake - stake : bondedStake(validator);
      return stateWith({
        [idOf(0)]: { slashed: [1], stake, status },
        [STAKING]: {
          active: stays ? active : active - 1,
          validators: stays ? validators : validators - 1,
          bonded: bonded - lost,
        },
      });
    };
    const pool = (members: object) => change(idOf(0), { pool: { ...validator.pool, ...members } });
    return { world, delegation, oracle, pulse, change, pool, slash, validator };
  }

  it("counts delegations that earned, and refuses a state in another epoch than the chain's", () => {
    const { world, oracle, pulse, delegation } = seen();
    expect([...oracle.earning]).toEqual([delegation]);
    expect(() => pulse(world.state)).not.toThrow();
    expect(() => pulse(world.state, 1n)).toThrow("the state is in epoch 2");
  });

  it("refuses sums over all validators that are not theirs", () => {
    const { change } = seen();
    expect(change(STAKING, { active: 5 })).toThrow("active is miscounted");
    expect(change(STAKING, { validators: 3 })).toThrow("validators is miscounted");
    expect(change(STAKING, { bonded: usd(405_001) })).toThrow("bonded is miscounted");
  });

  it("refuses pools that owe more than they have, or take back what they gave", () => {
    const { change, delegation, pool, validator } = seen();
    const { perShare, stake, shares } = validator.pool;
    expect(change(delegation, { shares: 1n })).toThrow("other shares than its delegations");
    expect(pool({ pending: 1n })).toThrow("bonded is miscounted");
    // What is bonded stays the same: own stake becomes the pool's.
    expect(
      change(idOf(0), {
        stake: validator.stake - 1n,
        pool: { ...validator.pool, stake: stake + 1n },
      }),
    ).toThrow("has shares of more than they were bought for");
    expect(change(idOf(0), {
      stake: validator.stake + stake,
      pool: { ...validator.pool, earning: 0n },
    })).toThrow("keeps rewards of nobody");
    expect(change(idOf(0), {
      stake: validator.stake - stake,
      pool: { ...validator.pool, pending: shares },
    })).toThrow("has more shares at work than there are");
    expect(pool({ perShare: perShare - 1n })).toThrow("takes rewards back");
  });

  it("refuses slashings of another part than a tenth, of who stays, and that are taken back", () => {
    const { pulse, slash, validator: { stake }, oracle, change } = seen();
    const left = stake - (stake + 9n) / 10n;
    expect(() => pulse(slash(left))).not.toThrow();
    expect(oracle.slashed).toBe(1);
    expect(change(idOf(0), { slashed: [] })).toThrow("is slashed less");
    const [again, third] = [seen(), seen()];
    expect(() => again.pulse(again.slash(left - 1n))).toThrow("another part than a tenth");
    expect(() => third.pulse(third.slash(left, "active"))).toThrow("is slashed and stays");
  });

  it("refuses a committee of which one was slashed", () => {
    const { pulse, slash, validator: { stake, key } } = seen();
    const next = { epoch: 2n, validators: [{ publicKey: key }] } as unknown as NonNullable<
      StakePulse["nextSession"]
    >;
    expect(() => pulse(slash(stake - (stake + 9n) / 10n), 2n, next))
      .toThrow("a committee has a member that is not active");
  });
});

describe("Disk", () => {
  const block = (name: string) => ({
    id: name,
    round: 1,
    author: 0,
    bytes: new Uint8Array(1),
    signature: new Uint8Array(1),
  });
  const diskOf = (): Disk => new Disk(genesisState(createLedger(), { shards: 1, accounts: [] }));

  it("loses in a crash what only waits, and what was begun and did not arrive", () => {
    const disk = diskOf();
    disk.begin({ rows: [], own: block("first") });
    disk.sync();
    disk.addBlocks([block("waiting")]);
    disk.begin({ rows: [], own: block("second") });
    disk.addBlocks([block("later")]);
    disk.crash(0);
    expect(disk.own?.id).toBe("first");
    expect([...disk.blocks()].map(({ id }) => id)).toEqual(["first"]);
  });

  it("keeps whole transactions in order when some arrived all the same", () => {
    const disk = diskOf();
    for (const name of ["first", "second", "third"]) {
      disk.addBlocks([block(`before ${name}`)]);
      disk.begin({ rows: [], own: block(name) });
    }
    disk.crash(0.5);
    expect(disk.own?.id).toBe("second");
    expect([...disk.blocks()].map(({ id }) => id))
      .toEqual(["before first", "first", "before second", "second"]);
  });
});
