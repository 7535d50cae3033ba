/** What files were before a call changed them, by digest; their bytes are kept apart. */
import * as z from "zod";
import type { ChangingFile } from "../file_history.ts";
import { changesOf } from "../file_history.ts";
import { defineEvent } from "./_event.ts";

/** The files of a call that is about to change them. */
export interface FilesChanging {
  readonly call: string;
  readonly files: readonly ChangingFile[];
}

/** Appended when what the files were is kept, and none has changed yet. */
export const filesChanging = defineEvent<FilesChanging>({
  kind: "files-changing",
  v: 1,
  body: () =>
    z.object({
      call: z.string(),
      files: z.array(z.object({
        path: z.string(),
        before: z.string().exactOptional(),
        after: z.string().exactOptional(),
        executable: z.boolean().exactOptional(),
        lost: z.string().exactOptional(),
      })),
    }),
  apply(state, { body: { call, files }, seq }) {
    changesOf(state).push(...files.map((file) => ({ ...file, call, seq, undone: false })));
  },
});
