/** Two contradicting things that one key signed, and how they are shown. docs/protocol/staking.md, Evidence. */
import type { ValueOf } from "#internal/core/mod.ts";
import {
  byteString,
  encode,
  equalBytes,
  id,
  idBytes,
  list,
  option,
  struct,
  toHex,
  tuple,
  u32,
  u64,
  u8,
  union,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import { leadsTo } from "./log.ts";

const signature = byteString(19_508);
/** A unit without its authorization. */
const unitBytes = byteString(229_376);

/** A block's header after its chain. */
const afterChain = {
  session: u32,
  round: u32,
  author: u8,
  parents: list(struct({ round: u32, author: u8, id }), 128),
  timeMs: u64,
  link: tuple(id, id),
  bodyRoot: id,
  statementsRoot: id,
};

const headerCodec = struct({ version: u8, ...afterChain });
const blockHeaderCodec = struct({ version: u8, chain: id, ...afterChain });
const signedCodec = struct({ header: headerCodec, signature });
const shownCodec = struct({
  header: headerCodec,
  signature,
  index: u32,
  count: u32,
  path: list(id, 32),
});

/** Two statements on units. */
const onUnits = struct({
  first: shownCodec,
  firstUnit: unitBytes,
  second: shownCodec,
  secondUnit: unitBytes,
});

export const offenceCodec = union({
  blocks: [0, struct({ first: signedCodec, second: signedCodec })],
  votes: [1, onUnits],
  confirms: [2, onUnits],
  stopped: [
    3,
    struct({
      stop: shownCodec,
      account: id,
      sequence: u64,
      named: option(id),
      confirm: shownCodec,
      unit: unitBytes,
    }),
  ],
  pulse_votes: [
    4,
    struct({
      pulse: u64,
      first: shownCodec,
      firstHeader: id,
      second: shownCodec,
      secondHeader: id,
    }),
  ],
});

export type Offence = ValueOf<typeof offenceCodec>;
type Signed = ValueOf<typeof signedCodec>;
type Shown = ValueOf<typeof shownCodec>;

/** What a block says beside its units. */
const statementCodec = union({
  vote: [1, struct({ unit: id })],
  confirm: [2, struct({ unit: id })],
  stop: [3, struct({ account: id, sequence: u64, named: option(id) })],
  pulse_vote: [4, struct({ pulse: u64, header: id })],
});
type Statement = ValueOf<typeof statementCodec>;

/** The two headers that were signed, the earlier of the body first. */
export function signedIn({ kind, body }: Offence): readonly [Signed, Signed] {
  return kind === "stopped" ? [body.stop, body.confirm] : [body.first, body.second];
}

/** The id of a signed header's block, which is what was signed. */
export function blockId(chain: string, { header }: Signed): Uint8Array {
  return taggedHash("sion/block/v1", encode(blockHeaderCodec, { ...header, chain }));
}

function unitDigest(bytes: Uint8Array): string {
  return toHex(taggedHash("sion/unit/v1", bytes));
}

/** Why what is shown is no offence by its shape, or null. */
export function offenceFault(offence: Offence): string | null {
  const [one, other] = signedIn(offence);
  if (one.header.session !== other.header.session) return "the headers are of two sessions";
  const fault = contradictionFault(offence);
  if (fault !== null) return fault;
  return statementsIn(offence).every(isShown) ? null : "a path leads elsewhere";
}

/** Why the two do not contradict each other, or null. */
function contradictionFault(offence: Offence): string | null {
  const [{ header: first }, { header: second }] = signedIn(offence);
  switch (offence.kind) {
    case "blocks": {
      if (first.round !== second.round) return "the blocks are of two rounds";
      const [one, other] = [first, second].map((header) => encode(headerCodec, header));
      return equalBytes(one as Uint8Array, other as Uint8Array) ? "the blocks are one" : null;
    }
    case "votes":
    case "confirms": {
      if (first.round > second.round) return "the statements are not in the order of rounds";
      const { firstUnit, secondUnit } = offence.body;
      return unitDigest(firstUnit) === unitDigest(secondUnit) ? "the units are one" : null;
    }
    case "stopped":
      if (first.round >= second.round) return "the stop is not before the confirmation";
      return unitDigest(offence.body.unit) === offence.body.named ? "the stop names it" : null;
    case "pulse_votes":
      return offence.body.firstHeader === offence.body.secondHeader ? "the votes are one" : null;
  }
}

/** What a block is shown to say. */
interface Said {
  readonly shown: Shown;
  readonly statement: Statement;
}

function statementsIn(offence: Offence): readonly Said[] {
  switch (offence.kind) {
    case "blocks":
      return [];
    case "votes":
    case "confirms": {
      const { first, firstUnit, second, secondUnit } = offence.body;
      const kind = offence.kind === "votes" ? "vote" : "confirm";
      const on = (unit: Uint8Array): Statement => ({ kind, body: { unit: unitDigest(unit) } });
      return [
        { shown: first, statement: on(firstUnit) },
        { shown: second, statement: on(secondUnit) },
      ];
    }
    case "stopped": {
      const { stop, account, sequence, named, confirm, unit } = offence.body;
      return [
        { shown: stop, statement: { kind: "stop", body: { account, sequence, named } } },
        { shown: confirm, statement: { kind: "confirm", body: { unit: unitDigest(unit) } } },
      ];
    }
    case "pulse_votes": {
      const { pulse, first, firstHeader, second, secondHeader } = offence.body;
      const on = (header: string): Statement => ({ kind: "pulse_vote", body: { pulse, header } });
      return [
        { shown: first, statement: on(firstHeader) },
        { shown: second, statement: on(secondHeader) },
      ];
    }
  }
}

function isShown({ shown, statement }: Said): boolean {
  const data = taggedHash("sion/statement/v1", encode(statementCodec, statement));
  return leadsTo(idBytes(shown.header.statementsRoot), data, shown, shown.path.map(idBytes));
}
