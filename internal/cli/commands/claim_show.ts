import { argument, defineCommand } from "../command.ts";
import { objectId } from "../readers.ts";
import { claimValue } from "./_claims.ts";
import { formulaIn, subjectOf } from "#internal/rpc/mod.ts";
import { textOf } from "./_objects.ts";

type Fields = Readonly<Record<string, unknown>>;

export const command = defineCommand({
  path: "claim show",
  brief: "Show a claim: who states what, what it rests on, how it stands.",
  args: { claim: argument(objectId, "the claim's id") },
  flags: {},
  examples: [["sion claim show e825c122", "what is stated, and how it stands"]],
  json: "the claim's members",
  node: true,
  async run({ client, output, json, signal }, { args }) {
    const opened = await client();
    const claim = await opened.object("claim", args.claim, { signal });
    if (json) return output.json(claimValue(claim));
    const names = await opened.names({ signal });
    const name = (id: string): string => names(id) ?? output.id(id);
    const { object } = claim;
    const judge = object["adjudicator"] as Fields | null;
    const until = object["valid_until"];
    output.line(
      `claim ${claim.id} of ${name(textOf(object["issuer"]))}: ${textOf(object["status"])}`,
    );
    output.line(`${textOf(object["schema"])}: ${subjectOf(claim, name)}`);
    output.line(`rests on ${formulaIn(claim, names)}`);
    if (judge !== null) {
      output.line(
        `judged by ${name(String(judge["account"]))} with bond ${String(judge["label"])}`,
      );
    }
    output.line(
      `issued at Pulse ${textOf(object["issued"])}, ` +
        (until === null ? "without end" : `valid until Pulse ${textOf(until)}`),
    );
  },
});
