import { systemClock } from "#internal/runtime/mod.ts";
import { defineCommand, toggle, value } from "../command.ts";
import { integer } from "../readers.ts";
import { address, clientFlags, serverLogger, stopped } from "./_server.ts";

/** Requests a second that a client gets back, unless it is said otherwise. */
const DEFAULT_RATE = 20;
const MAX_RATE = 100_000;

export const command = defineCommand({
  path: "gateway",
  brief: "Front a node for HTTP clients and light clients: it answers what a node answers, but " +
    "changes nothing, and each client so often. `sion agent gateway` is another thing, it lets " +
    "people write to agents; so is the program `sion-gateway`, which charges for HTTP.",
  args: {},
  flags: {
    listen: value(
      address("127.0.0.1:8401"),
      "where clients reach it; port 0 takes any free port",
      { default: "default 127.0.0.1:8401" },
    ),
    allowHost: clientFlags.allowHost,
    rate: value(
      integer(1, MAX_RATE),
      "requests a second that each client gets, 64 KiB of answers counting as one; ten seconds' " +
        "worth can be saved up",
      { default: `default ${DEFAULT_RATE}` },
    ),
    proxied: toggle(
      "a proxy of yours stands in front: a client is the last address of its X-Forwarded-For",
    ),
  },
  examples: [
    ["sion gateway", "for this machine"],
    ["sion gateway --listen 0.0.0.0:8401 --rate 5", "for everybody, 5 requests a second each"],
  ],
  json: "{chain, chain_id, node, url} on one line when it is ready",
  node: true,
  endless: true,
  async run(context, { flags }) {
    const { output, json, signal } = context;
    const client = await context.client();
    const { startNodeGateway } = await import("#internal/gateway/mod.ts");
    const rate = flags.rate ?? DEFAULT_RATE;
    await using gateway = await startNodeGateway({
      client,
      ...(flags.listen ?? { host: "127.0.0.1", port: 8401 }),
      allowHosts: flags.allowHost,
      proxied: flags.proxied,
      limits: { perSecond: rate },
      clock: systemClock,
      logger: serverLogger(output),
    });
    if (signal.aborted) return;
    const { chain, chainId, url } = gateway;
    if (json) {
      output.jsonLine({ chain, chain_id: chainId, node: client.node, url });
    } else {
      output.line(
        `gateway ready on ${url}: chain ${chainId}, identity ${chain}, read-only, ` +
          `${rate} requests a second for each client`,
      );
      output.hint([
        "Next, in another terminal:",
        `  sion verify --node ${url} --chain ${chain}   a light client of it`,
        `  curl ${url}/rpc/status   an HTTP client of it`,
        "Ctrl-C stops it.",
      ]);
    }
    await stopped(signal);
  },
});
