/** What paying for HTTP takes and gives. */
import type { Reach } from "#internal/runtime/mod.ts";
import type { PaymentRequired, PaymentRequirements, SettlementProof } from "#internal/x402/mod.ts";
import type { SignOptions } from "./outcome_types.ts";

/** Who pays for HTTP, and how much at most. */
export interface WhoPays extends Omit<SignOptions, "onOutcome"> {
  /** A wallet of this machine; the agent's when it pays under a charter. */
  readonly wallet: string;
  /** The most that this call may pay, micro-USD. */
  readonly most: bigint;
  /** To pay under a charter, from an allotment of it: 64 hex digits each, both or neither. */
  readonly charter?: string;
  readonly allotment?: string;
  /** Chain identity to insist on. @default the client's */
  readonly chain?: string;
  /** Pay anew although a payment for it is kept that no server took. @default false */
  readonly again?: boolean;
  /** Told the sentence of the receipt, once the ledger has paid. */
  readonly onPaid?: (paid: { readonly pulse: number; readonly receipt: string }) => void;
}

/** A resource to be fetched, and paid for if need be. */
export interface PaidFetch extends WhoPays {
  readonly url: string;
  /** @default this machine where the URL names it, else public addresses */
  readonly reach?: Reach;
}

/** An offer to be met, for another program that speaks HTTP. */
export interface OfferPayment extends WhoPays {
  readonly offer: PaymentRequirements;
}

/** What was fetched; all but `offer` is the value of `sion_fetch_paid`. */
export type FetchedResource = {
  /** Of what was asked for, that which was paid. */
  readonly offer?: PaymentRequirements;
  readonly body: string;
  readonly paid: boolean;
  /** What the server asked for; missing when it asked for nothing. */
  readonly quoted?: PaymentRequired;
  readonly settlement?: Settlement;
  /** HTTP status. */
  readonly status: number;
};

/** A payment as this client proved it, whatever the server said of it. */
export type Settlement = {
  readonly extensions: { readonly sion: SettlementProof };
  readonly network: string;
  readonly payer: string;
  readonly success: boolean;
  readonly transaction: string;
};
