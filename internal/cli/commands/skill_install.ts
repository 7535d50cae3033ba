import type { JsonValue } from "#internal/core/mod.ts";
import { isHex64, quoteOddWord, shortId, SionError } from "#internal/core/mod.ts";
import { systemClock } from "#internal/runtime/mod.ts";
import { argument, defineCommand, toggle, value } from "../command.ts";
import type { Reader } from "../command.ts";
import type { CommandContext } from "../context.ts";
import { EXIT, usageError } from "../errors.ts";
import { objectId, text } from "../readers.ts";
import { textOf } from "./_objects.ts";
import {
  agreed,
  asksValue,
  claimText,
  givenBundle,
  grantedOf,
  grantFlags,
  isUrl,
  skillsPlace,
} from "./_skills.ts";

const bundleDigest: Reader<string> = {
  placeholder: "DIGEST",
  read(given, what) {
    if (isHex64(given)) return given;
    throw usageError(`${what} ${quoteOddWord(given)} is no digest of a bundle: give 64 hex digits`);
  },
};

export const command = defineCommand({
  path: "skill install",
  brief:
    "Install a release of a skill: what it may do is shown first, and you grant it. Its files " +
    "are pinned, and checked at each use.",
  args: { bundle: argument(text("FILE|URL"), "the bundle, a file or a URL") },
  flags: {
    claim: value(objectId, "the claim that states its digest, as sion skill publish made it"),
    digest: value(bundleDigest, "the digest that it has to have"),
    allowPrivate: toggle("take what private addresses serve too, this machine's among them"),
    ...grantFlags,
  },
  examples: [
    ["sion skill install word-count.skill.tar --claim e825c122", "checked against its claim"],
    [
      "sion skill install https://example.com/a.skill.tar --claim e825c122 --without hosts --yes",
      "from a URL, without network, without asking",
    ],
  ],
  json:
    "{name, digest, claim, files, asks, granted, replaces: {digest, claim, added, changed, gone, more}|null}",
  node: true,
  exits: [EXIT.no],
  async run(context, { args, flags }) {
    const { output, json } = context;
    const { claim: named, digest: wanted, without, yes } = flags;
    if (isUrl(args.bundle) && named === undefined && wanted === undefined) {
      throw usageError(
        "a URL serves what it likes: give --claim <id> or --digest <64 hex digits> too",
      );
    }
    const { installBundle, replacementBy, replacementLines, reviewLines } = await import(
      "#internal/agent/mod.ts"
    );
    const bundle = await givenBundle(context, args.bundle, flags.allowPrivate);
    const { digest, declaration, files } = bundle;
    if (wanted !== undefined && wanted !== digest) throw other(digest, "the digest given", wanted);
    const claim = named === undefined ? undefined : await claimOf(context, named, bundle);
    const replaces = await replacementBy(skillsPlace(context), bundle);
    if (!json) {
      for (const line of reviewLines({ declaration, files, digest })) output.line(line);
      output.line(
        claim === undefined
          ? "stated by no claim: nobody stands for it"
          : `stated by ${claimText(claim.id)} of ${claim.issuer}`,
      );
      if (replaces !== undefined) replacementLines(replaces).forEach(output.line);
    }
    const { name } = declaration;
    const granted = grantedOf(declaration, without);
    if (!await agreed(context, yes, `install ${name}, and grant it that?`)) {
      output.note("nothing was installed");
      return EXIT.no;
    }
    const skill = await installBundle(skillsPlace(context), bundle, {
      source: args.bundle,
      granted,
      nowMs: systemClock.nowMs(),
      ...(claim === undefined ? {} : { claim: claim.id }),
    });
    if (json) {
      output.json({
        asks: asksValue(declaration),
        claim: claim?.id ?? null,
        digest,
        files: files.map(({ path }) => path),
        granted: asksValue(skill.granted),
        name,
        replaces: replaces === undefined ? null : {
          added: replaces.added,
          changed: replaces.changed,
          claim: replaces.claim ?? null,
          digest: replaces.digest,
          gone: replaces.gone,
          more: asksValue(replaces.more),
        },
      });
    } else output.line(`installed ${name}, release ${digest}`);
    return EXIT.done;
  },
});

/** The claim of a release, when it states this very bundle. @throws {SionError} `skill` */
async function claimOf(
  context: CommandContext,
  named: string,
  { digest, declaration: { name } }: {
    readonly digest: string;
    readonly declaration: { readonly name: string };
  },
): Promise<{ readonly id: string; readonly issuer: string }> {
  const { signal, output } = context;
  const { statedRelease } = await import("#internal/agent/mod.ts");
  const client = await context.client();
  const { id, object } = await client.object("claim", named, { signal });
  const member = (key: string): JsonValue => object[key] as JsonValue;
  const stated = statedRelease({ id, schema: member("schema"), subject: member("subject") });
  if (stated.digest !== digest || stated.name !== name) {
    throw other(digest, `claim ${shortId(id)}`, stated.digest);
  }
  const status = textOf(member("status"));
  if (status !== "Active") {
    throw new SionError(
      "skill",
      `claim ${
        shortId(id)
      } is ${status.toLowerCase()}: ask its publisher for a release that stands`,
    );
  }
  const names = await client.names({ signal });
  const issuer = textOf(member("issuer"));
  return { id, issuer: names(issuer) ?? output.id(issuer) };
}

function other(digest: string, what: string, wanted: string): SionError {
  return new SionError(
    "skill",
    `the bundle is ${shortId(digest)}, and ${what} names ${shortId(wanted)}: it is another one; ` +
      "nothing was installed",
  );
}
