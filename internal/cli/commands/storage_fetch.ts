import { resolve } from "node:path";
import { argument, defineCommand, neededValue } from "../command.ts";
import { objectId } from "../readers.ts";
import { newFile, sourceFlags, sourceOf } from "./_storage.ts";

export const command = defineCommand({
  path: "storage fetch",
  brief: "Get the file of a storage deal and check it against the deal's root. Whoever serves it " +
    "need not be trusted: another file is not kept.",
  args: { deal: argument(objectId, "the deal's id, or the first digits") },
  flags: {
    out: neededValue(
      newFile,
      "where the file goes; what is there stays",
      "give the file's new path",
    ),
    ...sourceFlags,
  },
  examples: [
    [
      "sion storage fetch 66f5ffa4 --out patrol.bin --from http://keeper.example:8600",
      "back from its provider",
    ],
  ],
  json: "{bytes, deal, from, leaves, root}",
  node: true,
  async run(context, { args: { deal }, flags: { out, from, allowPrivate } }) {
    const { output, json, cwd, signal } = context;
    context.onInterrupt("nothing was kept");
    const client = await context.client();
    const fetched = await client.storage.fetch({
      deal,
      to: resolve(cwd, out),
      allowPrivate,
      signal,
      ...(from === undefined ? {} : { from: sourceOf(from, cwd) }),
    });
    if (json) return output.json(fetched);
    output.line(
      `${out}: ${fetched.bytes} bytes, the file of storage deal ${output.id(fetched.deal)} ` +
        `(root ${output.id(fetched.root)})`,
    );
  },
});
