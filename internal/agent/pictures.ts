/**
 * Pictures of a conversation: what is one, which the model is shown, and which keep their bytes. The
 * others stay named by their digest.
 */
import { toHex } from "#internal/core/mod.ts";
import { sha256 } from "#internal/crypto/mod.ts";
import type { KeptPicture, PlacedPicture, SentFile } from "./conversation.ts";
import type { SessionState } from "./state.ts";

/** A larger one is as any other file. */
const MAX_PICTURE_BYTES = 5_000_000;
/** How many of one message are shown; how many of the last ones besides; how many keep their bytes. */
const SHOWN_OF_MESSAGE = 10;
const SHOWN_LAST = 3;
const KEPT_LAST = 6;

const NONE: ReadonlySet<PlacedPicture> = new Set();

/** What begins a picture's bytes, with `.` for any byte. */
const SIGNATURES: readonly (readonly [mediaType: string, start: RegExp])[] = [
  ["image/png", /^\x89PNG\r\n.\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF.{4}WEBP/s],
];

/** The media type of a picture that a model can be shown, by its first bytes and how many it has. */
export function pictureTypeOf(head: Uint8Array, size: number): string | undefined {
  if (size > MAX_PICTURE_BYTES) return undefined;
  const start = String.fromCharCode(...head.subarray(0, 12));
  return SIGNATURES.find(([, signature]) => signature.test(start))?.[0];
}

/** What a model can be shown of a file, known by its bytes whatever its name says. */
export function pictureOf(bytes: Uint8Array): KeptPicture | undefined {
  const mediaType = pictureTypeOf(bytes, bytes.length);
  if (mediaType === undefined) return undefined;
  return { digest: toHex(sha256(bytes)), mediaType, size: bytes.length };
}

/** What is kept of files that a person sent: pictures with their bytes, of others what they are. */
export function sentFiles(
  files: readonly SentFile[],
): { readonly files: SentFile[]; readonly bytes: Uint8Array[] } {
  const bytes: Uint8Array[] = [];
  const kept = files.map(({ bytes: given, ...file }) => {
    if (given === undefined) return file;
    const picture = pictureOf(given);
    if (picture === undefined) return { ...file, size: given.length };
    bytes.push(given);
    return { ...file, ...picture };
  });
  return { files: kept, bytes };
}

/**
 * The pictures that the model is shown: of the person's last message that has any, and the last of the
 * conversation besides; of these only what stands in what the model is shown at all.
 */
export function shownPictures(state: SessionState): ReadonlySet<PlacedPicture> {
  if (state.pictures.length === 0) return NONE;
  const messages = new Set<number>();
  const calls = new Set<string>();
  for (const entry of state.entries) {
    if ("said" in entry) messages.add(entry.said);
    if ("turn" in entry) state.turns[entry.turn]?.calls.forEach((id) => calls.add(id));
  }
  return choose(
    state.pictures.filter(({ said, call }) =>
      said === undefined ? calls.has(call ?? "") : messages.has(said)
    ),
    SHOWN_LAST,
  );
}

/** Digests of the pictures that keep their bytes. @param fresh those that come with the next event */
export function keptDigests(
  { pictures }: SessionState,
  fresh: readonly PlacedPicture[],
): string[] {
  const kept = choose([...pictures, ...fresh], KEPT_LAST);
  return [...new Set([...kept].map(({ digest }) => digest))];
}

function choose(pictures: readonly PlacedPicture[], last: number): Set<PlacedPicture> {
  const message = pictures.findLast(({ said }) => said !== undefined)?.said;
  const album = pictures.filter(({ said }) => said !== undefined && said === message)
    .slice(0, SHOWN_OF_MESSAGE);
  return new Set([...album, ...pictures.slice(-last)]);
}
