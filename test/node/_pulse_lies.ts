/** Lies about a Pulse, each with the line of the report that has to fail for it. */
import { decode, encode, fromHex, toHex } from "#internal/core/mod.ts";
import { loadDualBackend } from "#internal/crypto/mod.ts";
import { accountKey } from "#internal/ledger/mod.ts";
import { DataSquare } from "#internal/merkle/mod.ts";
import {
  chainOriginCodec,
  headerCodec,
  headerProofCodec,
  shareProofCodec,
  validatorId,
} from "#internal/proofs/mod.ts";
import type { Case } from "./_lying_node.ts";
import {
  devnet,
  edited,
  firstLock,
  flip,
  flipped,
  header,
  honest,
  insteadOf,
  items,
  locks,
  ofOtherChain,
  published,
  pulse,
  receiptsList,
  refuse,
  share,
  state,
  step,
} from "./_lying_node.ts";

/** Another validator's real key pair, made by the liar. */
const foreignKey = async (): Promise<Uint8Array> => {
  const backend = await loadDualBackend("insecure");
  return (await backend.keysFromSeed(new Uint8Array(32).fill(9))).publicKey;
};

/** By line. */
export const CASES: readonly Case[] = [
  // 1: the chain
  {
    name: "another chain",
    line: 1,
    reason: /not the pinned/,
    lies: { genesis: ofOtherChain("genesis", {}) },
  },
  {
    name: "a wrong key under a known id",
    line: 1,
    reason: /identifier is not that of its keys/,
    lies: {
      genesis: edited(chainOriginCodec, async (origin) => {
        const publicKey = await foreignKey();
        const validators = origin.config.validators.map((v, i) =>
          i === 0 ? { ...v, publicKey } : v
        );
        return { ...origin, config: { ...origin.config, validators } };
      }),
    },
  },
  {
    name: "a validator of the liar's, id and all",
    line: 1,
    reason: /not those of its first header/,
    lies: {
      genesis: edited(chainOriginCodec, async (origin) => {
        const publicKey = await foreignKey();
        const id = validatorId(publicKey);
        const validators = origin.config.validators
          .map((v, i) => i === 0 ? { ...v, id, publicKey } : v);
        return { ...origin, config: { ...origin.config, validators } };
      }),
    },
  },
  {
    name: "more weight for one validator",
    line: 1,
    reason: /weight is not that of its stake/,
    lies: {
      genesis: edited(chainOriginCodec, (origin) => {
        const validators = origin.config.validators
          .map((v, i) => i === 0 ? { ...v, weight: v.weight * 3n } : v);
        return { ...origin, config: { ...origin.config, validators } };
      }),
    },
  },
  {
    name: "another genesis state",
    line: 1,
    reason: /not the pinned/,
    lies: {
      genesis: edited(chainOriginCodec, (origin) => ({
        ...origin,
        header: { ...origin.header, stateRoot: new Uint8Array(32) },
      })),
    },
  },
  { name: "no genesis", line: 1, reason: /does not give it/, lies: { genesis: refuse } },
  {
    name: "garbage as genesis",
    line: 1,
    reason: /decode|bytes|Cannot/,
    lies: { genesis: (a) => ({ ...a, bytes: "00ff" }) },
  },
  // 2: the header
  {
    name: "a missing Pulse",
    line: 2,
    reason: /There is none here/,
    lies: { header_proof: refuse },
  },
  {
    name: "the header of another Pulse",
    line: 2,
    reason: /it is Pulse \d+'s/,
    lies: { header_proof: insteadOf("header_proof", () => ({ number: pulse - 1 })) },
  },
  {
    name: "a header of another chain",
    line: 2,
    reason: /of another chain/,
    lies: { header_proof: header(() => ({ chain: new Uint8Array(32).fill(7) })) },
  },
  {
    name: "a header of another format",
    line: 2,
    reason: /it has format 9/,
    lies: { header_proof: header(() => ({ version: 9 })) },
  },
  {
    name: "a header of other validators",
    line: 2,
    reason: /other validators or parameters/,
    lies: { header_proof: header(({ config }) => ({ config: flipped(config) })) },
  },
  {
    name: "a header of a session that there is not",
    line: 2,
    reason: /end of session|session/,
    lies: { header_proof: header(({ session }) => ({ session: session + 900 })) },
  },
  {
    name: "no steps between sessions",
    line: 2,
    reason: /end of session 0 is not shown/,
    lies: { session_steps: () => ({ steps: [], more: false, pulse: 1 }) },
  },
  {
    name: "a session's end without its quorum",
    line: 2,
    reason: /is not proven: \d+ of \d+ stake signed/,
    lies: {
      session_steps: step(({ certificate, next }) => ({
        certificate: { ...certificate, items: certificate.items.slice(0, 2) },
        next,
      })),
    },
  },
  {
    name: "a next session with the liar's validator",
    line: 2,
    reason: /fixes other validators/,
    lies: {
      session_steps: step(async ({ certificate, next }) => {
        const publicKey = await foreignKey();
        const validators = next.validators
          .map((v, i) => i === 0 ? { ...v, id: validatorId(publicKey), publicKey } : v);
        return { certificate, next: { ...next, validators } };
      }),
    },
  },
  {
    name: "a session that ends early",
    line: 2,
    reason: /is not proven/,
    lies: {
      session_steps: step(({ certificate, next }) => ({
        certificate: { ...certificate, header: { ...certificate.header, number: 2n } },
        next,
      })),
    },
  },
  // 3: the certificate
  {
    name: "a changed state root",
    line: 3,
    reason: /does not hold the statement/,
    lies: { header_proof: header(({ stateRoot }) => ({ stateRoot: flipped(stateRoot) })) },
  },
  {
    name: "a changed time",
    line: 3,
    reason: /does not hold the statement/,
    lies: { header_proof: header(({ timeMs }) => ({ timeMs: timeMs + 1n })) },
  },
  {
    name: "a hidden overdue intent",
    line: 3,
    reason: /does not hold the statement/,
    lies: { header_proof: header(() => ({ forcedOverdue: 1, forcedPending: 1 })) },
  },
  {
    name: "an old certificate",
    line: 3,
    reason: /does not hold the statement|of another session/,
    lies: {
      header_proof: async (answer) => {
        const old = await honest("header_proof", { number: pulse - 1 });
        const { certificate } = decode(headerProofCodec, fromHex(old["bytes"] as string));
        return await items(() => certificate.items)(answer, {});
      },
    },
  },
  {
    name: "too few signers",
    line: 3,
    reason: /stake signed, the quorum is/,
    lies: { header_proof: items((list) => list.slice(0, 2)) },
  },
  {
    name: "a signer twice",
    line: 3,
    reason: /counts twice/,
    lies: { header_proof: items((list) => [...list.slice(0, 2), list[0] as never]) },
  },
  {
    name: "a signature of another validator",
    line: 3,
    reason: /signature of validator \d is invalid/,
    lies: {
      header_proof: items((list) =>
        list.map((item, i) =>
          i === 0 ? { ...item, header: { ...item.header, author: 3 - item.header.author } } : item
        )
      ),
    },
  },
  {
    name: "a changed signature",
    line: 3,
    reason: /signature of validator \d is invalid/,
    lies: {
      header_proof: items((list) =>
        list.map((item) => ({ ...item, signature: flipped(item.signature) }))
      ),
    },
  },
  {
    name: "votes of another session",
    line: 3,
    reason: /of another session/,
    lies: {
      header_proof: items((list) =>
        list.map((item) => ({
          ...item,
          header: { ...item.header, session: item.header.session + 1 },
        }))
      ),
    },
  },
  {
    name: "a vote of no validator",
    line: 3,
    reason: /of no validator/,
    lies: {
      header_proof: items((list) =>
        list.map((item) => ({ ...item, header: { ...item.header, author: 9 } }))
      ),
    },
  },
  {
    name: "no signers",
    line: 3,
    reason: /^certificate: 0 of/,
    lies: { header_proof: items(() => []) },
  },
  // 5: the receipts
  { name: "no receipts", line: 5, reason: /does not give it/, lies: { receipts: refuse } },
  {
    name: "a receipt less",
    line: 5,
    reason: /not those under the receipts root/,
    lies: { receipts: receiptsList((list) => list.slice(1)) },
  },
  {
    name: "receipts in another order",
    line: 5,
    reason: /not those under the receipts root/,
    lies: { receipts: receiptsList((list) => [...list].reverse()) },
  },
  {
    name: "a swapped receipt",
    line: 5,
    reason: /not those under the receipts root/,
    lies: { receipts: receiptsList(([first = "", ...rest]) => [rest[0] ?? first, ...rest]) },
  },
  {
    name: "a receipt with another outcome",
    line: 5,
    reason: /not those under the receipts root/,
    lies: {
      receipts: receiptsList((list) =>
        list.map((hex, i) => i === 0 ? toHex(flipped(fromHex(hex), 110)) : hex)
      ),
    },
  },
  {
    name: "the receipts of another Pulse",
    line: 5,
    reason: /not those under the receipts root/,
    lies: { receipts: insteadOf("receipts", () => ({ number: pulse - 1 })) },
  },
  {
    name: "fewer receipts than it counts",
    line: 5,
    reason: /receipts are missing/,
    lies: {
      receipts: (
        a,
        p,
      ) => (p["from"] === 0 ? { ...a, count: 99 } : { ...a, receipts: [], count: 99 }),
    },
  },
  // 6: the state
  { name: "no state proof", line: 6, reason: /does not give it/, lies: { object_proof: refuse } },
  {
    name: "a richer account",
    line: 6,
    reason: /not under the state root/,
    lies: {
      object_proof: state((proof) => ({
        ...proof,
        object: flipped(proof.object as Uint8Array, 45),
      })),
    },
  },
  {
    name: "a present account as absent",
    line: 6,
    reason: /not under the state root/,
    lies: { object_proof: state((proof) => ({ ...proof, object: null })) },
  },
  {
    name: "a neighbour in place of the account",
    line: 6,
    reason: /another object is proven/,
    lies: {
      object_proof: async () => {
        const { certified_pulse: number } = await devnet.calls.status({});
        return await honest("object_proof", { number, key: accountKey("ab".repeat(32)) });
      },
    },
  },
  {
    name: "the state of another Pulse",
    line: 6,
    reason: /another object is proven|not under the state root/,
    lies: { object_proof: insteadOf("object_proof", () => ({ number: pulse - 1 })) },
  },
  {
    name: "another shard's root",
    line: 6,
    reason: /not under the state root/,
    lies: { object_proof: state((proof) => ({ ...proof, shardRoot: flipped(proof.shardRoot) })) },
  },
  // 7: the data is there
  { name: "no shares", line: 7, reason: /does not give it/, lies: { shares: refuse } },
  {
    name: "a tampered share",
    line: 7,
    reason: /not under the data root/,
    lies: { shares: share((bytes) => flipped(bytes, 20)) },
  },
  {
    name: "a withheld share",
    line: 7,
    reason: /15 of 16 random shares verified: the share .* is not there/,
    lies: {
      shares: (a, p) => ({
        ...a,
        shares: (p["places"] as unknown[]).length === 16
          ? (a["shares"] as string[]).slice(0, 15)
          : [],
      }),
    },
  },
  {
    name: "the same share for all places",
    line: 7,
    reason: /answered with another one/,
    lies: {
      shares: (a) => ({ ...a, shares: (a["shares"] as string[]).map((_, __, all) => all[0]) }),
    },
  },
  {
    name: "shares of the liar's own square",
    line: 7,
    reason: /0 of 16 .* not under the data root/,
    lies: {
      shares: (answer, params) => {
        const square = DataSquare.of(new Uint8Array(5_000).fill(1));
        const places = params["places"] as {
          row: number;
          column: number;
          through: "row" | "column";
        }[];
        const shares = places.map(({ row, column, through }) =>
          toHex(encode(shareProofCodec, square.prove(row, column, through)))
        );
        return { ...answer, shares };
      },
    },
  },
  {
    name: "shares of another Pulse",
    line: 7,
    reason: /not under the data root/,
    lies: { shares: (_, p) => honest("shares", { ...p, number: pulse - 1 }) },
  },
  // 5, 8, 9: what was published
  { name: "no published data", line: 8, reason: /does not give it/, lies: { published: refuse } },
  {
    name: "other published data",
    line: 8,
    reason: /does not encode to the certified data root/,
    lies: { published: flip },
  },
  {
    name: "a unit left out",
    line: 8,
    reason: /does not encode/,
    lies: { published: published((value) => ({ ...value, units: [] })) },
  },
  {
    name: "another time published",
    line: 8,
    reason: /does not encode/,
    lies: {
      published: published((value) => ({
        ...value,
        times: value.times.map((t) => ({ ...t, timeMs: t.timeMs + 1n })),
      })),
    },
  },
  {
    name: "data that ends early",
    line: 8,
    reason: /published data is missing/,
    lies: {
      published: (
        a,
        p,
      ) => (p["from"] === 0
        ? { ...a, size: (a["size"] as number) + 9 }
        : { ...a, bytes: "", size: (a["size"] as number) + 9 }),
    },
  },
  {
    name: "another header before",
    line: 8,
    reason: /header before is not the one/,
    lies: { header: edited(headerCodec, (value) => ({ ...value, timeMs: value.timeMs - 5n })) },
  },
  // 9: the locks
  {
    name: "no lane certificates",
    line: 9,
    reason: /does not give it/,
    lies: { lane_certificates: refuse },
  },
  {
    name: "a lock left out",
    line: 9,
    reason: /locks are missing/,
    lies: { lane_certificates: locks((page) => ({ ...page, locks: [] })) },
  },
  {
    name: "a lock too many",
    line: 9,
    reason: /locks are missing/,
    lies: {
      lane_certificates: locks((page) => ({ ...page, locks: [...page.locks, ...page.locks] })),
    },
  },
  {
    name: "too few voters",
    line: 9,
    reason: /stake locked it, the quorum is/,
    lies: { lane_certificates: firstLock((list) => list.slice(0, 2)) },
  },
  {
    name: "a voter twice",
    line: 9,
    reason: /counts twice/,
    lies: { lane_certificates: firstLock((list) => [...list.slice(0, 2), list[0]]) },
  },
  {
    name: "a vote elsewhere in the block",
    line: 9,
    reason: /does not hold the statement/,
    lies: {
      lane_certificates: firstLock((list) =>
        list.map((item) => ({ ...item, index: item.index + 1, count: item.count + 1 }))
      ),
    },
  },
  {
    name: "a changed vote's signature",
    line: 9,
    reason: /signature of validator \d is invalid/,
    lies: {
      lane_certificates: locks((page) => ({
        ...page,
        blocks: page.blocks.map((b) => ({ ...b, signature: flipped(b.signature) })),
      })),
    },
  },
  {
    name: "votes too late to count",
    line: 9,
    reason: /too late to count/,
    lies: {
      lane_certificates: locks((page) => ({
        ...page,
        blocks: page.blocks.map((b) => ({
          ...b,
          header: { ...b.header, round: b.header.round + 1_000 },
        })),
      })),
    },
  },
  {
    name: "votes of another chain",
    line: 9,
    reason: /of another chain/,
    lies: {
      lane_certificates: locks((page) => ({
        ...page,
        blocks: page.blocks.map((b) => ({
          ...b,
          header: { ...b.header, chain: new Uint8Array(32) },
        })),
      })),
    },
  },
  {
    name: "votes of a session to come",
    line: 9,
    reason: /nobody of the session locked it/,
    lies: {
      lane_certificates: locks((page) => ({
        ...page,
        blocks: page.blocks.map((b) => ({
          ...b,
          header: { ...b.header, session: b.header.session + 5 },
        })),
      })),
    },
  },
  {
    name: "the locks of another Pulse",
    line: 9,
    reason: /.+/,
    lies: { lane_certificates: insteadOf("lane_certificates", () => ({ number: pulse - 1 })) },
  },
  {
    name: "Stops in place of Votes",
    line: 9,
    reason: /statements of another kind/,
    lies: {
      lane_certificates: locks((page) => ({
        ...page,
        locks: page.locks.map(({ body }) => ({
          kind: "stops",
          body: { items: body.items.map((item) => ({ ...item, named: null })) },
        })),
      })),
    },
  },
];
