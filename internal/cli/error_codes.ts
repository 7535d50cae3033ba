/**
 * Errors as people meet them: one table from code to exit code and meaning, from which messages,
 * `sion help exit-codes` and docs/reference/errors.md derive.
 */
import { messageOf, SionError } from "#internal/core/mod.ts";
import { EXIT } from "./errors.ts";

/** What is known of a code. */
export interface ErrorEntry {
  /** When it is met. */
  readonly when: string;
  /** @default 1 */
  readonly exit?: number;
  /** A sentence as it is printed, for the reference. */
  readonly example: string;
}

/** Every code that a command can end with. */
export const ERRORS: { readonly [code: string]: ErrorEntry } = {
  "address-in-use": {
    when: "another program listens there",
    example:
      "127.0.0.1:8400 is in use: stop what uses it, or give --listen 127.0.0.1:0 for any free port",
  },
  "address-refused": {
    when: "a URL leads where it must not",
    example: "10.0.0.1 is not asked, it leads into a private network: give another URL",
  },
  "agent-unknown": {
    when: "the agent is not the wallet's",
    example: "wallet bob does not act for agent 0d7240c5 (coder): give the wallet it was " +
      "created for",
  },
  "amount": {
    when: "an amount cannot be meant",
    example: "0.1234567 has seven decimals, USD has six: write it like 0.123457",
  },
  "answer-lost": {
    when: "sent, and the node stopped answering: not known",
    exit: EXIT.unknown,
    example: "the node stopped answering after it took 21e98fa5: ask `sion receipt " +
      "21e98fa5…8f59`, do not pay again",
  },
  "argument": {
    when: "a value cannot be meant",
    example: "--node ftp://x is no address: write it like http://127.0.0.1:8400",
  },
  "autonomy": {
    when: "no level of autonomy",
    example: "L9 is no autonomy level: give L0 to L6",
  },
  "bad-encoding": {
    when: "a certified header is proven to be over data that is none",
    exit: EXIT.no,
    example:
      "data that Pulse 213 is certified over is proven to be wrongly encoded, its header is " +
      "refused for ever: trust nothing after it, ask another node",
  },
  "bad-request": {
    when: "the node does not take what it was asked",
    example: "cannot read submit.tx: lower-case hex of at most 524288 bytes is needed",
  },
  "batch-busy": {
    when: "another process pays the same list",
    example: "another sion process pays batch 5f0c3a91: wait for it, then give the same command " +
      "again",
  },
  "batch-made": {
    when: "the wallet made the payments of this list before",
    example: "alice made these 3 payments before, on 2026-11-30 as batch 5f0c3a91: give --again " +
      "to make them once more; nothing was sent",
  },
  "batch-open": {
    when: "another list of the wallet's was begun and not finished",
    example: "alice has begun batch 5f0c3a91 of 300 payments and not finished it: give that list " +
      "again to go on with it, or --again to give it up; nothing was sent",
  },
  "behind": {
    when: "the node has not come as far as the head trusted here",
    exit: EXIT.unknown,
    example: "the node has certified Pulse 190, Pulse 213 is trusted here: ask another node, or " +
      "again later",
  },
  "budget": {
    when: "there is no budget of model costs of that name",
    example: "there is no budget leed: `sion agent budget set leed <usd> --per day` makes it",
  },
  "busy": {
    when: "the node has too much to do",
    example: "too much waits here already: try again in a moment",
  },
  "client-file": {
    when: "an AI client's file cannot be edited as it is",
    example: "~/.cursor/mcp.json is no JSON (line 4): mend it first",
  },
  "cost": {
    when: "the models of a run may cost no more",
    example: "the run has cost 0.9 of its 1 USD, and a request to anthropic:claude-opus-4-5 can " +
      "cost 0.35 USD: give a larger --max-usd",
  },
  "credential-name": {
    when: "a text that cannot be a credential's name",
    example: '"my key" is no name for a credential: use that of an environment variable, like ' +
      "OPENAI_API_KEY",
  },
  "credential-unknown": {
    when: "nothing is kept under the name",
    example: "there is no credential OPENAI_KEY here, did you mean OPENAI_API_KEY: " +
      "`sion agent credential list` shows yours",
  },
  "credential-value": {
    when: "a value that is not kept",
    example: "the value of OPENAI_API_KEY is empty: give one",
  },
  "credentials-damaged": {
    when: "the kept credentials cannot be opened with their key",
    example: "~/.sion/agents/credentials.bin cannot be opened, it is damaged, or its key is " +
      "another: restore it, or remove it and add the credentials anew",
  },
  "credentials-locked": {
    when: "the key of the kept credentials is not where it is kept",
    example: "~/.sion/agents/credentials.bin cannot be opened, its key is in the keyring, which " +
      "does not answer: unlock it, or remove ~/.sion/agents/credentials.bin and add the " +
      "credentials anew",
  },
  "deal-unfit": {
    when: "a storage deal is not one to accept or prove now",
    example: "round 2 of storage deal 66f5ffa4 is proven already: the next one begins later",
  },
  "download": {
    when: "what a URL serves cannot be taken",
    example: "cannot get https://example.com/a.bin: it answers 404",
  },
  "entry-taken": {
    when: "an AI client has another server of that name",
    example: "another server of Cursor's is named sion in ~/.cursor/mcp.json: give --replace to " +
      "put this one in its place, or --name another",
  },
  "expired": {
    when: "a transaction was not executed by its last Pulse, and never will be",
    example: "transaction 21e98fa5 was not executed by Pulse 38 and never will be: make it anew; " +
      "it cost nothing",
  },
  "file-damaged": {
    when: "a file that is kept under a storage deal is not that file any more",
    example: "~/.sion/storage/66f5ffa4…/file is not the file of storage deal 66f5ffa4 any more, " +
      "leaf 7 is another: fetch it again",
  },
  "file-exists": {
    when: "a new file's path is taken",
    example: "patrol.bin exists already: give another path",
  },
  "file-exposed": {
    when: "others can read a wallet",
    example:
      "others can read ~/.sion/wallets/alice (mode 0644): run `chmod 600 ~/.sion/wallets/alice`",
  },
  "file-unfit": {
    when: "a file is no file, leads nowhere, or is too large",
    example: "~/.sion/wallets/alice is a link that leads nowhere: mend it",
  },
  "folder-damaged": {
    when: "a devnet's folder is not what sion wrote",
    example: "~/.sion/devnet/genesis.json is not what sion wrote: give another --dir",
  },
  "folder-locked": {
    when: "another process uses the folder",
    example: "~/.sion/devnet is in use by process 4242: stop it, or give another --dir",
  },
  "forbidden": {
    when: "the node does not answer where it is asked from",
    example: "the request names another host: ask the node by its address",
  },
  "fork": {
    when: "two certified headers of the chain contradict each other",
    exit: EXIT.no,
    example: "the chain has forked at Pulse 213, two certified headers: trust neither side, both " +
      "headers are kept",
  },
  "hooks": {
    when: "the hooks cannot be used or changed as asked",
    example: "there is no hook 3: `sion agent hooks list` numbers them from 1 to 2",
  },
  "internal": {
    when: "a fault of sion itself",
    example: "sion failed inside, your data is kept: report it with ~/.sion/logs/failure-….txt",
  },
  "kept-damaged": {
    when: "a profile's file, or that of tokens, is not what sion wrote",
    example: "~/.sion/agents/tokens.json is not what sion wrote (it is no object): mend it, or " +
      "remove it",
  },
  "kept-newer": {
    when: "a newer sion wrote a profile or the tokens",
    example: "~/.sion/agents/tokens.json was written by a newer sion: update sion",
  },
  "limited": {
    when: "a gateway is asked too often",
    example: "this client asks too often: ask again in 2 s",
  },
  "listen-failed": {
    when: "the address cannot be listened on",
    example: "cannot listen on 10.9.9.9:8400: EADDRNOTAVAIL",
  },
  "memory-damaged": {
    when: "a memory log's file is not what sion wrote",
    example: "~/.sion/memory/5bc688d4….db is damaged, it has no atom 7: restore it",
  },
  "memory-elsewhere": {
    when: "atoms that a memory log has committed are not on this machine",
    example: "this machine has 0 of the 2 atoms that memory log 5bc688d4 has committed: use the " +
      "machine that remembered them, or copy its file here",
  },
  "memory-sealed": {
    when: "the memory log does not grow any more",
    example: "memory log 5bc688d4 is sealed: open another one",
  },
  "model": {
    when: "a model that cannot be asked",
    example:
      "gpt names no model this sion can ask: give anthropic:<model>, openai:<model> or script:<file>",
  },
  "model-key": {
    when: "a model whose key is not here",
    example: "model anthropic:claude-sonnet-5 needs ANTHROPIC_API_KEY: keep it with `sion agent " +
      "credential add ANTHROPIC_API_KEY`",
  },
  "newer-data": {
    when: "a newer sion wrote the files",
    example: "~/.sion/devnet was written by sion 1.4, this is 1.2: update sion, or give another " +
      "--dir",
  },
  "no-budget": {
    when: "the agent has nothing to pay from",
    example: "agent 0d7240c5 has no charter in force with money under it: whoever stands " +
      "above it gives it one",
  },
  "no-money": {
    when: "the account has nothing on this chain",
    example: "alcie has no money on this chain, did you mean alice: `sion faucet alcie 10` gives " +
      "it some",
  },
  "node-error": {
    when: "what answers is no node of this version",
    example: "what answers at http://127.0.0.1:80 is no sion node of this version: give --node",
  },
  "node-stopped": {
    when: "a validator ended by a fault",
    example: "validator 2 stopped: start the devnet again, it goes on from its folder",
  },
  "node-unreachable": {
    when: "no node answers",
    example: "no node answers at http://127.0.0.1:8400: start one with `sion devnet`, or give " +
      "--node",
  },
  "not-certified": {
    when: "a transaction was executed, and its Pulse has no certificate yet",
    exit: EXIT.unknown,
    example: "what Pulse 205 executed is not certified yet, only Pulse 203 is: ask again in " +
      "a moment",
  },
  "not-devnet": {
    when: "only a devnet has it",
    example: "this chain has no faucet: it is no devnet",
  },
  "not-enough": {
    when: "the account has less than is needed",
    example: "alice has 0.4 USD, this needs 1.5011 (1.5 and the fee of 0.0011): pay less or add " +
      "money; nothing was sent",
  },
  "not-found": {
    when: "the ledger has no such thing",
    example: "the ledger knows no transaction 21e98fa5: check the digest",
  },
  "not-proven": {
    when: "the node's own proofs do not bear out what it says",
    exit: EXIT.no,
    example: "the receipt of 21e98fa5 is not proven, the receipt is not under the receipts root: " +
      "do not rely on it, ask another node",
  },
  "not-waiting": {
    when: "nothing waits for a decision, or another request",
    example: "request e415977a no longer waits: nothing was done",
  },
  "nothing-said": {
    when: "a session has nothing to go on with",
    example: "nothing was said in session 3ffd3b1fd4d6aa36 yet: give --say with what is to be done",
  },
  "offer-unfit": {
    when: "a server takes no payment that can be made here",
    example:
      "example.com cannot be paid on sion:6345655cfd2a714ed1dab69c0660f2f4, it takes exact on eip155:8453: nothing was paid",
  },
  "option": {
    when: "an option of an agent's capability does not do",
    example: "the instructions in ask.txt cannot be read (no file ask.txt): give a text file",
  },
  "other-chain": {
    when: "the node serves another chain",
    example: "this node serves chain 30de983d, not the pinned 6345655c: give the --node of your " +
      "chain",
  },
  "other-file": {
    when: "what came is not the file of the storage deal",
    exit: EXIT.no,
    example: "what came is not the file of storage deal 66f5ffa4, its root is another: nothing " +
      "was kept",
  },
  "other-format": {
    when: "the folder is of another version of the formats",
    example: "~/.sion/devnet has format 2, this sion has 1: give another --dir",
  },
  "payee": {
    when: "neither a wallet name nor an account",
    example: "bob.eth is neither a wallet name nor an account: give a name or 64 hex digits; " +
      "nothing was sent",
  },
  "payment-failed": {
    when: "the ledger took a payment for HTTP, and it failed",
    exit: EXIT.failed,
    example:
      "the ledger refused the payment (charter caveat violated: payee not allowed): nothing was " +
      "paid except the fee of 0.0011 USD",
  },
  "payment-not-taken": {
    when: "a server refuses what was paid for it",
    exit: EXIT.unknown,
    example:
      "example.com does not take payment 8c4db2a9 (invalid_exact_sion_amount_mismatch): it is kept and shown again the next time, `sion fetch --again` gives it up and pays once more",
  },
  "payment-unanswered": {
    when: "paid, and the server did not answer: the payment is kept",
    exit: EXIT.unknown,
    example:
      "example.com did not answer to payment 8c4db2a9: give the same again, it is kept and shown again, nothing is paid twice",
  },
  "payment-used": {
    when: "a server says that it took the payment before",
    exit: EXIT.unknown,
    example:
      "example.com says that it took payment 8c4db2a9 before, and does not answer to it again: ask whoever runs it; fetching once more pays once more",
  },
  "pending": {
    when: "the node has the transaction and has not executed it yet",
    exit: EXIT.unknown,
    example: "transaction 21e98fa5 is not executed yet: ask again, with --wait to wait for it",
  },
  "profile-exists": {
    when: "there is a profile of that name",
    example: "there is a profile lead already: change it with `sion agent profile set lead`",
  },
  "profile-name": {
    when: "a text that cannot be a profile's name",
    example: '"my lead" is no name for a profile: use up to 64 letters, digits, - and _',
  },
  "profile-unknown": {
    when: "there is no such profile here",
    example: "there is no profile laed here, did you mean lead: `sion agent profile list` shows " +
      "yours",
  },
  "read-only": {
    when: "a gateway is handed what changes something",
    example:
      "http://127.0.0.1:8401 is a gateway, which takes no transactions: give the --node of " +
      "a node; nothing was sent",
  },
  "redirects": {
    when: "a server sends from place to place",
    example: "example.com sends from place to place: ask for the last place itself",
  },
  "refused": {
    when: "the node takes no such transaction",
    example: "the node refused the transaction: it is for another chain; nothing was done",
  },
  "rule": {
    when: "a rule of what a session may do without asking cannot be given",
    example: "shell is no rule (give a tool and what it may be called with): write one like " +
      "write_file(notes:*) or shell(git status)",
  },
  "sandbox-missing": {
    when: "this machine cannot run what is asked for in a sandbox",
    example: "--shell needs bubblewrap, which is not installed: `apt install bubblewrap`, " +
      "or --shell docker:<image>@sha256:<digest>",
  },
  "sandbox-option": {
    when: "an option of a sandbox cannot be meant",
    example: "with bubblewrap the network is none, declared or host, not sion-egress",
  },
  "script": {
    when: "a scripted model's file cannot be used",
    example: 'turns.json is no script: it is no JSON: give an array of turns like [{"say": ' +
      '"Hello."}]',
  },
  "session-ambiguous": {
    when: "a beginning of a session's id fits several",
    example: "3f begins the ids of 2 sessions: give more digits",
  },
  "session-busy": {
    when: "another process holds the session",
    example: "session 3ffd3b1fd4d6aa36 is in use by process 4242: wait until it is done, or " +
      "stop it",
  },
  "session-damaged": {
    when: "the session's log cannot be read",
    example: "event 7 (said) of session 3ffd3b1fd4d6aa36 cannot be read: a member is missing",
  },
  "session-lost": {
    when: "another process took the session over",
    example: "session 3ffd3b1fd4d6aa36 was taken over by another process: ask it",
  },
  "session-newer": {
    when: "a newer sion wrote to the session",
    example: "session 3ffd3b1fd4d6aa36 was written to by a newer sion (said 2): update sion",
  },
  "session-unknown": {
    when: "there is no such session here",
    example: "there is no session 3ffd3b1f: `sion agent sessions` lists those there are",
  },
  "skill": {
    when: "a skill, or its bundle, is not as skills are, or asks for what it may not",
    example: "word-count/SKILL.md is no skill's (it does not begin with front matter between --- " +
      "lines): mend it",
  },
  "skill-changed": {
    when: "an installed release of a skill is not what was installed",
    example:
      "the release of skill word-count was changed (scripts/count.py is not the file of its " +
      "bundle), so nothing of it is used: install it again",
  },
  "skill-unknown": {
    when: "there is no skill of that name",
    example:
      "there is no skill word-cuont here, did you mean word-count: `sion skill list` shows " +
      "yours",
  },
  "stalled": {
    when: "sent, and the chain stands still: not known",
    exit: EXIT.unknown,
    example: "the chain has not moved for 60 s, 21e98fa5 was sent and may still execute: ask " +
      "`sion receipt 21e98fa5…8f59`, do not pay again",
  },
  "standing": {
    when: "as agents stand the ledger would refuse it",
    example: "bob does not stand above agent 0d7240c5 (coder), alice does: give the wallet that " +
      "does; nothing was sent",
  },
  "stopping": {
    when: "the node is going down",
    example: "the node is stopping: start it again",
  },
  "store-failed": {
    when: "a store or its folder cannot be read or written",
    example: "the store of validator 1, ~/.sion/devnet/validator-1/node.sqlite, has no room: the " +
      "disk is full: free some space and try again",
  },
  "taken": {
    when: "another transaction of the wallet took its place",
    example: "another transaction of alice took the place of 21e98fa5: make it anew; it cost " +
      "nothing",
  },
  "token-many": {
    when: "no more tokens are kept",
    example: "1000 tokens are kept already: take one back first",
  },
  "token-unknown": {
    when: "the profile has no such token",
    example: "profile lead has no token 5957d62c: `sion agent profile token list` shows them",
  },
  "too-dear": {
    when: "a server asks more than may be paid",
    example: "the server asks 0.25 USD, more than the 0.1 USD this client may pay",
  },
  "too-large": {
    when: "more than the node takes at once",
    example: "the request is over 1 MiB: send less at once",
  },
  "transaction-hex": {
    when: "the text is no signed transaction",
    example: "this is no signed transaction, its text is not lower-case hex: give the hex that " +
      "`sion pay --offline` prints",
  },
  "unconnected": {
    when: "the node follows, and reaches no validator to hand a transaction in at",
    example: "this node is connected to no validator: give another --node, or see to its --peers",
  },
  "unknown-method": {
    when: "the node does not know what it was asked",
    example: "the node knows no method claims: update it",
  },
  "usage": {
    when: "the command line has not the form of the command",
    example: "sion pay needs <amount>: for example `sion pay alice bob 1.5`",
  },
  "waits": {
    when: "a decision is needed first",
    example: "session 3ffd3b1fd4d6aa36 waits for a decision on request e415977a first: give " +
      "--approve or --decline <why>",
  },
  "wallet-busy": {
    when: "other processes hold the wallets' file for long",
    example: "other sion processes keep signing: try again when they are done; nothing was sent",
  },
  "wallet-damaged": {
    when: "a file, or what is imported, holds no seed",
    example: "standard input holds no seed: a seed is 64 hex digits",
  },
  "wallet-exists": {
    when: "there is a wallet of that name",
    example: "there is a wallet alice already, in ~/.sion/wallets/alice: choose another name",
  },
  "wallet-name": {
    when: "a text that cannot be a wallet's name",
    example: '"a b" is no wallet name: use up to 64 letters, digits, - and _',
  },
  "wallet-shadows": {
    when: "a new wallet's name is that of a devnet's wallet",
    example:
      "alice is a wallet with money on every devnet, which a file of that name would stand " +
      "in front of: choose another name, or give --shadow",
  },
  "wallet-unknown": {
    when: "there is no such wallet here",
    example: "there is no wallet alcie here, did you mean alice: `sion wallet list` shows yours",
  },
  "web-lost": {
    when: "a web server gave no whole answer",
    example: "example.com gave no whole answer, it broke off: try again",
  },
  "web-too-large": {
    when: "a web server answers with too much",
    example: "example.com answers with more than 8388608 bytes: ask for less",
  },
  "web-unreachable": {
    when: "no web server answers there",
    example: "example.com cannot be reached, ENOTFOUND: check the URL",
  },
  "withheld": {
    when: "data that a certified Pulse published does not come",
    exit: EXIT.no,
    example: "data that Pulse 213 published is withheld, the share at row 3, column 9 is not " +
      "there: ask another node",
  },
  "workspace": {
    when: "the folder cannot be a workspace",
    example: "the workspace /x and ~/.sion (wallets, sessions, skills) overlap: give a " +
      "workspace apart from it",
  },
};

/** How a thrown value is shown and ends the command. */
export interface ShownError {
  readonly code: string;
  /** Without `error: `. */
  readonly sentence: string;
  readonly exit: number;
}

/** The sentence, code and exit code of an error that callers may meet; `undefined` for a bug. */
export function shownError(error: unknown): ShownError | undefined {
  if (!(error instanceof SionError)) return undefined;
  const { code } = error;
  return { code, sentence: asSentence(messageOf(error)), exit: ERRORS[code]?.exit ?? EXIT.error };
}

/** What lies below an error, outermost first. */
export function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  for (let at = error; at instanceof Error && at.cause !== undefined; at = at.cause) {
    causes.push(messageOf(at.cause));
  }
  return causes;
}

/** What errors for programs begin with; anything else with a capital is a name or was typed. */
const FIRST_WORDS = /^(Cannot|Pages|The|There|Too|Unexpected|Unknown) /;

/** One line that begins with a small letter, unless it begins with a name or an acronym. */
function asSentence(message: string): string {
  const line = message.replaceAll(/\s*\n\s*/g, " ");
  return FIRST_WORDS.test(line) ? line.charAt(0).toLowerCase() + line.slice(1) : line;
}
