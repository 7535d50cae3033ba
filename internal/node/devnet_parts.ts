/** What a devnet needs once its threads load their program; before that, loading it would hold them up. */
export { committeeOf } from "#internal/proofs/mod.ts";
export { openDevnetFolder } from "./devnet_folder.ts";
export { serve } from "./serving.ts";
export { createThreadGroup } from "./thread_group.ts";
