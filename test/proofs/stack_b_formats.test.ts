import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decode, encode, fromHex, idBytes, SionError, toHex } from "#internal/core/mod.ts";
import { sha256, taggedHash } from "#internal/crypto/mod.ts";
import { accountKey, objectCodec, shardOf } from "../../internal/proofs/world/stack_b/objects.ts";
import { append, EMPTY_LOG, rootOf, rootOfList } from "../../internal/proofs/world/stack_b/log.ts";
import { accountOf } from "../../internal/proofs/world/stack_b/policy.ts";
import { readTree, treeRoot, writeTree } from "../../internal/proofs/world/stack_b/tree.ts";
import {
  decodeUnit,
  memberDigest,
  signedUnitCodec,
} from "../../internal/proofs/world/stack_b/unit.ts";
import { executeByStackB } from "#internal/proofs/mod.ts";
import type { PartialTree } from "../../internal/proofs/world/world_input.ts";
import {
  decodeWorldInput,
  partialTreeCodec,
  worldInputCodec,
} from "../../internal/proofs/world/world_input.ts";
import {
  genesisOf,
  inputOf,
  ordered,
  paying,
  rootOfOne,
  treesOf,
  unitOf,
  walletOf,
} from "./_stack_b.ts";

const KINDS = [
  ["pay", 1],
  ["faucet", 2],
  ["pay_memo", 3],
  ["agent_register", 16],
  ["agent_suspend", 17],
  ["agent_resume", 18],
  ["agent_revoke", 19],
  ["spawn_agents", 20],
  ["charter_create", 24],
  ["charter_narrow", 25],
  ["charter_revoke", 26],
  ["allotment_fund", 32],
  ["allotment_reclaim", 33],
  ["agent_pay", 40],
  ["bond_post", 48],
  ["bond_top_up", 49],
  ["bond_release", 50],
  ["bond_reserve", 51],
  ["claim_issue", 56],
  ["claim_revoke", 57],
  ["claim_dispute", 58],
  ["claim_adjudicate", 59],
  ["task_post", 64],
  ["task_settle", 65],
  ["task_refund", 66],
  ["storage_post", 72],
  ["storage_accept", 73],
  ["storage_prove", 74],
  ["storage_close", 75],
  ["memory_open", 80],
  ["memory_commit", 81],
  ["rotate_key", 99],
  ["stake_register", 100],
  ["stake_commission", 101],
  ["stake_leave", 102],
  ["stake_delegate", 103],
  ["stake_claim", 104],
  ["stake_undelegate", 105],
  ["stake_withdraw", 106],
  ["evidence", 107],
] as const;

interface Vector {
  readonly signed_unit: string;
  readonly unit_digest: string;
  readonly transaction_digest: string;
  readonly receipt: string;
  readonly receipts_root: string;
  readonly changed: Readonly<Record<string, string>>;
}

function vectorsOf(kind: string): Vector[] {
  const file = readFileSync(`fixtures/ledger/${kind}.json`, "utf8");
  const { succeeds, fails } = JSON.parse(file) as { succeeds: Vector; fails: Vector };
  return [succeeds, fails];
}

describe("stack B reads the published vectors", () => {
  it.each(KINDS)(
    "decodeUnit() reads %s with its digests and writes the same bytes",
    (kind, tag) => {
      for (const vector of vectorsOf(kind)) {
        const bytes = fromHex(vector.signed_unit);
        const signed = decodeUnit(bytes);
        const member = signed.unit.members[0];
        expect(signed.digest).toBe(vector.unit_digest);
        expect(memberDigest(signed.digest, 0)).toBe(vector.transaction_digest);
        expect(member?.kind.tag).toBe(tag);
        expect(accountOf(signed.policy, signed.salts[0] ?? new Uint8Array())).toBe(member?.account);
        expect(toHex(encode(signedUnitCodec, signed))).toBe(vector.signed_unit);
      }
    },
  );

  it.each(KINDS)("objectCodec reads what %s changed and writes the same bytes", (kind) => {
    for (const vector of vectorsOf(kind)) {
      for (const object of Object.values(vector.changed)) {
        expect(toHex(encode(objectCodec, decode(objectCodec, fromHex(object))))).toBe(object);
      }
    }
  });

  it.each(KINDS)("the receipts' root over the one of %s is the published one", (kind) => {
    for (const vector of vectorsOf(kind)) {
      const leaf = taggedHash("sion/receipt/v1", fromHex(vector.receipt));
      expect(toHex(rootOfList([leaf]))).toBe(vector.receipts_root);
    }
  });

  it("accountKey() is the key under which the acting account changed", () => {
    for (const [kind] of KINDS) {
      for (const vector of vectorsOf(kind)) {
        const acting = decodeUnit(fromHex(vector.signed_unit)).unit.members[0]?.account ?? "";
        expect(Object.keys(vector.changed)).toContain(accountKey(acting));
      }
    }
  });

  it("decodeUnit() refuses every vector with a byte more, a byte less, or a kind not known", () => {
    for (const [kind] of KINDS) {
      const [vector] = vectorsOf(kind);
      const bytes = fromHex(vector?.signed_unit ?? "");
      const unknown = bytes.slice();
      unknown[32 + 8 + 8 + 1 + 32 + 8] = 127;
      for (
        const bad of [bytes.subarray(1), bytes.slice(0, -1), Uint8Array.of(...bytes, 0), unknown]
      ) {
        expect(() => decodeUnit(bad)).toThrow(SionError);
      }
    }
  });
});

describe("stack B's trees", () => {
  it("writeTree() builds the published sparse trees, in any order", () => {
    const file = readFileSync("fixtures/merkle/sparse.json", "utf8");
    const vectors = JSON.parse(file) as { root: string; updates: [string, string][] }[];
    expect(vectors.length).toBeGreaterThan(5);
    for (const { root, updates } of vectors) {
      // The vectors hash values without a domain: closed leaves carry such hashes.
      const last = new Map(updates);
      let leaves: PartialTree = { type: "empty" };
      for (const key of [...last.keys()].reverse()) {
        leaves = writeTree(leaves, fromHex(key), new Uint8Array());
      }
      const plain = (tree: PartialTree): PartialTree => {
        if (tree.type === "branch") {
          return { ...tree, left: plain(tree.left), right: plain(tree.right) };
        }
        if (tree.type !== "opened") return tree;
        const valueHash = sha256(fromHex(last.get(toHex(tree.key)) ?? ""));
        return { type: "closed", key: tree.key, valueHash };
      };
      expect(toHex(treeRoot(plain(leaves)))).toBe(root);
    }
  });

  it("readTree() tells present, absent and not shown apart", () => {
    const key = (first: number) => Uint8Array.of(first, ...new Uint8Array(31));
    const tree: PartialTree = {
      type: "branch",
      left: {
        type: "branch",
        left: { type: "opened", key: key(0), object: Uint8Array.of(9) },
        right: { type: "closed", key: key(0x41), valueHash: new Uint8Array(32) },
      },
      right: { type: "stub", hash: sha256() },
    };
    expect(readTree(tree, key(0))).toEqual(Uint8Array.of(9));
    expect(readTree(tree, key(1))).toBeNull();
    expect(readTree(tree, key(0x40))).toBeNull();
    expect(() => readTree(tree, key(0x41))).toThrow("only the hash is shown");
    expect(() => readTree(tree, key(0x80))).toThrow("does not show");
    expect(() => writeTree(tree, key(0x80), Uint8Array.of(1))).toThrow("nothing is shown");
  });

  it("rootOf() is the RFC's recursive definition at every size", () => {
    const entries = Array.from({ length: 40 }, (_, i) => Uint8Array.of(i));
    const mth = (list: readonly Uint8Array[]): Uint8Array => {
      if (list.length === 0) return sha256();
      if (list.length === 1) return sha256(Uint8Array.of(0), list[0] as Uint8Array);
      const k = 2 ** Math.floor(Math.log2(list.length - 1));
      return sha256(Uint8Array.of(1), mth(list.slice(0, k)), mth(list.slice(k)));
    };
    let log = EMPTY_LOG;
    for (let n = 0; n <= entries.length; n++) {
      expect(rootOf(log)).toEqual(mth(entries.slice(0, n)));
      log = append(log, entries[n] ?? new Uint8Array());
    }
    expect(rootOfList([Uint8Array.of(7)])).toEqual(rootOfOne(Uint8Array.of(7)));
  });

  it("shardOf() takes the first two bytes as one big-endian number", () => {
    expect(shardOf(`0102${"00".repeat(30)}`, 100)).toBe(0x0102 % 100);
  });
});

describe("a world's input", () => {
  const trees = fc.uniqueArray(fc.uint8Array({ minLength: 32, maxLength: 32 }), {
    selector: toHex,
    maxLength: 12,
  }).map((keys) => {
    let tree: PartialTree = { type: "empty" };
    for (const key of keys) tree = writeTree(tree, key, key.subarray(0, 5));
    return tree;
  });

  it("partialTreeCodec reads back every tree, with the same root", () => {
    fc.assert(fc.property(trees, (tree) => {
      const back = decode(partialTreeCodec, encode(partialTreeCodec, tree));
      expect(back).toEqual(tree);
      expect(treeRoot(back)).toEqual(treeRoot(tree));
    }));
  });

  it("partialTreeCodec refuses what is no state: small branches, leaves off their path, no stub", () => {
    const leaf = (first: number) => [3, first, ...new Uint8Array(63)];
    const refused = [
      [1, 0, 0],
      [1, 0, ...leaf(0x80)],
      [1, ...leaf(0), 0],
      [1, ...leaf(0x80), ...leaf(0x81)],
      [4, ...new Uint8Array(32)],
      [5],
      [1, ...leaf(0)],
      [0, 0],
      new Array<number>(300).fill(1),
    ];
    for (const bytes of refused) {
      expect(() => decode(partialTreeCodec, Uint8Array.from(bytes))).toThrow(SionError);
    }
  });

  it("partialTreeCodec never does anything to random bytes but decode or refuse them", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      try {
        const tree = decode(partialTreeCodec, bytes);
        expect(encode(partialTreeCodec, tree)).toEqual(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(SionError);
      }
    }));
  });

  it("worldInputCodec reads back an input and refuses a byte more", async () => {
    const [alice, bob] = [await walletOf("alice"), await walletOf("bob")];
    const unit = await unitOf(alice, 0n, [paying([bob.account, 5n])]);
    const input = inputOf(treesOf(genesisOf([[alice, 10_000n]]), 3), [
      ordered(unit, true),
      { type: "void", account: alice.account, sequence: 1n },
    ]);
    const bytes = encode(worldInputCodec, input);
    expect(decodeWorldInput(bytes)).toEqual(input);
    expect(() => decodeWorldInput(Uint8Array.of(...bytes, 0))).toThrow(SionError);
    expect(() => decodeWorldInput(new Uint8Array(2 ** 28 + 1))).toThrow("256 MiB");
    expect(idBytes(input.chain)).toEqual(bytes.slice(0, 32));
  });

  it("changed bytes are refused, or execute to something, and nothing else happens", async () => {
    const [alice, bob] = [await walletOf("alice"), await walletOf("bob")];
    const unit = await unitOf(alice, 0n, [paying([bob.account, 5n]), paying([bob.account, 6n])]);
    const trees = treesOf(genesisOf([[alice, 10_000n], [bob, 9n]]), 2);
    const bytes = encode(worldInputCodec, inputOf(trees, [ordered(unit)]));
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255));
    let executed = 0;
    fc.assert(
      fc.property(fc.array(change, { maxLength: 2 }), fc.nat(2), (changes, how) => {
        const other = bytes.slice(0, how === 0 ? changes[0]?.[0] : undefined);
        for (const [at, to] of changes) other[at] = to;
        try {
          executeByStackB(decodeWorldInput(other));
          executed++;
        } catch (error) {
          expect(error).toBeInstanceOf(SionError);
        }
      }),
      { numRuns: 600 },
    );
    expect(executed).toBeGreaterThan(20);
  });
});
