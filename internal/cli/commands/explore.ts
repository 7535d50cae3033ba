import { systemClock } from "#internal/runtime/mod.ts";
import { defineCommand, value } from "../command.ts";
import { address, clientFlags, serverLogger, stopped } from "./_server.ts";

export const command = defineCommand({
  path: "explore",
  brief:
    "Look at the chain in a browser: Pulses as they come, verified on this machine as a light " +
    "client, validators, accounts, transactions, claims and agents. It only looks, and it needs no " +
    "network but the way to the node.",
  args: {},
  flags: {
    listen: value(
      address("127.0.0.1:8404"),
      "where the browser reaches it; port 0 takes any free port",
      { default: "default 127.0.0.1:8404" },
    ),
    allowHost: clientFlags.allowHost,
  },
  examples: [
    ["sion explore", "then open http://127.0.0.1:8404"],
    ["sion explore --node http://node.example:8401 --chain $CHAIN", "a chain that you know"],
  ],
  json: "{node, url} on one line when it is ready",
  node: true,
  endless: true,
  async run(context, { flags }) {
    const { output, json, signal, clientOptions: { chain } } = context;
    const client = await context.client();
    const { startExplorer } = await import("#internal/explore/mod.ts");
    await using explorer = await startExplorer({
      client,
      ...(chain === undefined ? {} : { pinned: chain }),
      ...(flags.listen ?? { host: "127.0.0.1", port: 8404 }),
      allowHosts: flags.allowHost,
      clock: systemClock,
      logger: serverLogger(output),
    });
    if (signal.aborted) return;
    const { url } = explorer;
    if (json) output.jsonLine({ node: client.node, url });
    else {
      output.line(`explore ready on ${url}`);
      output.hint([
        `Open ${url} in a browser on this machine.`,
        ...(chain === undefined
          ? ["The node vouches for which chain it is: --chain insists on one that you know."]
          : []),
        "Ctrl-C stops it.",
      ]);
    }
    await stopped(signal);
  },
});
