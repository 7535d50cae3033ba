/** A claim of a run: backed by a bond, relied on, disputed, and upheld or found false. */
import {
  adjudicate,
  anyOf,
  bondAtom,
  CAROL,
  claimAtom,
  dispute,
  DUAL_SIGNATURE,
  issue,
  post,
  release,
  reserve,
  revokeClaim,
  topUp,
} from "../ledger/_claims.ts";
import { accountOf, usd } from "../ledger/_world.ts";
import type { Send, Steps } from "./life.ts";

/** Who states, who relies on it, who judges: ordinary wallets, which pay at the same time. */
const [ISSUER, RELIER, JUDGE] = ["alice", "bob", "carol"] as const;

/** The steps of a claim; what is sent without waiting races with what follows. */
export function* claimLife(send: Send, isFalse: boolean): Steps {
  send(JUDGE, [post(CAROL.label, usd(50))]);
  yield send(ISSUER, [post("tests", usd(100))]);
  const claim = yield send(ISSUER, [issue({
    formula: anyOf(DUAL_SIGNATURE, bondAtom(ISSUER, "tests")),
    adjudicator: CAROL,
  })]);
  send(ISSUER, [issue({ subject: "Signed, and no more" })]);
  send(ISSUER, [topUp("tests", usd(5))]);
  send(JUDGE, [issue({ formula: claimAtom(claim) })]);
  send(RELIER, [reserve(claim, accountOf(RELIER), usd(10))], "forbidden");
  send(RELIER, [issue({ formula: bondAtom(ISSUER, "tests") })], "forbidden");
  yield send(ISSUER, [reserve(claim, accountOf(RELIER), usd(40), 2000n)]);
  send(ISSUER, [release("tests", usd(30))]);
  send(ISSUER, [release("tests", usd(70))], "forbidden");
  send(ISSUER, [release("tests", null)], "forbidden");
  yield send(RELIER, [dispute(claim, "it was never paid")]);
  send(ISSUER, [adjudicate(claim, false)], "forbidden");
  send(RELIER, [adjudicate(claim, true)], "forbidden");
  yield send(JUDGE, [adjudicate(claim, isFalse, "looked into")]);
  send(RELIER, [revokeClaim(claim)], "forbidden");
  if (isFalse) {
    send(ISSUER, [revokeClaim(claim)], "forbidden");
    send(RELIER, [dispute(claim)], "forbidden");
    yield send(JUDGE, [adjudicate(claim, true)], "forbidden");
  } else {
    yield send(ISSUER, [revokeClaim(claim)]);
  }
}
