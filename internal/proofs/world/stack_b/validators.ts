/** The end of a session: keys change and the next committee is chosen. docs/protocol/ledger.md, Phases. */
import { toHex } from "#internal/core/mod.ts";
import { taggedHash } from "#internal/crypto/mod.ts";
import type { WorldMember } from "../world_input.ts";
import { fail } from "./error.ts";
import type { BodyOf } from "./objects.ts";
import type { Objects } from "./state.ts";

const SET_ID = toHex(taggedHash("sion/validators/v1"));
const MOST = 16;

/** Ends the session in the state. The next committee, or null in a state without validators. */
export function endSession(state: Objects): readonly WorldMember[] | null {
  const found = state.read(SET_ID);
  if (found === null) return null;
  if (found.kind !== "validator_set") return fail("witness", "the validators are something else");
  const set = found.body;
  const all = set.registered.map((id) => ({ id, ...renew(state, id) }));
  const standing = all.filter(({ status, stake }) => status === 0 && stake > 0n);
  // Whoever has 16 or more before it, by stake and then by place, is left out.
  const members = standing.filter((one, place) => {
    const before = standing.filter((other, at) =>
      other.stake > one.stake || (other.stake === one.stake && at < place)
    );
    return before.length < MOST;
  });
  const next = members.map(({ id, operator, key, stake }) => {
    return { validator: id, operator, key, stake };
  });
  const committee = next.length > 0 ? next : set.committee;
  const body = { registered: set.registered, committee, before: set.committee };
  state.write(SET_ID, { kind: "validator_set", body });
  return committee;
}

/** A validator with the key that it has from now on. */
function renew(state: Objects, id: string): BodyOf<"validator"> {
  const found = state.read(id);
  if (found?.kind !== "validator") return fail("witness", "a validator is something else");
  if (found.body.next === null) return found.body;
  const body = { ...found.body, key: found.body.next.key, next: null };
  state.write(id, { kind: "validator", body });
  return body;
}
