/** Broken rules of stack B about several agents that are spawned at once. */
import type { Mutant } from "./_mutants.ts";

const FILE = "kinds/spawn_agents.ts";
const SHARED = 'member.kind.fixes(member.body) === "outcome"';
const ACCOUNT = "checkAccount(context, line, account)";
const ABOVE = "checkParent(context, charter, parent)";
/** The same in other words, as each expression is to stand once. */
const FIRST = "checkParent(context, charter as string, parent)";
const CAVEATS = "checkCaveats(context, caveats)";
const CHARTER = "makeCharter(context, { agent, parent, caveats })";
const ALLOTMENT = "makeAllotment(context, { charter, source, amount })";
const EACH = "agents.flatMap((wanted) => spawn(context, line, body, wanted))";
const EVENTS = `[registered, given, ${ALLOTMENT}]`;
const BELOW = "parent !== null && budgetsOf(body).length > 0";
const UNDER = "(charter !== null) !== isBelow";
const FORM = "a spawn_agents' form: ";

/** They are planted beside those of agent_register, charter_create and allotment_fund, which it shares. */
export const SPAWN_MUTANTS: readonly Mutant[] = [
  [
    "what certificates fix of spawns",
    "execute.ts",
    SHARED,
    `(${SHARED} || member.kind.tag === 20)`,
  ],
  ["the accounts of the spawned", FILE, ACCOUNT, "0"],
  ["all accounts of the spawned", FILE, ACCOUNT, `account === agents[0]?.account && ${ACCOUNT}`],
  [
    "parents before charters",
    FILE,
    "lineAbove(context, parent)",
    `(charter !== null && ${FIRST}, lineAbove(context, parent))`,
  ],
  ["accounts before charters", FILE, ACCOUNT, `(charter !== null && ${FIRST}, ${ACCOUNT})`],
  ["the charter above the spawned", FILE, ABOVE, "0"],
  ["budgets born dead", FILE, CAVEATS, "0"],
  ["all budgets born dead", FILE, CAVEATS, `budgets[0]?.caveats === caveats && ${CAVEATS}`],
  [
    "caveats before the source",
    FILE,
    CAVEATS,
    `(body.source !== null && readSource(context, body.source, charter), ${CAVEATS})`,
  ],
  ["where budgets come from", FILE, "source === null", "true"],
  [
    "whose the source is",
    FILE,
    "readSource(context, source, charter)",
    'context.get("allotment", source)',
  ],
  ["what budgets cost", FILE, "context.take(USD, amount)", "0"],
  ["what all budgets cost", FILE, "sum + amount", "amount"],
  ["the order of the spawned", FILE, EACH, EACH.replace("agents", "[...agents].reverse()")],
  ["what the spawned charter is under", FILE, CHARTER, CHARTER.replace("parent,", "parent: null,")],
  ["where spawned allotments come from", FILE, EVENTS, EVENTS.replace("source,", "source: null,")],
  ["the order of a spawn's events", FILE, EVENTS, `[${ALLOTMENT}, registered, given]`],
  ["all events", "kind.ts", "applied as readonly Value[]", "[applied]"],
  [`${FORM}no agents`, FILE, "agents.length === 0", "false"],
  [`${FORM}names`, FILE, "nameFault(name)", "null"],
  [
    `${FORM}all names`,
    FILE,
    "nameFault(name)",
    "name === agents[0]?.name ? nameFault(name) : null",
  ],
  [`${FORM}empty budgets`, FILE, "amount === 0n", "false"],
  [`${FORM}caveats`, FILE, "caveatsFault(caveats)", "null"],
  [`${FORM}too much`, FILE, "sumOf(budgets) > MAX_U64", "false"],
  [`${FORM}as much as can be`, FILE, "sumOf(budgets) > MAX_U64", "sumOf(budgets) >= MAX_U64"],
  [`${FORM}charters of persons' budgets`, FILE, BELOW, "budgetsOf(body).length > 0"],
  [`${FORM}charters without budgets`, FILE, BELOW, "parent !== null"],
  [`${FORM}charters for nothing`, FILE, UNDER, "charter === null && isBelow"],
  [`${FORM}budgets under nothing`, FILE, UNDER, "charter !== null && !isBelow"],
  [`${FORM}sources of nothing`, FILE, "source !== null && charter === null", "false"],
];
