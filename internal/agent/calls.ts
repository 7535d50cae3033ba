/**
 * Making the calls of a turn: what only reads side by side, the rest one after another; each judged
 * and recorded before it runs, and its outcome recorded before anything follows from it.
 */
import type { EventDraft } from "#internal/store/mod.ts";
import type { ActiveSession } from "./active.ts";
import { carryOut, notMade, startOf } from "./carry_out.ts";
import { callEnded, callJudged } from "./events/mod.ts";
import { derivedValues } from "./outside.ts";
import type { Question } from "./policy/mod.ts";
import { repeatRemark, resultDigest } from "./loop_guard.ts";
import { prepare, requestId } from "./prepare.ts";
import { ruleOffered } from "./policy/mod.ts";
import type { PreparedCall } from "./prepare.ts";
import { learnOfEarlier } from "./recovery.ts";
import { differsFromShown, diffNow, foreseenFailure, previewOf, shownOf } from "./shown.ts";
import { ruleText } from "./standing.ts";
import type { DerivedValue } from "./state.ts";
import { openCalls, waitingCall } from "./state.ts";

/** Makes the open calls in order, until all have ended, one waits for a person, or all is stopped. */
export async function makeCalls(session: ActiveSession): Promise<void> {
  const { recorder, signal } = session;
  while (!signal.aborted && waitingCall(recorder.state) === undefined) {
    const [first, ...others] = openCalls(recorder.state);
    if (first === undefined) return;
    await learnOfEarlier(session, first);
    const group = [prepare(session, first)];
    // With hooks around calls each is asked in turn.
    if (!session.hooks.aroundCalls && group.every(runsBesideOthers)) {
      for (const other of others) {
        const next = prepare(session, other);
        if (!runsBesideOthers(next)) break;
        group.push(next);
      }
    }
    await makeGroup(session, group);
  }
}

function runsBesideOthers({ judgement, question }: PreparedCall): boolean {
  return judgement.verdict === "run" && question?.effect === "read";
}

async function makeGroup(session: ActiveSession, given: readonly PreparedCall[]): Promise<void> {
  const { recorder } = session;
  const group = await Promise.all(
    given.map(async (prepared) => await foreseen(session, await askedAnew(session, prepared))),
  );
  const drafts = await Promise.all(group.map((prepared) => judgedDrafts(session, prepared)));
  recorder.append(drafts.flat(), { later: group.every(isOfNoConsequence) });
  if (session.showChanges) {
    await Promise.all(group.map((prepared) => tellChange(session, prepared)));
  }
  const running = group.filter(({ judgement }) => judgement.verdict === "run");
  const ends = await Promise.all(
    running.map(({ call, question }) => {
      if (question === undefined) throw new TypeError("Cannot run a call that was not judged");
      return carryOut(session, call, question);
    }),
  );
  if (ends.length > 0) recorder.append(ends, { later: running.every(staysHere) });
}

/** Whether nothing comes of a call that a cut of power could not undo with what is kept of it. */
function isOfNoConsequence({ judgement: { verdict }, question }: PreparedCall): boolean {
  return verdict === "refuse" || (verdict === "run" && question?.effect === "read");
}

/**
 * Whether a call changes nothing but files here, which a cut of power may take too: then it is found
 * cut off, and looked at. How one ended that reached outside is not to be forgotten.
 */
function staysHere({ question }: PreparedCall): boolean {
  return question?.effect === "read" || question?.effect === "write";
}

/** Tells how a call that runs unasked changes files: whoever approved one saw it before. */
async function tellChange(session: ActiveSession, prepared: PreparedCall): Promise<void> {
  const { call, question, judgement } = prepared;
  if (judgement.verdict !== "run" || question === undefined || call.decided !== undefined) return;
  const diff = await diffNow(session, question);
  if (diff !== undefined && diff !== "") {
    session.recorder.tell({ type: "change", call: call.id, diff });
  }
}

/** A call that was approved as it was shown, and would do something else by now, asks again. */
async function askedAnew(session: ActiveSession, prepared: PreparedCall): Promise<PreparedCall> {
  const { call, question, judgement } = prepared;
  if (judgement.verdict !== "run" || question === undefined) return prepared;
  if (!await differsFromShown(session, call, question)) return prepared;
  const why = `${call.judged?.why ?? ""}; the files changed since it was shown`;
  return { call, question, judgement: { ...judgement, verdict: "ask", why } };
}

/** Nobody is asked about a change of files that would fail however they decide: the model is told. */
async function foreseen(session: ActiveSession, prepared: PreparedCall): Promise<PreparedCall> {
  const { question, judgement } = prepared;
  if (judgement.verdict !== "ask" || question === undefined) return prepared;
  const changes = previewOf(session, question);
  const failure = await foreseenFailure(changes);
  // What was foreseen is what is shown.
  if (failure === undefined) return changes === undefined ? prepared : { ...prepared, changes };
  const why = "it would fail, so nobody was asked";
  return { ...prepared, failure, judgement: { verdict: "refuse", step: "foreseen", why } };
}

/** The verdict, unless a person answered it already, with the start or the end that follows. */
async function judgedDrafts(
  session: ActiveSession,
  prepared: PreparedCall,
): Promise<EventDraft[]> {
  const { call, judgement: { verdict, step, why }, question, changes } = prepared;
  const drafts: EventDraft[] = [];
  const effect = question?.effect ?? "none";
  const judged = { call: call.id, verdict, why, step, effect, ...provenanceOf(session, question) };
  if (verdict === "ask") {
    const shown = question === undefined ? {} : await shownOf(session, question, changes);
    const request = requestId(session.recorder.state, call, shown.diff);
    const rule = question === undefined ? undefined : ruleOffered(question, session.steps);
    return [
      callJudged.draft({
        ...judged,
        request,
        ...shown,
        ...(rule === undefined ? {} : { rule: ruleText(rule) }),
      }),
    ];
  }
  if (call.decided === undefined) drafts.push(callJudged.draft(judged));
  if (prepared.failure !== undefined && question !== undefined) {
    drafts.push(await notMade(session, call, question, prepared.failure));
  } else if (verdict === "refuse") {
    const digest = resultDigest(why);
    const { state } = session.recorder;
    const repeated = question === undefined
      ? undefined
      : repeatRemark(state, call, question.tool, digest);
    drafts.push(callEnded.draft({
      call: call.id,
      ok: false,
      effect: "none",
      code: step === "input" ? "input" : "refused",
      text: repeated === undefined ? why : `${why}\n${repeated}`,
      digest,
    }));
  } else {
    drafts.push(startOf(call, question));
  }
  return drafts;
}

/** What is kept with a verdict of where the call's values come from. */
function provenanceOf(
  { recorder: { state } }: ActiveSession,
  question: Question | undefined,
): { readonly grants?: readonly string[]; readonly derived?: readonly DerivedValue[] } {
  if (question === undefined || question.effect === "read") return {};
  const { grants, call: { input = null } } = question;
  const derived = state.brought.length === 0 ? [] : derivedValues(state, input);
  return {
    ...(grants === undefined ? {} : { grants }),
    ...(derived.length === 0 ? {} : { derived }),
  };
}
