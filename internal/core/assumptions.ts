/**
 * What a protection rests on that sion cannot make true by itself, each under a name. Texts of the
 * program and its documentation cite the name; docs/threat-model.md is made from this table.
 */

/** A named assumption. */
export interface Assumption {
  /** What has to hold. */
  readonly holds: string;
  /** What it is about: worth what the documentation says only while that holds. */
  readonly protects: string;
  /** What would break it. */
  readonly breaks: string;
  /** What whoever runs agents can do about it. */
  readonly less: string;
  /** What it is of is not in this version: nothing rests on it yet. */
  readonly notYet?: string;
}

const SERVERS = "agents of this version have no tools of MCP servers";

/** Every assumption by its name, in alphabetical order. A new one is one entry here. */
export const ASSUMPTIONS = {
  "agent:confidential-patterns": {
    holds: "the patterns of `--confidential` match every file that must not go out",
    protects: "that nothing external runs unasked once such a file was seen",
    breaks:
      "a file under a name nobody thought of; a copy made before the session; a secret that " +
      "the person types into the conversation",
    less: "put what is confidential in one folder, and name the folder",
  },
  "agent:credential-key": {
    holds:
      "nobody else reads the keyring of whoever runs sion, or `agents/credentials.key`, or the " +
      "memory of the process",
    protects: "keys of models and tools, kept encrypted",
    breaks: "another program of the same user or root, a backup that holds both files, a core dump",
    less: "use a keyring, not the key file; run agents as a user of their own",
  },
  "agent:hooks": {
    holds: "the commands in `agents/hooks.json` are what their operator meant",
    protects: "what hooks decide; they run as the operator, outside any sandbox",
    breaks: "a hook that lies in a folder others write to, or that runs what a call's input says",
    less: "keep hooks in folders that only you write to; read input as data, never as shell",
  },
  "agent:kernel": {
    holds: "the kernel keeps namespaces, seccomp filters and mounts apart",
    protects: "the machine from what runs with `--shell` and in sandboxes",
    breaks:
      "a hole in the kernel that an unprivileged process can use; with Docker also one in its " +
      "daemon, which is root",
    less: "keep the kernel new; give unknown code a machine of its own",
  },
  "agent:mcp-oauth": {
    holds:
      "the authorization server that an MCP server names is the right one, and keeps tokens to " +
      "whom they were given",
    protects: "what an account at that server may do",
    breaks:
      "an MCP server that names a server of its own, whose page a person consents to; on the " +
      "same network as a private server, whoever answers in its place",
    less: "read the address and the scopes before you consent; ask for few scopes",
    notYet: SERVERS,
  },
  "agent:mcp-remote": {
    holds: "whoever runs an MCP server elsewhere may see what is sent to it",
    protects:
      "what is sent to it: its operator sees the arguments of every call made to it, and no sandbox, " +
      "folder or environment of the runtime's applies",
    breaks: "an operator that keeps, sells or changes what it is sent",
    less: "give an agent with confidential files no remote server, or let each call ask (L4)",
    notYet: SERVERS,
  },
  "agent:mcp-unsandboxed": {
    holds:
      "a program that is an MCP server, started without `--sandbox`, does what its review said",
    protects: "everything that whoever runs sion can read and change: the program runs as them",
    breaks: "a server that is malicious, or made to do more by its input; a newer version of it",
    less: "start it with `--sandbox bwrap`, by its version and digest",
    notYet: SERVERS,
  },
  "agent:model-provider": {
    holds: "whoever runs the model may see the conversation, and answers as the model",
    protects:
      "what a session shows the model, which is all of it: instructions, messages, files that were " +
      "read, results of tools. Kept keys are cut out before",
    breaks:
      "a provider that keeps or trains on what it is sent; an `OPENAI_BASE_URL` of somebody else",
    less:
      "use a model on this machine for what must stay on it; `--quarantine` keeps content from " +
      "outside from the model, not the rest",
  },
  "agent:own-words": {
    holds: "who may decide writes their messages themselves, and reads what they paste",
    protects:
      "that after content from outside only what the person named is paid, sent to or fetched: " +
      "their words are what names it",
    breaks: "an address or an amount that is pasted from a page or a mail without a look",
    less: "write payee and amount yourself; let payments ask (L5)",
  },
  "agent:project-instructions": {
    holds: "whoever can write `AGENTS.md` in a workspace may tell its agent how to work",
    protects: "the quality of work. It never raises a level, names a payee or answers a question",
    breaks:
      "a project of somebody else's whose instructions lead the agent astray within its rights",
    less: "read what is shown before the first yes in a folder; a change asks anew",
  },
  "agent:redaction": {
    holds:
      "tools give a secret away as it is, in base64, hexadecimal or with usual escapes, if at all",
    protects: "kept keys from logs, transcripts and the model",
    breaks:
      "a tool that prints a secret letter by letter, compressed or encrypted; one shorter than " +
      "six characters",
    less: "hand a tool only the keys it needs",
  },
  "agent:same-user": {
    holds: "other programs of the user who runs sion mean no harm",
    protects: "wallets, sessions, profiles and hooks in `SION_HOME`, which are files of that user",
    breaks: "any program that the user starts: it reads seeds and writes profiles as they do",
    less:
      "run agents as a user of their own; keep large sums under a wallet elsewhere, with a charter",
  },
  "agent:sandbox-network": {
    holds:
      "whoever gave `--sandbox-network` a network, or granted a skill hosts, meant all that it reaches",
    protects:
      "services of this machine and its networks, and what a command or a script read, which it can " +
      "send there",
    breaks:
      "`host`, where nothing filters: local services and a cloud's metadata address included; a " +
      "Docker network without a filter; a granted host that takes what anybody sends it",
    less:
      "leave it at none; use declared, which lets only skills' scripts out, and to granted hosts",
  },
  "agent:search-provider": {
    holds: "whoever answers searches may see what is searched for, and answers as the web",
    protects: "the words of `web_search`; its results are content from outside in any case",
    breaks: "a provider that keeps or sells searches; a `SION_SEARCH` of somebody else",
    less: "run a SearXNG of your own; name confidential files, after which searches wait for you",
  },
  "agent:skills": {
    holds: "whoever installed a skill, put it there or granted it something read what it says",
    protects:
      "how agents work: a skill's instructions are words that models follow, and its scripts may " +
      "change the workspace",
    breaks:
      "instructions that are bad advice or say one thing of a script that does another; a script " +
      "that sends a granted secret to a granted host",
    less:
      "read a release before its first use, and what a newer one changes; grant less with `--without`",
  },
  "agent:workspace": {
    holds: "what is in the workspace is the person's own, its file names included",
    protects: "the taint rule: files of the workspace do not taint a session",
    breaks:
      "a workspace into which others put files (a share, a folder of downloads, an unread clone)",
    less: "fetch such content with the tools for pages, which taint; or use a level that asks",
  },
} as const satisfies { readonly [name: string]: Assumption };
