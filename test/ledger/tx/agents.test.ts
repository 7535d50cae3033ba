import { describe, expect, test } from "vitest";
import { idBytes } from "#internal/core/mod.ts";
import type { Action } from "#internal/ledger/mod.ts";
import { identityKind, standingOf } from "#internal/ledger/mod.ts";
import {
  agentPay,
  charter,
  fund,
  helperOf,
  register,
  resume,
  revoke,
  robotOf,
  suspend,
} from "../_agents.ts";
import { accountOf, names, payTo, reasonOf, usd, World } from "../_world.ts";

const alice = accountOf("alice");
const bob = accountOf("bob");
const short = (id: string) => id.slice(0, 8);

function keyless(name: string, parent: string | null = null): Action {
  return { kind: "agent_register", body: { name, parent, account: null } };
}

describe("agent_register", () => {
  test("agent_register makes an identity under the person that acts [L-577 L-617 L-618 L-619]", () => {
    const world = new World();
    const action = register("robot");
    expect(world.ledger.intent(world.unit("alice", [action]), names)).toBe(
      "Register agent robot, acting with the account robot. " +
        "Fee 0.0011 USD; valid until Pulse 20.",
    );
    const receipt = world.do("alice", action);
    const [agent = ""] = receipt.made;
    expect(world.read(identityKind, agent)).toEqual({
      name: "robot",
      principal: alice,
      parent: null,
      account: accountOf("robot"),
      keyless: false,
      depth: 1,
      registered: 1n,
      suspensions: [],
      revoked: null,
    });
    expect(receipt.events).toEqual([{
      AgentRegistered: {
        agent,
        account: accountOf("robot"),
        name: "robot",
        parent: null,
        principal: alice,
      },
    }]);
    expect(world.sentence(action)).toBe(
      `Done: agent ${short(agent)} registered as robot; fee 0.0011 USD.`,
    );
    expect(world.make("alice", action)).not.toBe(agent);
  });

  test("agent_register gives a keyless agent an account under the acting policy [L-571 L-578]", () => {
    const world = new World();
    const agent = world.make("alice", keyless("coder"));
    const account = accountOf("alice", idBytes(agent));
    expect(world.read(identityKind, agent)).toMatchObject({ account, keyless: true });
    const child = world.make("alice", payTo([account, usd(1)]));
    expect(child).toBe("");
    const below = world.make("alice", keyless("fetch", agent), { keyless: agent });
    expect(world.read(identityKind, below)).toMatchObject({
      account: accountOf("alice", idBytes(below)),
      parent: agent,
      principal: alice,
      depth: 2,
    });
    expect(world.sequence(account)).toBe(1n);
  });

  test("agent_register lets a keyless agent pay from its own account and allotment [L-571]", () => {
    const world = new World();
    const agent = world.make("alice", keyless("coder"));
    const id = world.make("alice", charter(agent, {}));
    const allotment = world.make("alice", fund(id, usd(10)));
    const funded = { agent, charter: id, allotment };
    world.make("alice", payTo([accountOf("alice", idBytes(agent)), usd(1)]));
    expect(reasonOf(world.do("alice", agentPay(funded, bob, 1n)))).toBe(
      "unauthorized: only the charter's agent may pay under it",
    );
    expect(world.do("alice", agentPay(funded, bob, 1n), { keyless: agent }).outcome.kind).toBe(
      "success",
    );
  });

  test("agent_register under an agent is for that agent alone, in good standing [L-584]", () => {
    const world = new World();
    const robot = robotOf(world);
    expect(reasonOf(world.do("alice", register("helper", robot.agent)))).toBe(
      `unauthorized: the account is not that of agent ${short(robot.agent)}`,
    );
    world.make("alice", suspend(robot.agent));
    expect(reasonOf(world.do("robot", register("helper", robot.agent)))).toBe(
      `unauthorized: agent ${short(robot.agent)} is not in good standing: agent suspended`,
    );
    expect(reasonOf(world.do("robot", register("helper", robot.charter)))).toBe(
      `invalid transaction: there is no identity ${short(robot.charter)}`,
    );
  });

  test("agent_register refuses an agent with the account of who stands above it", () => {
    const world = new World();
    const robot = robotOf(world);
    const reason =
      "invalid transaction: an agent cannot act with the account of who stands above it";
    expect(reasonOf(world.do("alice", register("alice")))).toBe(reason);
    expect(reasonOf(world.do("robot", register("alice", robot.agent)))).toBe(reason);
    expect(reasonOf(world.do("robot", register("robot", robot.agent)))).toBe(reason);
  });

  test("agent_register goes eight agents deep and no deeper", () => {
    const world = new World();
    let parent = world.make("alice", keyless("a1"));
    for (let depth = 2; depth <= 8; depth++) {
      world.make("alice", payTo([accountOf("alice", idBytes(parent)), usd(1)]));
      parent = world.make("alice", keyless(`a${depth}`, parent), { keyless: parent });
    }
    world.make("alice", payTo([accountOf("alice", idBytes(parent)), usd(1)]));
    expect(reasonOf(world.do("alice", keyless("a9", parent), { keyless: parent }))).toBe(
      "invalid transaction: agents can be at most 8 deep",
    );
  });

  test.each(["", "a b", "-a", "a\u001b[31m", "x".repeat(65), "0".repeat(64)])(
    "agent_register refuses the name %j at once",
    (name) => {
      const world = new World();
      expect(() => world.ledger.encodeSigned(world.unit("alice", [keyless(name)]))).toThrow(
        TypeError,
      );
    },
  );
});

describe("agent_suspend and agent_resume", () => {
  test("agent_suspend and agent_resume say what the recordings say [L-093 L-098 L-579..L-582 L-662]", () => {
    const world = new World();
    const { agent } = robotOf(world);
    world.pulse = 18n;
    expect(world.ledger.intent(world.unit("alice", [suspend(agent)]), names)).toBe(
      `Suspend agent ${short(agent)} and every agent below it. ` +
        "Fee 0.0011 USD; valid until Pulse 38.",
    );
    const suspended = world.do("alice", suspend(agent));
    expect(suspended.events).toEqual([{ AgentSuspended: { agent, by: alice } }]);
    expect(world.sentence(suspend(agent))).toBe(
      `Done: agent ${short(agent)} suspended by alice, with everything below it; fee 0.0011 USD.`,
    );
    world.pulse = 21n;
    expect(world.ledger.intent(world.unit("alice", [resume(agent)]), names)).toBe(
      `Lift the suspension of agent ${short(agent)}. Fee 0.0011 USD; valid until Pulse 41.`,
    );
    const resumed = world.do("alice", resume(agent));
    expect(resumed.events).toEqual([{
      AgentResumed: { agent, by: alice, suspended_above: false },
    }]);
    expect(world.sentence(resume(agent))).toBe(
      `Done: agent ${short(agent)} resumed; fee 0.0011 USD.`,
    );
  });

  test("agent_suspend is for who stands above, in good standing [L-583]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const only = (what: string) =>
      `unauthorized: only who stands above agent ${short(helper.agent)} may ${what}`;
    expect(reasonOf(world.do("bob", suspend(helper.agent)))).toBe(only("suspend it"));
    expect(reasonOf(world.do("helper", suspend(helper.agent)))).toBe(only("suspend it"));
    expect(reasonOf(world.do("bob", resume(helper.agent)))).toBe(only("lift its suspension"));
    expect(reasonOf(world.do("bob", revoke(helper.agent)))).toBe(only("revoke it"));
    expect(world.do("robot", suspend(helper.agent)).outcome.kind).toBe("success");
    expect(world.do("robot", resume(helper.agent)).outcome.kind).toBe("success");
    world.make("alice", suspend(robot.agent));
    expect(reasonOf(world.do("robot", suspend(helper.agent)))).toBe(
      `unauthorized: agent ${short(robot.agent)} is not in good standing: agent suspended`,
    );
  });

  test("agent_suspend by an agent below one that is suspended fails [L-621]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const third = world.make("helper", register("third", helper.agent));
    world.make("alice", suspend(robot.agent));
    expect(reasonOf(world.do("helper", suspend(third)))).toBe(
      `unauthorized: agent ${short(helper.agent)} is not in good standing: agent suspended above`,
    );
    world.make("alice", resume(robot.agent));
    expect(world.do("helper", suspend(third)).outcome.kind).toBe("success");
  });

  test("agent_resume lifts what was set at its level or below, and nothing from above [L-583 L-622]", () => {
    const world = new World();
    const robot = robotOf(world);
    const { agent } = helperOf(world, robot);
    world.make("robot", suspend(agent));
    world.make("alice", suspend(agent));
    expect(world.read(identityKind, agent)?.suspensions.map(({ level }) => level)).toEqual([0, 1]);
    expect(world.do("robot", resume(agent)).outcome.kind).toBe("success");
    expect(world.sentence(resume(agent))).toBe(
      `Done: agent ${short(agent)} resumed, though it stays suspended by who stands above; ` +
        "fee 0.0011 USD.",
    );
    expect(reasonOf(world.do("robot", resume(agent)))).toBe(
      `unauthorized: only who suspended agent ${short(agent)}, or stands above, ` +
        "may lift its suspension",
    );
    world.make("robot", suspend(agent));
    world.make("alice", resume(agent));
    expect(world.read(identityKind, agent)?.suspensions).toEqual([]);
  });

  test("agent_resume of an agent leaves the suspension of one below it [L-622]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    world.make("robot", suspend(helper.agent));
    world.make("alice", suspend(robot.agent));
    world.make("alice", resume(robot.agent));
    expect(reasonOf(world.do("helper", agentPay(helper, bob, 1n)))).toBe(
      "charter caveat violated: agent suspended",
    );
  });

  test("standingOf() is the gravest of the agent's and of those above it [L-585 L-621]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const standings = () => [robot, helper].map(({ agent }) => standingOf(world.state, agent));
    expect(standings()).toEqual(["good", "good"]);
    world.make("robot", suspend(helper.agent));
    expect(standings()).toEqual(["good", "suspended"]);
    world.make("alice", revoke(robot.agent));
    expect(standings()).toEqual(["revoked", "revoked"]);
    expect(standingOf(world.state, robot.charter)).toBeUndefined();
  });

  test("agent_suspend twice and agent_resume of one not suspended fail", () => {
    const world = new World();
    const { agent } = robotOf(world);
    expect(reasonOf(world.do("alice", resume(agent)))).toBe(
      "invalid transaction: the agent is not suspended",
    );
    world.make("alice", suspend(agent));
    expect(reasonOf(world.do("alice", suspend(agent)))).toBe(
      "invalid transaction: the agent is suspended already",
    );
  });
});

describe("agent_revoke", () => {
  test("agent_revoke ends an agent and all below it for good, touching it alone [L-620 L-623]", () => {
    const world = new World();
    const robot = robotOf(world);
    const helper = helperOf(world, robot);
    const before = world.state.bytes(helper.agent);
    world.do("alice", revoke(robot.agent));
    expect(world.last?.receipts[0]?.events).toEqual([{
      AgentRevoked: { agent: robot.agent, by: alice },
    }]);
    expect(world.sentence(revoke(robot.agent))).toBe(
      `Done: agent ${short(robot.agent)} revoked by alice, with everything below it; ` +
        "fee 0.0011 USD.",
    );
    expect(world.state.bytes(helper.agent)).toBe(before);
    for (const action of [revoke(robot.agent), suspend(robot.agent), resume(robot.agent)]) {
      expect(reasonOf(world.do("alice", action))).toMatch(
        /^invalid transaction: the agent is revoked/,
      );
    }
    expect(reasonOf(world.do("alice", charter(helper.agent, {})))).toBe(
      "invalid transaction: the agent is revoked",
    );
    expect(reasonOf(world.do("robot", register("third", robot.agent)))).toBe(
      `unauthorized: agent ${short(robot.agent)} is not in good standing: agent revoked`,
    );
  });

  test("agent_revoke says that it is for good before it is signed", () => {
    const world = new World();
    const { agent } = robotOf(world);
    expect(world.ledger.intent(world.unit("alice", [revoke(agent)]), names)).toMatch(
      /^Revoke agent [0-9a-f]{8} and every agent below it, for good\. Fee/,
    );
  });
});
