/** A ledger that is not asked, or that answers everything alike. */
import type { AgentLedger } from "#internal/agent/mod.ts";

type Rest = Omit<AgentLedger, "budget" | "payFee" | "pay" | "outcome">;

/** The rest of a ledger, for tests that do not ask it. */
export function notAsked(): Rest {
  return restOf(() => Promise.reject(new Error("not asked for here")));
}

/** The rest of a ledger that does what it is asked, and has nothing to list. */
export function obliging(): Rest {
  const done = {
    ...{ digest: "a".repeat(64), fee: "0.0011", pulse: 14, receipt: "Done: it; fee 0.0011 USD." },
    ...{ status: "Success", events: [], made: ["b".repeat(64)] },
    ...{ body: "", paid: false, value: {}, outside: [] },
  };
  const rest = restOf(() => Promise.resolve(done as never));
  return { ...rest, tasks: { ...rest.tasks, list: () => Promise.resolve([]) } };
}

function restOf(answer: () => Promise<never>): Rest {
  return {
    assess: answer,
    events: answer,
    fetchPaid: answer,
    isShownAgain: answer,
    memory: { list: answer, open: answer, remember: answer, commit: answer, recall: answer },
    tasks: {
      show: answer,
      list: answer,
      post: answer,
      attest: answer,
      submit: answer,
      settle: answer,
      refund: answer,
    },
  };
}
