/** What a server may offer besides tools. All of it is optional; what is missing is not declared. */
import type { JsonValue } from "#internal/core/mod.ts";
import type { ToolContent, ToolContext } from "./tool.ts";

/** What reading a resource gives: text, or bytes in base64. */
export type ResourceContents =
  & { readonly uri: string; readonly mimeType?: string }
  & ({ readonly text: string } | { readonly blob: string });

/** How lists name a resource or a template. */
interface Described {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** A resource of its own address. */
export interface Resource extends Described {
  readonly uri: string;
  read(context: ToolContext): Promise<readonly ResourceContents[]>;
}

/** Resources whose addresses are made by a template of RFC 6570. */
export interface ResourceTemplate extends Described {
  readonly uriTemplate: string;
  /** What is at an address; undefined when the template makes no such address. */
  read(uri: string, context: ToolContext): Promise<readonly ResourceContents[] | undefined>;
}

/** A message of a prompt. */
export interface PromptMessage {
  readonly role: "assistant" | "user";
  readonly content: ToolContent;
}

/** A prompt: messages that a person picks by its name. */
export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
  /** Its messages. All required arguments are given, all are texts. */
  get(
    context: ToolContext,
    given: { readonly [name: string]: string },
  ): Promise<{ readonly description?: string; readonly messages: readonly PromptMessage[] }>;
}

/** What completes an argument of a prompt, or a variable of a template. */
export type Complete = (asked: {
  readonly ref: { readonly type: "ref/prompt" | "ref/resource"; readonly name: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** Arguments that were given already. */
  readonly given: { readonly [name: string]: JsonValue | undefined };
}) => Promise<readonly string[]>;

/** Something that clients may have kept and that is another now. */
export type Change =
  | { readonly what: "prompts" | "resources" | "tools" }
  /** What one resource holds. */
  | { readonly what: "resource"; readonly uri: string };

/** What a server offers besides its tools. */
export interface Offers {
  readonly resources?: () => Promise<{
    readonly list: readonly Resource[];
    readonly templates: readonly ResourceTemplate[];
  }>;
  readonly prompts?: () => Promise<readonly Prompt[]>;
  readonly complete?: Complete;
  /** Whether calls tell clients things by `peer.log`. @default false */
  readonly logs?: boolean;
  /** Tells of every change until the function that it gives is called. */
  readonly watch?: (tell: (change: Change) => void) => () => void;
}
