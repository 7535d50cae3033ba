/**
 * The calls that a program makes while `run_code` runs it: each judged, hooked, recorded and tracked as
 * the model's own. Only tools that read are called so; whatever else it wants, and whatever a person
 * would decide, the program is told to leave to the model.
 */
import type { JsonValue } from "#internal/core/mod.ts";
import type { ProgramAnswer } from "#internal/sandbox/mod.ts";
import type { EventDraft } from "#internal/store/mod.ts";
import type { ActiveSession } from "./active.ts";
import { callEnded, callJudged, callStarted, programCalled } from "./events/mod.ts";
import type { Judgement, Question } from "./policy/mod.ts";
import { prepare } from "./prepare.ts";
import type { PreparedCall } from "./prepare.ts";
import type { ProgramAccess } from "./program_access.ts";
import type { CallState } from "./state.ts";
import { callOf } from "./state.ts";

/** Calls that one program makes. */
const MAX_CALLS = 200;
/** What hooks added that the model is told of one program, and characters of one. */
const MAX_ADDED = 20;
const MAX_ADDED_LENGTH = 1_000;
const YOURSELF = "make the call yourself, outside of the program";

/** Carries out a call of a program's. The end is to be recorded before the program is told. */
export type ProgramCarryOut = (
  session: ActiveSession,
  call: CallState,
  question: Question,
  end: AbortSignal,
) => Promise<{
  readonly ended: EventDraft;
  readonly answer: ProgramAnswer;
  /** What a hook added for the model. */
  readonly added?: string;
}>;

/** Access for the program of one call. */
export function programAccess(
  session: ActiveSession,
  by: string,
  carryOut: ProgramCarryOut,
): ProgramAccess {
  const added = new Set<string>();
  let calls = 0;
  return {
    tools: [...session.tools.values()].filter(({ fromPrograms }) => fromPrograms)
      .map(({ name }) => name).sort(),
    added: () => [...added],
    async call({ tool, input }, end) {
      if (++calls > MAX_CALLS) {
        return { ok: false, text: `a program makes at most ${MAX_CALLS} calls: write another` };
      }
      const made = await madeBy(session, { by, tool, input }, end, carryOut);
      if (made.added !== undefined && added.size < MAX_ADDED) {
        added.add(`(hook on ${tool}: ${made.added.slice(0, MAX_ADDED_LENGTH).toWellFormed()})`);
      }
      return made.answer;
    },
  };
}

async function madeBy(
  session: ActiveSession,
  { by, tool, input }: { readonly by: string; readonly tool: string; readonly input: JsonValue },
  end: AbortSignal,
  carryOut: ProgramCarryOut,
): Promise<{ readonly answer: ProgramAnswer; readonly added?: string }> {
  const { recorder } = session;
  const { turn, run, programCalls = [] } = callOf(recorder.state, by);
  const id = `${by}.${programCalls.length + 1}`;
  const call: CallState = { id, by, turn, run, tool, input, notes: [] };
  const prepared = prepare(session, call);
  const { verdict, step, why } = judgedForProgram(prepared);
  const { question } = prepared;
  const effect = question?.effect ?? "none";
  const begun = [
    programCalled.draft({ call: id, by, tool, input }),
    callJudged.draft({ call: id, verdict, step, why, effect }),
  ];
  if (verdict !== "run" || question === undefined) {
    const code = step === "input" ? "input" : "refused";
    const refusal = callEnded.draft({ call: id, ok: false, effect: "none", code, text: why });
    recorder.append([...begun, refusal], { later: true });
    return { answer: { ok: false, text: why } };
  }
  recorder.append([...begun, callStarted.draft({ call: id })], { later: true });
  const { ended, ...told } = await carryOut(session, call, question, end);
  recorder.append([ended], { later: true });
  return told;
}

/** The policy's judgement, with what a program does not do refused. */
function judgedForProgram({ judgement, question }: PreparedCall): Judgement {
  if (question === undefined || judgement.verdict === "refuse") return judgement;
  const { tool: { name, fromPrograms }, effect, held } = question;
  const refuse = (why: string): Judgement => ({ verdict: "refuse", step: "program", why });
  if (effect !== "read") {
    return refuse(
      `${name} changes something or reaches outside, so a program does not call it: ${YOURSELF}`,
    );
  }
  if (!fromPrograms) return refuse(`${name} is not called from programs: ${YOURSELF}`);
  if (judgement.verdict === "ask") {
    // What a person is asked quotes what is held, which is not the program's to see.
    const why = held.length === 0 ? judgement.why : "it is given content held in quarantine";
    return refuse(
      `${name} would wait for a person here (${why}), so a program does not call it: ${YOURSELF}`,
    );
  }
  return judgement;
}

/** The events that end what a program left open when its process was gone. */
export function cutProgramCalls(calls: readonly CallState[]): EventDraft[] {
  const text = "cut off together with the program";
  return calls.map(({ id }) =>
    callEnded.draft({ call: id, ok: false, effect: "none", code: "interrupted", text })
  );
}
