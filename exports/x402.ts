/**
 * `sion/x402`: the scheme `exact` on sion chains for the official packages of x402. A client pays from
 * a wallet of this machine; a server charges, and has a facilitator of this chain look the payments up:
 * that of `sion x402 serve`, or one of its own.
 *
 * Types stand here whole, so that their declarations need nothing else; they fit those of @x402/core.
 *
 * @example
 * ```ts ignore
 * const client = new x402Client().register("sion:*", sionClient({ wallet: "alice" }));
 * const paying = wrapFetchWithPayment(fetch, client);
 * ```
 */
import { join } from "node:path";
import type { JsonValue } from "#internal/core/mod.ts";
import { messageOf, parseUsd } from "#internal/core/mod.ts";
import { USD } from "#internal/ledger/mod.ts";
import { readEnvironment, systemClock } from "#internal/runtime/mod.ts";
import { normalUrl, pricedMethod, readPaymentPayload } from "#internal/x402/mod.ts";

/** A chain, as in `sion:6345655cfd2a714ed1dab69c0660f2f4`. */
export type Network = `${string}:${string}`;

/** What a server asks for. */
export interface Offer {
  scheme: string;
  network: Network;
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: Record<string, unknown>;
}

/** Where the chain is found. */
export interface SionPlace {
  /** Address of the node. @default SION_NODE, else `http://127.0.0.1:8400` */
  readonly node?: string;
  /** The folder of all state. @default SION_HOME, else `~/.sion` */
  readonly home?: string;
  /** Chain identity to insist on, 64 hex digits. @default whatever the node serves */
  readonly chain?: string;
}

/** Who pays. */
export interface SionClientOptions extends SionPlace {
  /** A wallet of this machine: the agent's, when it pays under a charter. */
  readonly wallet: string;
  /** A charter and an allotment of it to pay from: ids, both or neither. */
  readonly charter?: string;
  readonly allotment?: string;
  /** The most that one payment may be, USD, where the x402 client's own limit says no less. @default "1" */
  readonly most?: string;
}

/** The scheme for `x402Client.register("sion:*", …)`. Disposing of it closes its files. */
export interface SionClient extends Disposable {
  readonly scheme: "exact";
  readonly schemeHooks: {
    readonly onPaymentResponse: (answer: {
      readonly paymentPayload: unknown;
      readonly settleResponse?: { readonly success: boolean };
    }) => Promise<void>;
  };
  findDefaultAsset(
    asset: string,
    network: Network,
  ): { asset: string; decimals: number; symbol: string } | undefined;
  createPaymentPayload(
    version: number,
    offer: Offer,
    limits?: { readonly maxAmountPerPayment?: string },
  ): Promise<{ x402Version: number; payload: Record<string, unknown> }>;
}

/**
 * Pays on the ledger, then shows the transaction. A payment that no server took is shown again for the
 * same offer, by later processes too.
 */
export function sionClient(options: SionClientOptions): SionClient {
  const most = parseUsd(options.most ?? "1");
  const { wallet, charter, allotment } = options;
  let opened: ReturnType<typeof clientAt> | undefined;
  const client = () => opened ??= clientAt(options);
  return {
    scheme: "exact",
    findDefaultAsset: (asset) => asset === USD ? { asset, decimals: 6, symbol: "USD" } : undefined,
    async createPaymentPayload(version, offer, limits = {}) {
      if (version !== 2) throw new TypeError(`Cannot pay: version ${version} is not version 2`);
      const limit = limits.maxAmountPerPayment;
      const cap = limit === undefined ? most : BigInt(limit);
      const payload = await (await client()).payOffer({
        wallet,
        offer: offer as Parameters<Awaited<ReturnType<typeof clientAt>>["payOffer"]>[0]["offer"],
        most: cap < most ? cap : most,
        ...(charter === undefined ? {} : { charter }),
        ...(allotment === undefined ? {} : { allotment }),
      });
      return { x402Version: 2, payload: { ...payload } };
    },
    schemeHooks: {
      async onPaymentResponse({ paymentPayload, settleResponse }) {
        if (settleResponse?.success !== true) return;
        const shown = readPaymentPayload(
          paymentPayload as Parameters<typeof readPaymentPayload>[0],
        );
        if (shown !== undefined) await (await client()).offerTaken(shown.payload);
      },
    },
    [Symbol.dispose]() {
      const closing = opened;
      opened = undefined;
      void closing?.then((one) => one[Symbol.dispose](), () => {});
    },
  };
}

async function clientAt({ node, home, chain }: SionPlace) {
  const { openClient } = await import("#internal/client/mod.ts");
  return openClient({
    env: readEnvironment(),
    ...(node === undefined ? {} : { node }),
    ...(home === undefined ? {} : { home }),
    ...(chain === undefined ? {} : { chain }),
  });
}

/** The scheme for `x402ResourceServer.register("sion:…", …)`. */
export interface SionServer {
  readonly scheme: "exact";
  readonly defaultAssetTransferMethod: "default";
  readonly paymentFlows: {
    readonly default: { readonly supported: readonly ["upfront"]; readonly default: "upfront" };
  };
  parsePrice(
    price: string | number | { asset: string; amount: string; extra?: Record<string, unknown> },
    network: Network,
  ): Promise<{ asset: string; amount: string; extra?: Record<string, unknown> }>;
  getAssetDecimals(asset: string, network: Network): number | undefined;
  enhancePaymentRequirements(offer: Offer): Promise<Offer>;
  enrichPaymentRequiredResponse(answer: {
    requirements: Offer[];
    transportContext?: unknown;
  }): Promise<Offer[]>;
}

/** Charges in USD, and binds each offer to the method and the URL of its request. */
export function sionServer(): SionServer {
  return {
    scheme: "exact",
    defaultAssetTransferMethod: "default",
    // The ledger decides in about a second: what is worked for was paid before.
    paymentFlows: { default: { supported: ["upfront"], default: "upfront" } },
    parsePrice(price) {
      if (typeof price === "object") return Promise.resolve(price);
      const usd = String(price).replace(/^\$/, "").replace(/ USD$/, "");
      return Promise.resolve({ asset: USD, amount: parseUsd(usd).toString() });
    },
    getAssetDecimals: (asset) => asset === USD ? 6 : undefined,
    enhancePaymentRequirements: (offer) => Promise.resolve(offer),
    enrichPaymentRequiredResponse({ requirements, transportContext }) {
      const bound = boundTo(transportContext);
      return Promise.resolve(
        requirements.map((offer) =>
          offer.network.startsWith("sion:")
            ? { ...offer, extra: { ...offer.extra, ...bound } }
            : offer
        ),
      );
    },
  };
}

/** What a request is for. @throws {TypeError} when it cannot be told: then nothing is offered. */
function boundTo(transport: unknown): { readonly method: string; readonly url: string } {
  const { request } = (transport ?? {}) as {
    readonly request?: { readonly adapter: { getMethod(): string; getUrl(): string } };
  };
  const url = normalUrl(request?.adapter.getUrl() ?? "");
  if (request === undefined || url === undefined) {
    throw new TypeError("Cannot offer: the request has no URL that can be paid for");
  }
  return { method: pricedMethod(request.adapter.getMethod()), url };
}

/** Where a facilitator looks payments up, and keeps which it has taken. */
export interface SionFacilitatorOptions extends SionPlace {
  /**
   * Folder of the payments that were taken. Keep it, or an old payment could be shown again; processes
   * that charge for the same may share it. @default `x402` in the folder of all state
   */
  readonly dir?: string;
  /** Told in a sentence why a payment could not be looked up; it was refused then. */
  readonly onWarning?: (warning: string) => void;
}

/** The scheme for `x402Facilitator.register("sion:…", …)`. Disposing of it closes its files. */
export interface SionFacilitator extends AsyncDisposable {
  readonly scheme: "exact";
  readonly caipFamily: "sion:*";
  getExtra(network: Network): { asset: string };
  /** None: who pays signs, and nobody else. */
  getSigners(network: string): string[];
  /** Whether a payment would be taken now. Changes nothing. */
  verify(
    payload: { x402Version: number },
    requirements: { scheme: string },
  ): Promise<{ isValid: boolean; invalidReason?: string; invalidMessage?: string; payer?: string }>;
  /** Takes a payment: success to one caller. */
  settle(
    payload: { x402Version: number },
    requirements: { scheme: string },
  ): Promise<{
    success: boolean;
    transaction: string;
    network: Network;
    payer?: string;
    errorReason?: string;
    errorMessage?: string;
    extensions?: Record<string, unknown>;
  }>;
}

/** Verifies and settles in this process. Nothing throws: what cannot be told is a refusal. */
export function sionFacilitator(options: SionFacilitatorOptions = {}): SionFacilitator {
  let opened: ReturnType<typeof facilitatorAt> | undefined;
  // What failed to open is tried anew: the node may be back.
  const facilitator = () =>
    opened ??= facilitatorAt(options).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
  const bodyOf = (payload: object, requirements: object) => ({
    x402Version: 2,
    paymentPayload: payload as JsonValue,
    paymentRequirements: requirements as JsonValue,
  });
  const warn = (error: unknown): void => options.onWarning?.(messageOf(error));
  return {
    scheme: "exact",
    caipFamily: "sion:*",
    getExtra: () => ({ asset: USD }),
    getSigners: () => [],
    async verify(payload, requirements) {
      try {
        return await (await facilitator()).verifyBody(bodyOf(payload, requirements));
      } catch (error) {
        warn(error);
        return { isValid: false, invalidReason: "unexpected_verify_error" };
      }
    },
    async settle(payload, requirements) {
      try {
        const settled = await (await facilitator()).settleBody(bodyOf(payload, requirements));
        return { ...settled, network: settled.network as Network };
      } catch (error) {
        warn(error);
        const { network } = requirements as { readonly network?: unknown };
        return {
          success: false,
          transaction: "",
          network: (typeof network === "string" ? network : "") as Network,
          errorReason: "unexpected_settle_error",
        };
      }
    },
    async [Symbol.asyncDispose]() {
      const closing = opened;
      opened = undefined;
      (await closing?.catch(() => undefined))?.[Symbol.dispose]();
    },
  };
}

async function facilitatorAt(options: SionFacilitatorOptions) {
  const { openFacilitator } = await import("#internal/gateway/mod.ts");
  const client = await clientAt(options);
  try {
    const facilitator = await openFacilitator({
      client,
      dir: options.dir ?? join(client.home, "x402"),
      clock: systemClock,
      logger: {
        log: (_level, message, fields) =>
          options.onWarning?.(`${message}: ${String(fields?.["reason"])}`),
      },
    });
    return {
      ...facilitator,
      [Symbol.dispose]() {
        facilitator[Symbol.dispose]();
        client[Symbol.dispose]();
      },
    };
  } catch (error) {
    client[Symbol.dispose]();
    throw error;
  }
}
