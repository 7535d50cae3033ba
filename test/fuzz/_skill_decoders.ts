/** What comes with skills from anywhere: bundles, and what they say of themselves. */
import { utf8, utf8Text } from "#internal/core/mod.ts";
import { packBundle, unpackBundle } from "../../internal/agent/skills/bundle.ts";
import { isSkillName, readDeclaration } from "../../internal/agent/skills/declaration.ts";
import { parseRule } from "../../internal/agent/standing.ts";
import type { Decoder } from "./_decoder.ts";
import { decoder } from "./_decoder.ts";

const INSTRUCTIONS = utf8("---\nname: a-skill\ndescription: What it is for.\n---\nDo it.\n");

const bundle = decoder({
  name: "a bundle of a skill",
  covers: ["unpackBundle"],
  samples: () => [
    packBundle([
      { path: "SKILL.md", bytes: INSTRUCTIONS, executable: false },
      { path: "scripts/a.sh", bytes: utf8("#!/bin/sh\n"), executable: true },
      {
        path: `references/${"long/".repeat(5)}${"x".repeat(90)}`,
        bytes: utf8(""),
        executable: false,
      },
    ]),
  ],
  decode: (bytes) => unpackBundle(bytes, "a bundle"),
  encode: packBundle,
  errors: ["skill"],
});

const declaration = decoder({
  name: "a SKILL.md",
  covers: ["readDeclaration"],
  samples: () => [
    INSTRUCTIONS,
    utf8(
      "---\nname: b\ndescription: >\n  Folded\n  words.\nallowed-tools: [shell(ls:*), Read]\n" +
        "metadata:\n  sion-network: a.example b.example\n  sion-secrets: KEY\n---\n",
    ),
  ],
  decode: (bytes) => readDeclaration(utf8Text(bytes), "SKILL.md"),
  use({ name, preApproved }) {
    if (!isSkillName(name)) throw new Error("the name is none");
    for (const rule of preApproved) parseRule(rule);
  },
  errors: ["skill"],
  text: true,
});

/** Those of skills. */
export const SKILL_DECODERS: readonly Decoder[] = [bundle, declaration];
