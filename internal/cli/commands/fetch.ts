import { argument, defineCommand, neededValue, toggle, value } from "../command.ts";
import { EXIT } from "../errors.ts";
import { objectId, text, usdOrNone, walletName } from "../readers.ts";
import { textOf } from "./_objects.ts";

/** Reads the URL of a resource; what can be paid for is the client's to say. */
const url = text("URL");

export const command = defineCommand({
  path: "fetch",
  brief:
    "Fetch a resource over HTTP, and pay for it if the server charges through x402. A payment " +
    "that no server took yet is kept, and shown again the next time instead of paying anew.",
  args: { url: argument(url, "what to fetch: http: or https:") },
  flags: {
    wallet: neededValue(
      walletName,
      "the wallet that pays, or the agent's",
      "`sion wallet list` shows yours",
    ),
    max: neededValue(
      usdOrNone,
      "the most that it may pay, USD; 0 pays nothing",
      "for example --max 0.5",
    ),
    charter: value(objectId, "pay under this charter; with --allotment"),
    allotment: value(objectId, "pay from this allotment"),
    again: toggle("give up a payment for it that the server did not take, and pay anew"),
    private: toggle("ask addresses of private networks too"),
  },
  examples: [
    ["sion fetch http://127.0.0.1:8402/v1/resource --wallet dana --max 1", "pay at most 1 USD"],
  ],
  json: "as sion_fetch_paid returns it",
  node: true,
  exits: [EXIT.failed, EXIT.unknown],
  async run(context, { args, flags }) {
    const { output, json, signal } = context;
    const client = await context.client();
    const charter = flags.charter === undefined
      ? undefined
      : await client.object("charter", flags.charter, { signal });
    const allotment = flags.allotment === undefined
      ? undefined
      : await client.object("allotment", flags.allotment, { signal });
    const agent = charter === undefined
      ? undefined
      : await client.object("identity", textOf(charter.object["agent"]), { signal });
    const acting = agent?.object["keyless"] === true
      ? await client.actingFor(flags.wallet, agent, { signal })
      : {};
    context.onInterrupt("nothing was paid");
    const { offer: _paid, ...fetched } = await client.fetchPaid({
      ...acting,
      signal,
      url: args.url,
      wallet: flags.wallet,
      most: flags.max,
      again: flags.again,
      ...(charter === undefined ? {} : { charter: charter.id }),
      ...(allotment === undefined ? {} : { allotment: allotment.id }),
      reach: { loopback: true, private: flags.private },
      // The body alone is the answer: what is paid is about it.
      onSign({ wallet, intent, digest }) {
        context.began(
          `transaction ${digest} was signed: give the same command again, nothing is paid twice`,
        );
        if (!json) output.note(`${wallet} signs: ${intent}`);
        context.onInterrupt(
          "give the same command again: the payment is kept, nothing is paid twice",
        );
      },
      onPaid({ pulse, receipt }) {
        if (!json) output.note(`Pulse ${pulse}: ${receipt}`);
      },
    });
    if (json) {
      output.json(fetched);
    } else {
      // Where an answer to a payment leads is not fetched.
      if (fetched.status >= 300) output.note(`the server answered with status ${fetched.status}`);
      output.stdout.write(fetched.body.endsWith("\n") ? fetched.body : `${fetched.body}\n`);
    }
    return fetched.status < 400 ? EXIT.done : EXIT.error;
  },
});
