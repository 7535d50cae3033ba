/** What the vendors' interfaces have in common: names of tools and calls, texts, what is left out. */
import { Buffer } from "node:buffer";
import type { JsonValue } from "#internal/core/mod.ts";
import type { KeptPicture } from "../conversation.ts";
import type { ModelMessage, ModelPart, ModelRequest, OfferedTool } from "./_model.ts";

/** A tool under the name that a provider takes. */
export interface WireTool {
  readonly wire: string;
  readonly tool: OfferedTool;
  readonly schema: Readonly<Record<string, JsonValue | undefined>>;
}

/** The tools of a request, and what the provider's names stand for. */
export interface WireTools {
  readonly tools: readonly WireTool[];
  /** The tool that a provider's name means; a name that is none stays as it is. */
  nameOf(wire: string): string;
  /** The provider's name of a tool, offered or not. */
  wireOf(name: string): string;
  readonly leftOut: readonly { readonly name: string; readonly why: string }[];
}

const NAME_LENGTH = 64;
/** What every vendor takes as a property's name. */
const PROPERTY = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Tools as a provider takes them. One that would make it refuse every request is left out.
 * @param refused names of tools that it has refused already
 */
export function wireTools(
  offered: readonly OfferedTool[],
  refused: ReadonlySet<string>,
): WireTools {
  const byWire = new Map<string, string>();
  const tools: WireTool[] = [];
  const leftOut: { name: string; why: string }[] = [];
  for (const tool of offered) {
    const why = refused.has(tool.name) ? "the provider refused it" : fault(tool.inputSchema);
    if (why !== undefined) {
      leftOut.push({ name: tool.name, why });
      continue;
    }
    const wire = freshName(tool.name, byWire);
    byWire.set(wire, tool.name);
    const { $schema: _schema, ...schema } = tool.inputSchema as WireTool["schema"];
    tools.push({ wire, tool, schema });
  }
  const byName = new Map([...byWire].map(([wire, name]) => [name, wire]));
  return {
    tools,
    leftOut,
    nameOf: (wire) => byWire.get(wire) ?? wire,
    wireOf: (name) => byName.get(name) ?? plainName(name),
  };
}

function fault(schema: JsonValue): string | undefined {
  if (schema === null || typeof schema !== "object" || Array.isArray(schema)) {
    return "its input has no schema";
  }
  const { type, properties = {} } = schema as { readonly [key: string]: JsonValue | undefined };
  if (type !== "object") return "its input is no object";
  const odd = Object.keys(properties as object).find((key) => !PROPERTY.test(key));
  return odd === undefined ? undefined : `it names an argument ${JSON.stringify(odd)}`;
}

function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_LENGTH) || "tool";
}

function freshName(name: string, taken: ReadonlyMap<string, string>): string {
  const plain = plainName(name);
  for (let number = 2, wire = plain;; number++) {
    if (!taken.has(wire)) return wire;
    wire = `${plain.slice(0, NAME_LENGTH - 4)}_${number}`;
  }
}

/** Says of each tool once that it is left out. @param told names that were told already */
export function* leftOutNotices(
  { leftOut }: WireTools,
  told: Set<string>,
): Generator<ModelPart> {
  for (const { name, why } of leftOut) {
    if (told.has(name)) continue;
    told.add(name);
    yield { type: "notice", text: `tool ${name} is not offered to the model: ${why}` };
  }
}

/**
 * Ids of calls as a provider takes them: its own where they can be used, else ours. Servers exist that
 * give each turn's first call the same id.
 */
export function wireIds(messages: readonly ModelMessage[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const used = new Set<string>();
  for (const message of messages) {
    if (message.role !== "model") continue;
    for (const { id, providerId } of message.calls) {
      const usable = providerId !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(providerId) &&
        !used.has(providerId);
      const wire = usable ? providerId : `call_${id.replace(/[^A-Za-z0-9]/g, "_")}`;
      used.add(wire);
      ids.set(id, wire);
    }
  }
  return ids;
}

/** What a person said with the texts of the files they sent, in pieces. */
export function personTexts(
  { text, files }: Extract<ModelMessage, { role: "person" }>,
): readonly string[] {
  const sent = files.flatMap(({ name, text: content }) =>
    content === undefined ? [] : [`(the file ${name}:)\n${content}`]
  );
  return [text, ...sent].filter((one) => one.trim() !== "");
}

/** A picture as an interface takes it. */
export interface WirePicture {
  readonly mediaType: string;
  readonly base64: string;
}

/** The pictures of a message or result whose bytes are kept. */
export function wirePictures(
  { pictures = [] }: { readonly pictures?: readonly KeptPicture[] },
  bytesOf: ModelRequest["picture"],
): readonly WirePicture[] {
  return pictures.flatMap(({ digest, mediaType }) => {
    const bytes = bytesOf?.(digest);
    return bytes === undefined
      ? []
      : [{ mediaType, base64: Buffer.from(bytes).toString("base64") }];
  });
}

/** A picture as a `data:` URL. */
export function dataUrl({ mediaType, base64 }: WirePicture): string {
  return `data:${mediaType};base64,${base64}`;
}
