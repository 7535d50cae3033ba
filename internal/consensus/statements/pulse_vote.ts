/** `PulseVote`: I executed this Pulse to this header. A quorum of them is the Pulse's certificate. */
import type { PulseStatement } from "#internal/proofs/mod.ts";
import { pulseStatementCodec, STATEMENT_TAGS } from "#internal/proofs/mod.ts";
import { defineStatement } from "../statement_kind.ts";

/** PulseVotes of one block; a validator that caught up has many to say. */
const MAX_PULSE_VOTES = 64;

export const pulseVote = defineStatement<"pulse_vote", PulseStatement>({
  name: "pulse_vote",
  tag: STATEMENT_TAGS.pulseVote,
  codec: pulseStatementCodec,
  idle: true,
  accepted({ pulse, header }, node, view) {
    view.pulseVotes.add(pulse, header, node);
  },
  propose(_place, view) {
    const votes: PulseStatement[] = [];
    for (const [pulse, { digest }] of view.pulseVotes.uncertified()) {
      if (pulse <= view.own.votedPulse || votes.length === MAX_PULSE_VOTES) continue;
      view.own.votedPulse = pulse;
      votes.push({ pulse: BigInt(pulse), header: digest });
    }
    return votes;
  },
});
