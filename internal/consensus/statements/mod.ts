/** All statements that validators make. */
import { confirm } from "./confirm.ts";
import { pulseVote } from "./pulse_vote.ts";
import { stop } from "./stop.ts";
import { vote } from "./vote.ts";

/** The registry of statement kinds, by tag. */
export const statementKinds = [vote, confirm, stop, pulseVote] as const;
