/** Small histories, told by stack B alone, in which each rule of spawning several agents at once matters. */
import { idBytes } from "#internal/core/mod.ts";
import type { Caveats } from "../../internal/proofs/world/stack_b/objects.ts";
import type { Wallet } from "./_stack_b.ts";
import { USD, walletOf } from "./_stack_b.ts";
import type { Told } from "./_stack_b_story.ts";
import { Story } from "./_stack_b_story.ts";

/** What a transaction alone in its unit costs, micro-USD. */
export const FEE = 1100n;

export const NO_CAVEATS: Caveats = {
  payees: null,
  maxPayment: null,
  bucket: null,
  expires: null,
  receipts: false,
};

/** An agent that is to be, with a budget of micro-USD if it is to have one. */
export function spawn(
  name: string,
  account: string | null,
  amount?: bigint,
  caveats: Partial<Caveats> = {},
): object {
  const budget = amount === undefined ? null : { caveats: { ...NO_CAVEATS, ...caveats }, amount };
  return { name, account, budget };
}

/** A body of spawn_agents. */
export function spawning(
  agents: readonly object[],
  under: { parent?: string | null; charter?: string; source?: string } = {},
): object {
  return { parent: null, charter: null, source: null, ...under, agents };
}

export const SPAWN = 20;
const PAY = 1;
const [REGISTER, SUSPEND, RESUME, REVOKE] = [16, 17, 18, 19] as const;
const [GIVE, REVOKE_CHARTER, FUND] = [24, 26, 32] as const;

/** Who acts in the stories. */
export interface People {
  readonly alice: Wallet;
  readonly bob: Wallet;
  readonly robot: Wallet;
  readonly helper: Wallet;
}

export async function people(): Promise<People> {
  const [alice, bob, robot, helper] = await Promise.all(
    ["alice", "bob", "robot", "helper"].map(walletOf),
  ) as [Wallet, Wallet, Wallet, Wallet];
  return { alice, bob, robot, helper };
}

/** An agent with a charter and an allotment of it. */
export interface Funded {
  readonly parent: string;
  readonly charter: string;
  readonly source: string;
}

/** The robot under alice with 1000 micro-USD. */
export async function robotOf(story: Story, { alice, robot }: People): Promise<Funded> {
  const parent = await story.does(alice, REGISTER, {
    name: "robot",
    parent: null,
    account: robot.account,
  });
  return { parent, ...await funded(story, alice, parent) };
}

async function funded(
  story: Story,
  giver: Wallet,
  agent: string,
  caveats: Partial<Caveats> = {},
): Promise<Omit<Funded, "parent">> {
  const given = { agent, parent: null, caveats: { ...NO_CAVEATS, ...caveats } };
  const charter = await story.does(giver, GIVE, given);
  const funding = { charter, allotment: null, source: null, amount: 1000n };
  return { charter, source: await story.does(giver, FUND, funding) };
}

/** Tells all of them. Their Pulses. */
export async function tellOfSpawns(): Promise<readonly Told[]> {
  const all = await people();
  const told: Told[] = [];
  for (const tell of [ofPersons, ofAgents, ofStanding, ofKeyless, ofOrder]) {
    const story = new Story(Object.values(all));
    await tell(story, all);
    told.push(...story.told);
  }
  return told;
}

async function ofPersons(story: Story, { alice, bob, robot, helper }: People): Promise<void> {
  const act = (...agents: object[]) => story.act(alice, SPAWN, spawning(agents));
  const one = spawn("one", robot.account);
  await act(one);
  await act(one, spawn("two", alice.account));
  const bucket = { capacity: 9n, refill: 1n, periodMs: 5n };
  const caveats = { payees: [bob.account], bucket, receipts: true };
  await act(spawn("one", robot.account, 70n, caveats), one, spawn("none", null, 5n));
  for (const late of [1n, 0n]) {
    const expires = story.pulse + late;
    await act(spawn("one", robot.account, 1n), spawn("two", helper.account, 2n, { expires }));
  }
  for (const more of [1n, 0n]) {
    const rest = story.balance(alice) - FEE - 7n;
    await act(spawn("one", robot.account, rest), spawn("two", helper.account, 7n + more));
  }
}

async function ofAgents(story: Story, all: People): Promise<void> {
  const { alice, bob, robot, helper } = all;
  const under = await robotOf(story, all);
  const { parent, charter, source } = under;
  const act = (wallet: Wallet, where: Partial<Funded>, ...agents: object[]) =>
    story.act(wallet, SPAWN, spawning(agents, where));
  const one = spawn("one", helper.account);
  const paid = spawn("paid", helper.account, 100n);
  const above = spawn("above", robot.account, 1n);
  const none = "11".repeat(32);
  const other = await story.does(alice, REGISTER, {
    name: "other",
    parent: null,
    account: robot.account,
  });
  const others = await funded(story, alice, other);
  await act(robot, { parent }, one, spawn("two", bob.account));
  for (const where of [{ parent: none }, { parent: charter }]) await act(robot, where, one);
  await act(robot, under, paid, spawn("two", bob.account, 50n, { maxPayment: 1n }), one);
  await act(robot, { parent, charter }, paid, spawn("two", null, 3n));
  // Each of them breaks two rules: the earlier one is the reason.
  await act(alice, { ...under, charter: none }, paid);
  await act(robot, { parent, charter: others.charter }, paid, above);
  await act(robot, { ...under, charter: others.charter }, paid);
  for (const charter of [none, source]) await act(robot, { parent, charter }, paid);
  const expires = story.pulse;
  const dead = spawn("dead", helper.account, 1n, { expires });
  await act(robot, { parent, charter: others.charter }, dead);
  for (const source of [others.source, none]) {
    await act(robot, { ...under, source }, paid, dead);
    await act(robot, { ...under, source }, paid);
  }
  const left = story.object("allotment", source).balance;
  for (const more of [1n, 0n]) {
    await act(robot, under, paid, spawn("two", bob.account, left - 100n + more));
  }
  const rest = story.balance(robot) - FEE;
  await act(robot, { parent, charter }, spawn("rich", helper.account, rest + 1n));
  await act(robot, { parent: other, ...others }, paid);
}

async function ofStanding(story: Story, all: People): Promise<void> {
  const { alice, robot, helper } = all;
  const { parent, ...first } = await robotOf(story, all);
  const under = (money: Omit<Funded, "parent">) =>
    story.act(robot, SPAWN, spawning([spawn("one", helper.account, 1n)], { parent, ...money }));
  const without = () =>
    story.act(robot, SPAWN, spawning([spawn("one", helper.account)], { parent }));
  await story.does(alice, SUSPEND, { agent: parent });
  await under(first);
  await without();
  await story.does(alice, RESUME, { agent: parent });
  const brief = await funded(story, alice, parent, { expires: story.pulse + 4n });
  for (let i = 0; i < 3; i++) await under(brief);
  await story.does(alice, REVOKE_CHARTER, { charter: first.charter });
  await under(first);
  await without();
  await story.does(alice, REVOKE, { agent: parent });
  await without();
}

/** Keyless agents below each other, down to where there can be no more. */
async function ofKeyless(story: Story, { alice }: People): Promise<void> {
  let extra = {};
  let parent: string | null = null;
  for (let depth = 1; depth <= 9; depth++) {
    const agents = [spawn(`deep${depth}`, null), spawn("beside", null)];
    const { reason, made } = await story.act(alice, SPAWN, spawning(agents, { parent }), extra);
    if (reason !== null) return;
    const { account } = story.object("identity", made);
    await story.does(alice, PAY, { asset: USD, outputs: [{ account, amount: FEE }] });
    parent = made;
    extra = { account, salt: idBytes(made) };
  }
}

/** What touches what is shared is executed after what does not, in the order of the Pulse. */
async function ofOrder(story: Story, all: People): Promise<void> {
  const { alice, robot, helper } = all;
  const { parent } = await robotOf(story, all);
  const spawns = spawning([spawn("one", helper.account)], { parent });
  story.execute([
    await story.unit(alice, SUSPEND, { agent: parent }),
    await story.unit(robot, SPAWN, spawns),
  ]);
}
