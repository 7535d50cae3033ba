/** What a patch says, whichever form it is written in. */

/** A line of a change. */
export interface PatchLine {
  /** Whether it stays, goes or comes. */
  readonly kind: "same" | "removed" | "added";
  /** Without its newline; a carriage return before that is part of it. */
  readonly text: string;
  /** Set where the patch says that no newline follows it. */
  readonly unended?: boolean;
}

/** A change within a file. */
export interface Hunk {
  /** The patch's own line where it begins, from 1. */
  readonly at: number;
  /** The file's line where it is said to begin, from 1; 0 is before the first. */
  readonly oldStart?: number;
  /** Lines of the file that stand before it, outermost first. */
  readonly anchors: readonly string[];
  /** Whether its last old line is the file's last. */
  readonly atEnd: boolean;
  readonly lines: readonly PatchLine[];
}

/** What a patch does to one file. */
export type FilePatch =
  & {
    /** The patch's own line where it begins, from 1. */
    readonly at: number;
    readonly path: string;
  }
  & (
    | { readonly kind: "add"; readonly lines: readonly PatchLine[]; readonly executable?: boolean }
    | { readonly kind: "delete"; readonly hunks: readonly Hunk[] }
    | {
      readonly kind: "update";
      readonly hunks: readonly Hunk[];
      readonly executable?: boolean;
      /** Its new name, where it gets one. */
      readonly to?: string;
      /** Whether it stays under its old name too. */
      readonly copied?: boolean;
    }
  );

/** A patch that was read. */
export interface Patch {
  readonly files: readonly FilePatch[];
  /** Moves and copies are of the files as they were before the whole patch, as git means them. */
  readonly ofOriginals: boolean;
}

/** A patch that cannot be read; the message is a sentence for the model. */
export class PatchError extends Error {
  override readonly name = "PatchError";
}
