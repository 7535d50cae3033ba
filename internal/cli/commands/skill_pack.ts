import { resolve } from "node:path";
import { argument, defineCommand, value } from "../command.ts";
import { displayPath, writeFileAtomic } from "#internal/runtime/mod.ts";
import { folder, path } from "../readers.ts";

export const command = defineCommand({
  path: "skill pack",
  brief:
    "Make one file of a skill's folder: a tar in which the same files are the same bytes, so " +
    "that its digest names them.",
  args: { folder: argument(folder, "the skill's folder, with a SKILL.md") },
  flags: {
    out: value(path, "the file to make, in the place of an older one", {
      default: "<name>.skill.tar here",
    }),
  },
  examples: [
    ["sion skill pack word-count", "makes word-count.skill.tar"],
    ["sion skill pack . --out /tmp/a.tar", "another file"],
  ],
  json: "{name, file, digest, bytes, files: [path]}",
  node: false,
  async run({ output, json, cwd, env }, { args, flags }) {
    const { packBundle, readBundle, readSkillFolder } = await import("#internal/agent/mod.ts");
    const from = resolve(cwd, args.folder);
    const files = await readSkillFolder(from, { shown: displayPath(from, env) });
    const bytes = packBundle(files);
    const { digest, declaration: { name } } = await readBundle(bytes, displayPath(from, env));
    const file = flags.out ?? `${name}.skill.tar`;
    await writeFileAtomic(resolve(cwd, file), bytes, { mode: 0o644 });
    if (json) {
      const paths = files.map((one) => one.path);
      output.json({ bytes: bytes.length, digest, file: resolve(cwd, file), files: paths, name });
      return;
    }
    output.line(`${file}: skill ${name}, ${files.length} files, ${bytes.length} bytes`);
    output.line(`digest ${digest}`);
    output.hint([`sion skill publish <wallet> ${file} states its digest on the ledger`]);
  },
});
