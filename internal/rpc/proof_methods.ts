/**
 * The methods from which a light client checks a node: canonical bytes of docs/protocol, no word of
 * which has to be believed. Long answers come in pages.
 */
import { MAX_BODY_BYTES, MAX_PAGE_BYTES, MAX_SHARES } from "./limits.ts";
import { defineMethod } from "./method.ts";
import { count, flag, hex64, hexText, list, oneOf, optional, record, u64 } from "./wire.ts";

/** A page holds one item at least, however large: a share of 4 MiB. */
const MAX_ITEM_BYTES = 1 << 23;
const MAX_ITEMS = 1 << 16;

/** Half of what a request holds, as hex. */
const MAX_REPORTED_BYTES = MAX_BODY_BYTES / 4 - 1024;

const bytes = hexText(MAX_ITEM_BYTES);
const number = count();

export const badEncoding = defineMethod({
  name: "bad_encoding",
  summary:
    "A proof that what a certified header's data root commits to is wrongly encoded: it stands " +
    "for no data. There is none of an honest Pulse.",
  params: record({ number }, "closed"),
  result: record({ bytes, number, pulse: count() }),
});

export const reportBadEncoding = defineMethod({
  name: "report_bad_encoding",
  changes: true,
  summary:
    "Hands in a proof of bad encoding with the certified header that it is about. What holds is " +
    "kept and served.",
  params: record({
    header: hexText(MAX_REPORTED_BYTES),
    number,
    proof: hexText(MAX_REPORTED_BYTES),
  }, "closed"),
  result: record({ number, pulse: count() }),
});

export const genesis = defineMethod({
  name: "genesis",
  summary: "The chain's origin, of which its identity is the hash: first header, validators, " +
    "parameters.",
  params: record({}, "closed"),
  result: record({ bytes, pulse: count() }),
});

export const headerProof = defineMethod({
  name: "header_proof",
  summary:
    "A Pulse's header with a certificate, its own or that of a later Pulse and the headers " +
    "up to it.",
  params: record({ number }, "closed"),
  result: record({ bytes, number, pulse: count() }),
});

export const knowledgeProof = defineMethod({
  name: "knowledge_proof",
  summary: "What a Pulse's knowledge log shows: that a claim is in it, that it began with its " +
    "first `from` claims.",
  params: record({ claim: optional(hex64), from: optional(u64), number }, "closed"),
  result: record({ bytes, number, pulse: count() }),
});

export const laneCertificates = defineMethod({
  name: "lane_certificates",
  summary:
    "A page of the Votes and Stops that decided what a Pulse executed, from a place of the " +
    "certified order on. Kept as long as published data.",
  params: record({ from: optional(count()), number }, "closed"),
  result: record({ bytes, number, pulse: count() }),
});

export const objectProof = defineMethod({
  name: "object_proof",
  summary:
    "What a Pulse's state holds under a key (an object's id, an account's key), or that it " +
    "holds nothing there. Any key for the newest certified Pulse and later ones; without a key, " +
    "or with that of its first receipt's account, for Pulses with published data.",
  params: record({ key: optional(hex64), number }, "closed"),
  result: record({ bytes, number, pulse: count() }),
});

export const published = defineMethod({
  name: "published",
  summary:
    `What a Pulse published, ${MAX_PAGE_BYTES} bytes at a time from byte \`from\` on; \`size\` ` +
    "is all of it. Kept for 192 Pulses.",
  params: record({ from: optional(count()), number }, "closed"),
  result: record({ bytes, number, pulse: count(), size: count() }),
});

export const receiptProof = defineMethod({
  name: "receipt_proof",
  summary: "A transaction's receipt with its path to the receipts root of its Pulse.",
  params: record({ digest: hex64 }, "closed"),
  result: record({ bytes, pulse: count() }),
});

export const receipts = defineMethod({
  name: "receipts",
  summary: "Receipts of a Pulse in certified order, from place `from` on, as many as fit one " +
    "answer; `count` is how many there are.",
  params: record({ from: optional(count()), number }, "closed"),
  result: record({ count: count(), number, pulse: count(), receipts: list(bytes, MAX_ITEMS) }),
});

export const sessionSteps = defineMethod({
  name: "session_steps",
  summary: "Certified last headers of sessions from session `from` on, each with the next " +
    "session's validators, as many as fit one answer.",
  params: record({ from: count() }, "closed"),
  result: record({ more: flag, pulse: count(), steps: list(bytes, MAX_ITEMS) }),
});

export const shares = defineMethod({
  name: "shares",
  summary: "Shares of a Pulse's square with their paths, in the order asked for, as many as fit " +
    "one answer.",
  params: record({
    number,
    places: list(
      record({ column: count(15), row: count(15), through: oneOf("row", "column") }, "closed"),
      MAX_SHARES,
    ),
  }, "closed"),
  result: record({ number, pulse: count(), shares: list(bytes, MAX_SHARES) }),
});

export const world = defineMethod({
  name: "world",
  summary:
    "The witness of a Pulse's World Proof: the state before as far as its execution read or wrote " +
    `it, ${MAX_PAGE_BYTES} bytes at a time from byte \`from\` on; \`size\` is all of it. Kept ` +
    "as long as published data.",
  params: record({ from: optional(count()), number }, "closed"),
  result: record({ bytes, number, pulse: count(), size: count() }),
});

export const squareCommitment = defineMethod({
  name: "square_commitment",
  summary: "What a Pulse's data root commits to: the roots of the rows and columns.",
  params: record({ number }, "closed"),
  result: record({ bytes, number, pulse: count() }),
});
