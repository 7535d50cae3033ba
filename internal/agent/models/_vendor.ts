/** Asking a vendor's model: what a session keeps of it, and once more without a tool that it refuses. */
import { modelErrorOf, refusedTool } from "./_errors.ts";
import type { ModelPart, ModelRequest } from "./_model.ts";
import type { WireTools } from "./_wire.ts";
import { leftOutNotices, wireTools } from "./_wire.ts";

/** How one request is made and its answer read. The client's errors may pass. */
export type Ask = (request: ModelRequest, tools: WireTools) => AsyncIterable<ModelPart>;

/** Bytes of a stream, and of an error, that are taken. A turn has less: `turn_builder.ts`. */
export const ANSWER_BOUNDS = { maxBytes: 128 << 20, maxErrorBytes: 1 << 20 } as const;

/**
 * What answers for a model as long as a session is at work.
 * @param name the model, as `--model` has it
 * @param secrets cut out of the words of errors
 */
export function vendorModel(
  name: string,
  secrets: readonly string[],
  ask: Ask,
): (request: ModelRequest) => AsyncIterable<ModelPart> {
  const refused = new Set<string>();
  const told = new Set<string>();
  return async function* (request) {
    for (;;) {
      const tools = wireTools(request.tools, refused);
      yield* leftOutNotices(tools, told);
      let begun = false;
      try {
        for await (const part of ask(request, tools)) {
          begun = true;
          yield part;
        }
        return;
      } catch (thrown) {
        request.signal.throwIfAborted();
        const place = begun ? undefined : refusedTool(thrown);
        const tool = place === undefined ? undefined : tools.tools[place]?.tool.name;
        if (tool === undefined) throw modelErrorOf(name, thrown, secrets);
        refused.add(tool);
      }
    }
  };
}
