/**
 * A block: signed header and body. The header's roots speak for the body, so a block whose body is
 * another's, or not canonical, does not decode.
 */
import type { Codec } from "#internal/core/mod.ts";
import {
  bool,
  compareBytes,
  encode,
  equalBytes,
  id,
  list,
  Reader,
  SionError,
  struct,
  toHex,
  u8,
} from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { Ledger, SignedUnit } from "#internal/ledger/mod.ts";
import type { BlockHeader, Equivocation, SignedHeader } from "#internal/proofs/mod.ts";
import {
  blockHeaderCodec,
  blockId,
  encodeStatement,
  equivocationCodec,
  MAX_STATEMENTS,
  statementsRoot,
} from "#internal/proofs/mod.ts";
import type { StoredBlock, StoredUnit } from "./records.ts";
import type { AnyStatementCoding, Statement } from "./statement.ts";

/** Bytes of a body. */
const MAX_BODY_BYTES = 1 << 20;
/** Units a block carries. */
export const MAX_BLOCK_UNITS = 4096;
/** Bytes of them all, which are not in the block. */
export const MAX_BLOCK_UNIT_BYTES = 1 << 20;
/** Forced units among them. */
export const MAX_BLOCK_FORCED = 16;
/** Equivocations a block shows. */
export const MAX_BLOCK_EVIDENCE = 4;
/** Bytes of a whole block. */
export const MAX_BLOCK_BYTES = MAX_BODY_BYTES + 16_384;

const BODY_TAG = "sion/body/v1";

/** A client's unit as a block names it. */
export interface NamedUnit {
  /** Id of the signed unit (`Ledger.formOf`), whose bytes travel by themselves. */
  readonly form: string;
  /** Asks to be forced in, should it find no votes. */
  readonly forced: boolean;
}

/** A client's unit that a held block carries. */
export interface CarriedUnit {
  readonly signed: SignedUnit;
  readonly forced: boolean;
}

/** Canonical, at most {@link MAX_BODY_BYTES}. */
export interface Body {
  readonly units: readonly NamedUnit[];
  readonly evidence: readonly Equivocation[];
  readonly statements: readonly Statement[];
}

/** A decoded block with what follows from its bytes. */
export interface Block {
  /** Digest of the header, 64 hex digits. */
  readonly id: string;
  readonly header: BlockHeader;
  readonly body: Body;
  /** Each statement's encoding, tag first, in the body's order. */
  readonly encoded: readonly Uint8Array[];
  /** Canonical bytes of header and body. */
  readonly bytes: Uint8Array;
  readonly signature: Uint8Array;
}

/** A signature that the caller verifies before it feeds a block. */
export interface SignatureCheck {
  /** Index into the committee; out of range makes the check fail. */
  readonly author: number;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

/** How blocks are written and read on one chain. */
export interface BlockCodec {
  /** @throws {SionError} `codec` unless the bytes are one block whose roots are those of its body. */
  decode(bytes: Uint8Array, signature: Uint8Array): Block;
  /** @throws {SionError} `codec` unless the bytes are one signed unit. */
  decodeUnit(bytes: Uint8Array): SignedUnit;
  /**
   * The block of a body under a header whose roots are filled in here; not signed yet. Statements
   * are put in ascending order of their encodings.
   */
  make(header: Omit<BlockHeader, "bodyRoot" | "statementsRoot">, body: Body): Block;
}

const evidenceCodec: Codec<readonly Equivocation[]> = list(equivocationCodec, MAX_BLOCK_EVIDENCE);
const unitsCodec: Codec<readonly NamedUnit[]> = list(
  struct({ form: id, forced: bool }),
  MAX_BLOCK_UNITS,
);

function fail(what: string): never {
  throw new SionError("codec", `Cannot decode block: ${what}`);
}

/**
 * The codec of a chain with these transaction and statement kinds.
 * @throws {TypeError} when two statement kinds share a name or a tag.
 */
export function createBlockCodec(
  ledger: Pick<Ledger, "decodeSigned">,
  kinds: readonly AnyStatementCoding[],
): BlockCodec {
  const byTag = new Map(kinds.map((kind) => [kind.tag, kind]));
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  if (byTag.size < kinds.length || byName.size < kinds.length) {
    throw new TypeError("Cannot make a block codec: two statement kinds share a name or a tag");
  }
  const encodeOne = ({ kind, body }: Statement): Uint8Array => {
    const found = byName.get(kind);
    if (found === undefined) throw new TypeError(`Cannot encode: unknown statement ${kind}`);
    return encodeStatement(found.tag, found.codec, body);
  };

  const readStatements = (from: Reader, bytes: Uint8Array) => {
    const count = from.uleb();
    if (count > MAX_STATEMENTS) fail(`${count} statements`);
    const statements: Statement[] = [];
    const encoded: Uint8Array[] = [];
    for (let i = 0; i < count; i++) {
      const at = from.position;
      const kind = byTag.get(u8.read(from)) ?? fail("a statement of an unknown kind");
      statements.push({ kind: kind.name, body: kind.codec.read(from) });
      const encoding = bytes.subarray(at, from.position);
      const previous = encoded.at(-1);
      if (previous !== undefined && compareBytes(previous, encoding) >= 0) {
        fail("its statements are not in ascending order");
      }
      encoded.push(encoding);
    }
    return { statements, encoded };
  };

  return {
    decode(bytes, signature) {
      const from = new Reader(bytes);
      const header = blockHeaderCodec.read(from);
      const bodyAt = from.position;
      if (bytes.length - bodyAt > MAX_BODY_BYTES) fail("its body is over 1 MiB");
      const units = unitsCodec.read(from);
      const evidence = evidenceCodec.read(from);
      const { statements, encoded } = readStatements(from, bytes);
      if (from.left > 0) fail(`${from.left} bytes follow it`);
      if (!equalBytes(bodyRoot(bytes.subarray(bodyAt)), header.bodyRoot)) {
        fail("its body is another's");
      }
      if (!equalBytes(statementsRoot(encoded), header.statementsRoot)) {
        fail("its statements are another's");
      }
      const forcedCount = units.filter(({ forced }) => forced).length;
      if (forcedCount > MAX_BLOCK_FORCED) fail("it has too many forced units");
      if (new Set(units.map(({ form }) => form)).size < units.length) {
        fail("it names a unit twice");
      }
      return {
        id: toHex(blockId(header)),
        header,
        body: { units, evidence, statements },
        encoded,
        bytes,
        signature,
      };
    },
    decodeUnit: (bytes) => ledger.decodeSigned(bytes),
    make(fields, said) {
      const sorted = said.statements
        .map((statement) => ({ statement, encoding: encodeOne(statement) }))
        .sort((a, b) => compareBytes(a.encoding, b.encoding));
      const encoded = sorted.map(({ encoding }) => encoding);
      const body: Body = { ...said, statements: sorted.map(({ statement }) => statement) };
      const bodyBytes = encode(bodyCodec, {
        units: body.units,
        evidence: body.evidence,
        statements: encoded,
      });
      const header = {
        ...fields,
        bodyRoot: bodyRoot(bodyBytes),
        statementsRoot: statementsRoot(encoded),
      };
      const id = blockId(header);
      return {
        id: toHex(id),
        header,
        body,
        encoded,
        bytes: encode(wholeCodec, { header, body: bodyBytes }),
        signature: new Uint8Array(0),
      };
    },
  };
}

/** Bytes as they are: only for writing. */
const rawBytes: Codec<Uint8Array> = {
  write: (to, value) => to.raw(value),
  read: (from) => from.raw(from.left),
};
const bodyCodec = struct({
  units: unitsCodec,
  evidence: evidenceCodec,
  statements: list(rawBytes, MAX_STATEMENTS),
});
const wholeCodec = struct({ header: blockHeaderCodec, body: rawBytes });

function bodyRoot(bytes: Uint8Array): Uint8Array {
  return taggedHash(BODY_TAG, bytes);
}

/**
 * The signatures that the caller verifies before it feeds a block, the author's own first; any
 * failure makes it invalid. Clients' are verified with the units that it names, before those are fed.
 */
export function checksOf(block: Block): readonly SignatureCheck[] {
  const signatureOf = ({ header, signature }: SignedHeader): SignatureCheck => ({
    author: header.author,
    digest: blockId(header),
    signature,
  });
  return [
    signatureOf(block),
    ...block.body.evidence.flatMap(({ first, second }) => [first, second].map(signatureOf)),
  ];
}

/** A block as stores and peers hold it, with the units that a store is to keep for it. */
export function storedBlock(block: Block, units: readonly StoredUnit[]): StoredBlock {
  return {
    id: block.id,
    round: block.header.round,
    author: block.header.author,
    bytes: block.bytes,
    signature: block.signature,
    units,
  };
}
