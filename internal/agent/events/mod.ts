/** Every kind of event a session's log may hold, sorted. A new kind is a file and a line here. */
import type { EventKind } from "./_event.ts";
import { answerForgotten } from "./answer_forgotten.ts";
import { answerRefused } from "./answer_refused.ts";
import { callEnded } from "./call_ended.ts";
import { callJudged } from "./call_judged.ts";
import { callLearned } from "./call_learned.ts";
import { callNoted } from "./call_noted.ts";
import { callStarted } from "./call_started.ts";
import { choicesMade } from "./choices_made.ts";
import { compacted } from "./compacted.ts";
import { filesChanging } from "./files_changing.ts";
import { filesRestored } from "./files_restored.ts";
import { messageForgotten } from "./message_forgotten.ts";
import { modelFailed } from "./model_failed.ts";
import { modelSaid } from "./model_said.ts";
import { outsideBrought } from "./outside_brought.ts";
import { personDecided } from "./person_decided.ts";
import { personSaid } from "./person_said.ts";
import { programCalled } from "./program_called.ts";
import { readerAsked } from "./reader_asked.ts";
import { runBegun } from "./run_begun.ts";
import { preApproved } from "./pre_approved.ts";
import { runEnded } from "./run_ended.ts";
import { sessionForked } from "./session_forked.ts";
import { sessionOpened } from "./session_opened.ts";
import { standingGiven } from "./standing_given.ts";
import { standingWithdrawn } from "./standing_withdrawn.ts";
import { titleGiven } from "./title_given.ts";

export type { EventKind, Logged } from "./_event.ts";
export type { ChoicesMade } from "./choices_made.ts";
export type { CompactedWhy } from "./compacted.ts";
export { defineEvent } from "./_event.ts";
export {
  answerForgotten,
  answerRefused,
  callEnded,
  callJudged,
  callLearned,
  callNoted,
  callStarted,
  choicesMade,
  compacted,
  filesChanging,
  filesRestored,
  messageForgotten,
  modelFailed,
  modelSaid,
  personDecided,
  personSaid,
  preApproved,
  programCalled,
  runBegun,
  runEnded,
  sessionForked,
  sessionOpened,
  standingGiven,
  standingWithdrawn,
  titleGiven,
};

/** A kind of event of whatever body. */
// deno-lint-ignore no-explicit-any
export type AnyEventKind = EventKind<any>;

/** The kinds this version knows. */
export const eventKinds: readonly AnyEventKind[] = [
  answerForgotten,
  answerRefused,
  callEnded,
  callJudged,
  callLearned,
  callNoted,
  callStarted,
  choicesMade,
  compacted,
  filesChanging,
  filesRestored,
  messageForgotten,
  modelFailed,
  modelSaid,
  outsideBrought,
  personDecided,
  personSaid,
  preApproved,
  programCalled,
  readerAsked,
  runBegun,
  runEnded,
  sessionForked,
  sessionOpened,
  standingGiven,
  standingWithdrawn,
  titleGiven,
];
