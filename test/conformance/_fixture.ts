/** The server that the official suite asks for: what it tests is registered here and nowhere else. */
import { setTimeout as sleep } from "node:timers/promises";
import { type JsonValue, parseJson } from "#internal/core/mod.ts";
import type {
  Change,
  Offers,
  Prompt,
  PromptMessage,
  Question,
  Resource,
  ResourceTemplate,
  ServerDefinition,
  Tool,
  ToolContent,
  ToolContext,
  ToolResult,
} from "#internal/mcp/mod.ts";
import { defineTool, refused } from "#internal/mcp/mod.ts";
import * as z from "zod";

/** A red pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJ" +
  "RU5ErkJggg==";
/** No samples at all. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
/** Between the steps of what takes a while, ms. */
const STEP_MS = 50;

const plain = {
  highestEffect: "read",
  repeatHarmless: true,
  openWorld: false,
  fromPrograms: true,
} as const;
const nothing = z.strictObject({});
type Peer = NonNullable<ToolContext["peer"]>;

/** A tool without arguments. */
function tool(
  name: string,
  description: string,
  run: (context: ToolContext) => Promise<ToolResult>,
): Tool {
  return defineTool({ ...plain, name, description, input: nothing, run });
}

function said(text: string, content?: readonly ToolContent[]): ToolResult {
  return { ok: true, text, ...(content === undefined ? {} : { content }) };
}

function peerOf({ peer }: ToolContext): Peer {
  if (peer === undefined) throw new TypeError("Nobody can be asked");
  return peer;
}

const text = (words: string): ToolContent => ({ type: "text", text: words });
const image: ToolContent = { type: "image", data: PNG, mimeType: "image/png" };

/** A form with one text in it. */
function form(message: string, properties: Record<string, JsonValue>): Question {
  const requestedSchema = { type: "object", properties, required: Object.keys(properties) };
  return { method: "elicitation/create", params: { message, requestedSchema } };
}

function sampling(prompt: string, maxTokens: number): Question {
  const messages = [{ role: "user", content: { type: "text", text: prompt } }];
  return { method: "sampling/createMessage", params: { messages, maxTokens } };
}

const ROOTS: Question = { method: "roots/list", params: {} };
const NAME = form("What is your name?", { name: { type: "string" } });
const CONFIRM = form("Please confirm", { ok: { type: "boolean" } });

/** The tools that give one kind of content each. */
const CONTENTS: readonly Tool[] = [
  tool(
    "test_simple_text",
    "Gives a text.",
    () => Promise.resolve(said("This is a simple text response for testing.")),
  ),
  tool("test_image_content", "Gives an image.", () => Promise.resolve(said("", [image]))),
  tool(
    "test_audio_content",
    "Gives audio.",
    () => Promise.resolve(said("", [{ type: "audio", data: WAV, mimeType: "audio/wav" }])),
  ),
  tool("test_embedded_resource", "Gives a resource.", () =>
    Promise.resolve(said("", [{
      type: "resource",
      resource: {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      },
    }]))),
  tool(
    "test_multiple_content_types",
    "Gives a text, an image and a resource.",
    () =>
      Promise.resolve(said("", [text("Multiple content types test:"), image, {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: '{"test":"data","value":123}',
        },
      }])),
  ),
  tool(
    "test_error_handling",
    "Fails.",
    () => Promise.resolve(refused("test", "This tool intentionally returns an error for testing")),
  ),
];

async function logSteps(context: ToolContext): Promise<ToolResult> {
  const { log } = peerOf(context);
  log("info", "Tool execution started");
  await sleep(STEP_MS);
  log("info", "Tool processing data");
  await sleep(STEP_MS);
  log("info", "Tool execution completed");
  return said("Logged three times.");
}

/** The tools that tell something while they run. */
const TELLING: readonly Tool[] = [
  tool("test_tool_with_logging", "Logs three times.", logSteps),
  tool("test_logging_tool", "Logs three times.", logSteps),
  tool("test_tool_with_progress", "Says three times how far it is.", async ({ progress }) => {
    for (const done of [0, 50, 100]) {
      if (done > 0) await sleep(STEP_MS);
      progress?.({ progress: done, total: 100 });
    }
    return said("Told of progress three times.");
  }),
];

/** A tool that asks, in one or several rounds, and says what it was told. */
function asks(
  name: string,
  rounds: readonly { readonly [key: string]: Question }[],
  tell: (answers: readonly unknown[]) => string = (answers) => JSON.stringify(answers),
): Tool {
  return tool(name, "Asks its client.", async (context) => {
    const answers: unknown[] = [];
    for (const questions of rounds) {
      const given = await peerOf(context).ask(questions);
      answers.push(...Object.keys(questions).map((key) => given[key]));
    }
    return said(tell(answers));
  });
}

const DEFAULTS = form("Please review these", {
  name: { type: "string", description: "User name", default: "John Doe" },
  age: { type: "integer", description: "User age", default: 30 },
  score: { type: "number", description: "User score", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", description: "Verified", default: true },
});
const TITLED = [
  { const: "value1", title: "First Option" },
  { const: "value2", title: "Second Option" },
  { const: "value3", title: "Third Option" },
];
const OPTIONS = ["option1", "option2", "option3"];
const ENUMS = form("Please choose", {
  untitledSingle: { type: "string", enum: OPTIONS },
  titledSingle: { type: "string", oneOf: TITLED },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
  titledMulti: { type: "array", items: { anyOf: TITLED } },
});

function elicited([answer]: readonly unknown[]): string {
  const { action, content } = answer as { action: string; content?: unknown };
  return `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;
}

/** The tools that ask. */
const ASKING: readonly Tool[] = [
  defineTool({
    ...plain,
    name: "test_sampling",
    description: "Has the client's model answer.",
    input: z.strictObject({ prompt: z.string() }),
    async run(context: ToolContext, { prompt }) {
      const { answer } = await peerOf(context).ask({ answer: sampling(prompt, 100) });
      return said(`LLM response: ${JSON.stringify(answer?.["content"])}`);
    },
  }),
  defineTool({
    ...plain,
    name: "test_elicitation",
    description: "Asks the person.",
    input: z.strictObject({ message: z.string() }),
    async run(context: ToolContext, { message }) {
      const properties = { username: { type: "string" }, email: { type: "string" } };
      const { answer } = await peerOf(context).ask({ answer: form(message, properties) });
      return said(`User response: ${JSON.stringify(answer)}`);
    },
  }),
  asks("test_elicitation_sep1034_defaults", [{ answer: DEFAULTS }], elicited),
  asks("test_elicitation_sep1330_enums", [{ answer: ENUMS }], elicited),
  asks("test_missing_capability", [{ answer: sampling("Anything", 10) }]),
  asks("test_streaming_elicitation", [{ user_name: NAME }]),
  asks("test_input_required_result_elicitation", [{ user_name: NAME }]),
  asks("test_input_required_result_sampling", [{
    capital_question: sampling("What is the capital of France?", 100),
  }]),
  asks("test_input_required_result_list_roots", [{ client_roots: ROOTS }]),
  asks("test_input_required_result_request_state", [{ confirm: CONFIRM }], () => "state-ok"),
  asks("test_input_required_result_tampered_state", [{ confirm: CONFIRM }]),
  asks("test_input_required_result_multiple_inputs", [{
    user_name: NAME,
    greeting: sampling("Generate a greeting", 50),
    client_roots: ROOTS,
  }]),
  asks("test_input_required_result_multi_round", [
    { step1: form("Step 1: What is your name?", { name: { type: "string" } }) },
    { step2: form("Step 2: What is your favorite color?", { color: { type: "string" } }) },
  ]),
  tool(
    "test_input_required_result_capabilities",
    "Asks what its client answers.",
    async (context) => {
      const peer = peerOf(context);
      const all = { name: NAME, greeting: sampling("Generate a greeting", 50) };
      const wanted = Object.entries(all).filter(([, { method }]) => peer.answers(method));
      return said(JSON.stringify(await peer.ask(Object.fromEntries(wanted))));
    },
  ),
];

/** A schema with what JSON Schema 2020-12 has and a form of zod's has not. */
const SCHEMA_2020_12: JsonValue = parseJson(`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
    }
  },
  "properties": {
    "name": { "type": "string" },
    "address": { "$ref": "#/$defs/address" },
    "contactMethod": { "type": "string", "enum": ["phone", "email"] },
    "phone": { "type": "string" },
    "email": { "type": "string" }
  },
  "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] },
  "additionalProperties": false
}`);

const RESOURCES: readonly Resource[] = [
  {
    uri: "test://static-text",
    name: "static-text",
    description: "A text.",
    mimeType: "text/plain",
    read: () =>
      Promise.resolve([{
        uri: "test://static-text",
        mimeType: "text/plain",
        text: "This is the content of the static text resource.",
      }]),
  },
  {
    uri: "test://static-binary",
    name: "static-binary",
    description: "Bytes.",
    mimeType: "image/png",
    read: () =>
      Promise.resolve([{ uri: "test://static-binary", mimeType: "image/png", blob: PNG }]),
  },
  {
    uri: "test://watched-resource",
    name: "watched-resource",
    description: "A text that changes.",
    mimeType: "text/plain",
    read: () =>
      Promise.resolve([{ uri: "test://watched-resource", mimeType: "text/plain", text: "As is." }]),
  },
];

const TEMPLATE: ResourceTemplate = {
  uriTemplate: "test://template/{id}/data",
  name: "template",
  description: "Data by an id.",
  mimeType: "application/json",
  read(uri) {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id === undefined) return Promise.resolve(undefined);
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return Promise.resolve([{ uri, mimeType: "application/json", text: JSON.stringify(data) }]);
  },
};

function userSays(...contents: readonly ToolContent[]): { messages: PromptMessage[] } {
  return { messages: contents.map((content) => ({ role: "user", content })) };
}

const PROMPTS: readonly Prompt[] = [
  {
    name: "test_simple_prompt",
    description: "A text.",
    get: () => Promise.resolve(userSays(text("This is a simple prompt for testing."))),
  },
  {
    name: "test_prompt_with_arguments",
    description: "A text with two arguments in it.",
    arguments: [{ name: "arg1", required: true }, { name: "arg2", required: true }],
    get: (_context, { arg1 = "", arg2 = "" }) =>
      Promise.resolve(userSays(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))),
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A resource.",
    arguments: [{ name: "resourceUri", required: true }],
    get: (_context, { resourceUri = "" }) =>
      Promise.resolve(userSays({
        type: "resource",
        resource: {
          uri: resourceUri,
          mimeType: "text/plain",
          text: "Embedded resource content for testing.",
        },
      }, text("Please process the embedded resource above."))),
  },
  {
    name: "test_prompt_with_image",
    description: "An image.",
    get: () => Promise.resolve(userSays(image, text("Please analyze the image above."))),
  },
  {
    name: "test_input_required_result_prompt",
    description: "Asks first.",
    async get(context) {
      const question = form("What context should the prompt use?", { context: { type: "string" } });
      const { user_context: answer } = await peerOf(context).ask({ user_context: question });
      return userSays(text(`Use this context: ${JSON.stringify(answer?.["content"])}`));
    },
  },
];

/** The server, with changes that its own tools bring about. */
export function conformanceServer(): ServerDefinition {
  const watching = new Set<(change: Change) => void>();
  const tell = (change: Change): void => watching.forEach((listener) => listener(change));
  const trigger = (name: string, what: "prompts" | "tools"): Tool =>
    tool(name, "Changes a list.", () => {
      tell({ what });
      return Promise.resolve(said("Changed."));
    });
  const tools: readonly Tool[] = [
    ...CONTENTS,
    ...TELLING,
    ...ASKING,
    trigger("test_trigger_tool_change", "tools"),
    trigger("test_trigger_prompt_change", "prompts"),
    {
      ...tool("json_schema_2020_12_tool", "Has a schema.", () => Promise.resolve(said("Fine."))),
      inputSchema: SCHEMA_2020_12,
    },
  ];
  const offers: Offers = {
    prompts: () => Promise.resolve(PROMPTS),
    resources: () => Promise.resolve({ list: RESOURCES, templates: [TEMPLATE] }),
    complete: ({ argument }) =>
      Promise.resolve(["paris", "park", "party"].filter((word) => word.startsWith(argument.value))),
    logs: true,
    watch(listener) {
      watching.add(listener);
      return () => watching.delete(listener);
    },
  };
  return {
    info: { name: "sion-conformance", version: "1.0.0" },
    instructions: "What the official suite wants to find.",
    tools: () => Promise.resolve(tools),
    offers,
    context: (base) => base,
  };
}
