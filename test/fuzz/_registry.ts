/** Every decoder of what comes from outside, and what decodes only what sion wrote itself. */
import type { Decoder } from "./_decoder.ts";
import { LEDGER_DECODERS } from "./_ledger_decoders.ts";
import { MEMORY_DECODERS } from "./_memory_decoders.ts";
import { PROXY_DECODERS } from "./_proxy_decoders.ts";
import { SKILL_DECODERS } from "./_skill_decoders.ts";
import { TEXT_DECODERS } from "./_text_decoders.ts";
import { WEB_DECODERS } from "./_web_decoders.ts";
import { X402_DECODERS } from "./_x402_decoders.ts";

export const DECODERS: readonly Decoder[] = [
  ...LEDGER_DECODERS,
  ...MEMORY_DECODERS,
  ...PROXY_DECODERS,
  ...SKILL_DECODERS,
  ...TEXT_DECODERS,
  ...WEB_DECODERS,
  ...X402_DECODERS,
];

const PART = "a part of what is in the registry";
const OWN_MEMORY = "what this validator made of a block that it had checked";
const OWN_STORE = "what this validator wrote into its own store";

/** Codecs and functions that no stranger's bytes reach by themselves, and why. */
export const INSIDE: Readonly<Record<string, string>> = {
  bondNameCodec: PART,
  budgetCodec: PART,
  bucketLevelCodec: PART,
  bucketTermsCodec: PART,
  caveatsCodec: PART,
  chainlessHeaderCodec: PART,
  eventValueCodec: PART,
  formulaCodec: PART,
  headCodec: PART,
  nodeCodec: PART,
  offenceCodec: PART,
  parametersCodec: PART,
  partialTreeCodec: PART,
  poolCodec: PART,
  keyCodec: PART,
  taskRuleCodec: PART,
  saltCodec: PART,
  signedHeaderCodec: PART,
  stakeCodec: PART,
  validatorsCodec: PART,
  decodeContents: OWN_STORE,
  decodeKeptLocks: OWN_STORE,
  earlierLockCodec: OWN_STORE,
  keptCodec: OWN_STORE,
  keptLocksCodec: OWN_STORE,
  lockCodec: OWN_STORE,
  ownCodec: OWN_STORE,
  signedCodec: OWN_MEMORY,
  stopCodec: OWN_STORE,
  decodeURI: "this program's own address",
  "decoder.decode": "text of a file for a model, of any bytes",
};
