import { join, resolve } from "node:path";
import { displayPath, systemClock } from "#internal/runtime/mod.ts";
import { defineCommand, neededValue, value } from "../command.ts";
import { usageError } from "../errors.ts";
import { account, folder, usd } from "../readers.ts";
import { address, httpAddress, serverLogger, stopped } from "./_server.ts";

/** What is listened at for all addresses of a machine, and is none of them. */
const EVERYWHERE: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

export const command = defineCommand({
  path: "x402 serve",
  brief:
    "Charge for HTTP: every request is answered with an offer until it shows a payment on this " +
    "chain, and one request is passed on for each payment. Without --upstream it serves " +
    "/v1/resource, to try it with, and the facilitator beside it. The program sion-gateway does " +
    "this alone.",
  args: {},
  flags: {
    price: neededValue(usd, "what a request costs, USD", "for example --price 0.25"),
    payTo: neededValue(
      account,
      "who is paid: a wallet name (devnet) or an account",
      "give your wallet",
    ),
    upstream: value(httpAddress, "the server that paid requests are passed on to"),
    listen: value(
      address("127.0.0.1:8402"),
      "where clients reach it; port 0 takes any free port",
      {
        default: "default 127.0.0.1:8402",
      },
    ),
    origin: value(httpAddress, "as clients call it, where something stands in front of it", {
      default: "where it listens",
    }),
    facilitator: value(
      address("127.0.0.1:8403"),
      "where other servers reach its facilitator: /verify, /settle, /supported",
      { default: "with --upstream none" },
    ),
    dir: value(folder, "where it keeps which payments it has taken", {
      default: "default $SION_HOME/x402",
    }),
  },
  examples: [
    ["sion x402 serve --price 0.25 --pay-to bob", "something to pay for"],
    [
      "sion x402 serve --price 0.01 --pay-to bob --upstream http://127.0.0.1:3000",
      "charge for a server of yours",
    ],
  ],
  json: "{chain, facilitator, pay_to, price, url} on one line when it is ready",
  node: true,
  endless: true,
  async run(context, { flags }) {
    const { output, json, signal, env, cwd, home } = context;
    const listen = flags.listen ?? { host: "127.0.0.1", port: 8402 };
    if (flags.origin === undefined && EVERYWHERE.has(listen.host)) {
      throw usageError(
        `clients cannot call it at ${listen.host}: say with --origin how they do, for example ` +
          "--origin https://api.example.com",
      );
    }
    const client = await context.client();
    const payee = await client.resolve(flags.payTo, {
      signal,
      otherwise: "a payment makes the account",
    });
    const dir = flags.dir === undefined ? join(home, "x402") : resolve(cwd, flags.dir);
    const { startX402Server } = await import("#internal/gateway/mod.ts");
    context.onInterrupt("which payments were taken is kept");
    await using server = await startX402Server({
      client,
      payTo: payee.account,
      price: flags.price,
      listen,
      ...(flags.upstream === undefined ? {} : { upstream: flags.upstream }),
      ...(flags.origin === undefined ? {} : { origin: flags.origin.origin }),
      ...(flags.facilitator === undefined ? {} : { facilitator: flags.facilitator }),
      dir,
      shownDir: displayPath(dir, env),
      clock: systemClock,
      logger: serverLogger(output),
    });
    if (signal.aborted) return;
    const { formatUsd } = await import("#internal/core/mod.ts");
    const price = formatUsd(flags.price);
    const { chain, facilitator, url } = server;
    if (json) {
      output.jsonLine({
        chain,
        facilitator: facilitator ?? null,
        pay_to: payee.account,
        price,
        url,
      });
    } else {
      const to = payee.name ?? output.id(payee.account);
      output.line(`x402 ready on ${url}: ${price} USD a request, paid to ${to}`);
      const what = flags.upstream === undefined ? "/v1/resource" : "/";
      output.hint([
        "Next, in another terminal:",
        `  sion fetch ${url}${what} --wallet alice --max ${price}`,
        "Ctrl-C stops it and keeps which payments it has taken.",
      ]);
    }
    await stopped(signal);
  },
});
