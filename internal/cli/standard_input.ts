/** What comes in as a stream, read whole: bounded, and given up when the command is stopped. */
import { concatBytes } from "#internal/core/mod.ts";
import { usageError } from "./errors.ts";

/**
 * All bytes of a stream.
 * @param what what the error names. @default standard input
 * @throws {SionError} `usage` when there are more than `mostBytes`; the signal's reason when it
 * aborts, even if nothing ever comes.
 */
export async function readAtMost(
  input: AsyncIterable<unknown>,
  mostBytes: number,
  signal: AbortSignal,
  what = "standard input",
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const iterator = input[Symbol.asyncIterator]();
  const stopped = new Promise<never>((_, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  for (;;) {
    const next = await Promise.race([iterator.next(), stopped]);
    if (next.done === true) return concatBytes(...chunks);
    const chunk = next.value as Uint8Array;
    size += chunk.length;
    if (size > mostBytes) {
      // Not awaited: a pending read of a pipe cannot be given up in every runtime.
      void iterator.return?.();
      throw usageError(
        `${what} has more than ${mostBytes} bytes: give what this command asks for`,
      );
    }
    chunks.push(chunk);
  }
}
