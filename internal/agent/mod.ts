/** The agent runtime: sessions, the loop, policy, models and the agents' own tools. */
export * from "./conversation.ts";
