import type { Topic } from "./_topic.ts";
import { rows } from "./_topic.ts";

/** Each exit code, what it means, and whether trying again helps. */
export const EXIT_CODES: readonly (readonly [code: string, meaning: string, again: string])[] = [
  ["0", "done; for servers also a clean stop", ""],
  ["1", "an error: nothing was sent or started", "after the fix"],
  ["3", "the ledger took it and it failed; the fee is spent", "not as it is"],
  ["4", "not known: sent, no receipt yet", "ask `sion receipt` first"],
  ["5", "an agent waits for a person", "`sion agent continue <session> --approve`"],
  ["6", "the answer is no", ""],
  ["7", "stopped before done; all is kept", "`sion agent continue <session>`"],
  ["130, 143", "ended by Ctrl-C (SIGINT) or SIGTERM", ""],
];

/** `sion help exit-codes`. */
export const exitCodes: Topic = {
  name: "exit-codes",
  text: () =>
    [
      "How a command ended:",
      rows(EXIT_CODES.map(([code, meaning]) => [code, meaning])),
      "Whether to try again:",
      rows(
        EXIT_CODES.filter(([, , again]) => again !== "").map(([code, , again]) => [code, again]),
      ),
    ].join("\n"),
};
