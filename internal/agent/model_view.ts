/** What the model is shown of a session: a fold over what was said, in the order it was said. */
import type { ModelMessage } from "./models/mod.ts";
import type { KeptPicture, PlacedPicture } from "./conversation.ts";
import { shownPictures } from "./pictures.ts";
import { fileLines } from "./sent_files.ts";
import type { Entry, SessionState } from "./state.ts";
import { callOf } from "./state.ts";

/**
 * The messages for the model. Every call has exactly one result; one without an end yet (there is
 * none when the loop asks) is left open as interrupted.
 */
export function modelView(state: SessionState): ModelMessage[] {
  const messages = viewOf(state, state.entries);
  // A provider wants to answer somebody; after words of its own that were cut off, it goes on.
  if (messages.at(-1)?.role === "model") {
    messages.push({ role: "person", text: "You were cut off: go on.", files: [] });
  }
  return messages;
}

/** The messages of some entries. */
export function viewOf(state: SessionState, entries: readonly Entry[]): ModelMessage[] {
  const messages: ModelMessage[] = [];
  const shown = shownPictures(state);
  const picturesOf = (of: { readonly said?: number; readonly call?: string }) =>
    state.pictures.filter(({ said, call }) =>
      of.said === undefined ? call === of.call : said === of.said
    );
  for (const entry of entries) {
    if ("summary" in entry) {
      messages.push(summaryMessage(state.summaries[entry.summary] ?? ""));
      continue;
    }
    if ("said" in entry) {
      const said = state.said[entry.said];
      if (said !== undefined) {
        const { text, added, files } = said;
        const words = [text, ...fileLines(files)].filter((one) => one !== "").join("\n");
        const whole = added === undefined ? words : `${words}\n\n(hook: ${added})`;
        messages.push({
          role: "person",
          files,
          ...withPictures(whole, picturesOf({ said: entry.said }), shown),
        });
      }
      continue;
    }
    const turn = state.turns[entry.turn];
    if (turn === undefined) continue;
    const calls = turn.calls.map((id) => callOf(state, id));
    messages.push({
      role: "model",
      text: turn.text,
      calls: calls.map(({ id, tool, input = {}, providerId }) => ({
        id,
        tool,
        input,
        ...(providerId === undefined ? {} : { providerId }),
      })),
      ...(turn.opaque === undefined ? {} : { opaque: turn.opaque }),
    });
    if (calls.length > 0) {
      messages.push({
        role: "results",
        results: calls.map(({ id, tool, ended }) => ({
          call: id,
          tool,
          ok: ended?.ok ?? false,
          ...withPictures(ended?.text ?? INTERRUPTED, picturesOf({ call: id }), shown),
        })),
      });
    }
  }
  return messages;
}

/** A text with its pictures; those that are not shown are named by their digest. */
function withPictures(
  text: string,
  pictures: readonly PlacedPicture[],
  shown: ReadonlySet<PlacedPicture>,
): { readonly text: string; readonly pictures?: readonly KeptPicture[] } {
  if (pictures.length === 0) return { text };
  const gone = pictures.filter((picture) => !shown.has(picture)).map((
    { digest, mediaType, size },
  ) => `(A picture that is not shown any more: ${mediaType}, ${size} bytes, SHA-256 ${digest}.)`);
  return {
    text: [text, ...gone].filter((one) => one !== "").join("\n"),
    pictures: pictures.filter((picture) => shown.has(picture)),
  };
}

/** How the model is told what stands in the place of a conversation's start. */
export function summaryMessage(summary: string): ModelMessage {
  const text =
    `(The conversation so far is too long to be shown. This stands for its start:)\n${summary}`;
  return { role: "person", text, files: [] };
}

/** What a call without an outcome is said to have come to. */
export const INTERRUPTED = "interrupted, effect unknown";
