/** All transaction kinds, by ascending tag. A new one is its file and its line here. */
import type { BodyOf } from "../kind.ts";
import { faucet } from "./faucet.ts";
import { pay } from "./pay.ts";

/** The product's transaction kinds. */
export const txKinds = [
  pay,
  faucet,
] as const;

type Kind = (typeof txKinds)[number];

/** What a transaction does, in the product's kinds: the kind's name and its body. */
export type Action = {
  [K in Kind as K["name"]]: { readonly kind: K["name"]; readonly body: BodyOf<K> };
}[Kind["name"]];
