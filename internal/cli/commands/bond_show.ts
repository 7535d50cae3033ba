import { argument, defineCommand, optionalArgument } from "../command.ts";
import { account } from "../readers.ts";
import { bondLines, bondValue, label } from "./_claims.ts";

export const command = defineCommand({
  path: "bond show",
  brief:
    "Show the bonds of a wallet or account: what is at stake, what is held for whom, what is on " +
    "its way out.",
  args: {
    account: argument(account, "a wallet name (devnet) or an account of 64 hex digits"),
    label: optionalArgument(label, "only the bond of this label"),
  },
  flags: {},
  examples: [["sion bond show dana", "what dana has at stake"]],
  json: "a list of bonds with their members",
  node: true,
  async run({ client, output, json, signal }, { args }) {
    const opened = await client();
    const { account } = await opened.resolve(args.account, { signal });
    const all = await opened.objects("bond", { member: "account", equals: account }, { signal });
    const bonds = all.filter(({ object }) =>
      args.label === undefined || object["label"] === args.label
    );
    if (json) return output.json(bonds.map(bondValue));
    const names = await opened.names({ signal });
    const name = (id: string): string => names(id) ?? output.id(id);
    for (const line of bonds.flatMap((bond) => bondLines(bond, name))) output.line(line);
    if (bonds.length === 0) output.note("no bonds: `sion bond post` makes one");
  },
});
