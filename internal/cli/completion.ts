/**
 * Shell completion from the command data. Wallet names come from their folder, without a process; at
 * a node of this machine, which is a devnet more often than not, those with money there too.
 */
import { DEVNET_NAMES } from "#internal/rpc/mod.ts";
import type { AnyCommand, Arguments, Reader } from "./command.ts";
import { allFlags, flagName } from "./command.ts";

/** The shells there is a script for. */
export type Shell = "bash" | "zsh" | "fish";

/** What stands for a value that is no word of its own. */
type Offer = "wallets" | "profiles" | "profiles-wallets" | "files" | readonly string[] | undefined;

/** What completes after the words of a command, or of the beginning of one. */
interface Node {
  readonly path: string;
  readonly words: readonly string[];
  readonly options: readonly string[];
  /** What each argument offers, in order. */
  readonly arguments: readonly Offer[];
  /** What the value of an option offers. */
  readonly values: ReadonlyMap<string, Offer>;
}

/** The script that a shell reads. */
export function completionScript(shell: Shell, commands: readonly AnyCommand[]): string {
  const nodes = nodesOf(commands);
  if (shell === "fish") return fishScript(nodes);
  return shell === "bash" ? bashScript(nodes) : zshScript(nodes);
}

function nodesOf(commands: readonly AnyCommand[]): readonly Node[] {
  const words = new Map<string, Set<string>>([["", new Set(["help"])]]);
  for (const { path } of commands) {
    const parts = path.split(" ");
    parts.forEach((part, at) => {
      const group = parts.slice(0, at).join(" ");
      words.set(group, (words.get(group) ?? new Set()).add(part));
    });
  }
  const groups = [...words].map(([path, below]): Node => ({
    path,
    words: [...below].sort(),
    options: ["--help", ...(path === "" ? ["--version"] : [])],
    arguments: [],
    values: new Map(),
  }));
  const leaves = commands.map((command): Node => {
    const flags = Object.entries(allFlags(command));
    return {
      path: command.path,
      words: [],
      options: [...flags.map(([name]) => flagName(name)), "--help"],
      arguments: Object.values(command.args as Arguments).map(({ reader }) => offerOf(reader)),
      values: new Map(
        flags.filter(([, { reader }]) => reader !== undefined)
          .map(([name, { reader }]) => [flagName(name), offerOf(reader)]),
      ),
    };
  });
  return [...groups, ...leaves];
}

function offerOf(reader: Reader<unknown> | undefined): Offer {
  return reader?.offers;
}

const PROFILES = 'ls -1 "${SION_HOME:-$HOME/.sion}/agents/profiles" 2>/dev/null' +
  " | sed -n 's/\\.json$//p'";
const WALLETS = 'ls -1 "${SION_HOME:-$HOME/.sion}/wallets" 2>/dev/null';

function bashScript(nodes: readonly Node[]): string {
  return `# Completion of sion in bash. Made by \`sion completion bash\`.
_sion() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path="" at=1 words n
  local arguments count=0
  while [ "$at" -lt "$COMP_CWORD" ]; do
    case " $(_sion_below "$path") " in
      *" \${COMP_WORDS[at]} "*) path="\${path:+$path }\${COMP_WORDS[at]}" ;;
      *) break ;;
    esac
    at=$((at + 1))
  done
  case "$(_sion_value "$path" "$prev")" in
    wallets) COMPREPLY=($(compgen -W "$(_sion_wallets)" -- "$cur")); return ;;
    profiles) COMPREPLY=($(compgen -W "$(_sion_profiles)" -- "$cur")); return ;;
    files) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    text) COMPREPLY=(); return ;;
    ?*) COMPREPLY=($(compgen -W "$(_sion_value "$path" "$prev")" -- "$cur")); return ;;
  esac
  if [ "\${cur#-}" != "$cur" ]; then
    COMPREPLY=($(compgen -W "$(_sion_options "$path")" -- "$cur"))
    return
  fi
  words="$(_sion_below "$path")"
  if [ -n "$words" ]; then
    if [ "$at" -eq "$COMP_CWORD" ]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); fi
    return
  fi
  for ((n = at; n < COMP_CWORD; n++)); do
    case "\${COMP_WORDS[n]}" in
      -*) [ -n "$(_sion_value "$path" "\${COMP_WORDS[n]}")" ] && n=$((n + 1)) ;;
      *) count=$((count + 1)) ;;
    esac
  done
  arguments="$(_sion_argument "$path" "$count")"
  case "$arguments" in
    wallets) COMPREPLY=($(compgen -W "$(_sion_wallets)" -- "$cur")) ;;
    profiles) COMPREPLY=($(compgen -W "$(_sion_profiles)" -- "$cur")) ;;
    profiles-wallets)
      COMPREPLY=($(compgen -W "$(_sion_profiles; _sion_wallets)" -- "$cur")) ;;
    files) COMPREPLY=($(compgen -f -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$arguments" -- "$cur")) ;;
  esac
}
_sion_profiles() {
  ${PROFILES}
}
_sion_wallets() {
  ${WALLETS}
  case "\${SION_NODE:-localhost}" in
    *localhost* | *127.* | *"[::1]"*) printf '%s\\n' ${DEVNET_NAMES.join(" ")} ;;
  esac
}
${
    caseFunction(
      "_sion_below",
      nodes.filter(({ words }) => words.length > 0),
      ({ words }) => words.join(" "),
    )
  }
${caseFunction("_sion_options", nodes, ({ options }) => options.join(" "))}
_sion_value() {
  case "$1 $2" in
${
    nodes.flatMap(({ path, values }) =>
      [...values].map(([option, offer]) =>
        `    "${path} ${option}") echo "${wordsOf(offer, "text")}" ;;`
      )
    ).join("\n")
  }
  esac
}
_sion_argument() {
  case "$1 $2" in
${
    nodes.flatMap(({ path, arguments: offers }) =>
      offers.flatMap((offer, at) =>
        offer === undefined ? [] : [`    "${path} ${at}") echo "${wordsOf(offer, "")}" ;;`]
      )
    ).join("\n")
  }
  esac
}
complete -F _sion sion
`;
}

/** zsh runs bash's script under its own compatibility layer. */
function zshScript(nodes: readonly Node[]): string {
  return `#compdef sion
# Completion of sion in zsh. Made by \`sion completion zsh\`.
autoload -U +X bashcompinit && bashcompinit
${bashScript(nodes).split("\n").slice(1).join("\n")}`;
}

function fishScript(nodes: readonly Node[]): string {
  const lines = nodes.flatMap((node) => {
    const parts = node.path === "" ? [] : node.path.split(" ");
    const at = `__sion_at ${parts.join(" ")}`.trim();
    const words = node.words.map((word) => `complete -c sion -f -n '${at}' -a '${word}'`);
    const options = node.options.map((option) => {
      const offer = node.values.get(option);
      const value = node.values.has(option) ? ` -x${fishOffer(offer)}` : "";
      return `complete -c sion -n '${at} --' -l ${option.slice(2)}${value}`;
    });
    const offered = [...new Set(node.arguments.map((offer) => fishOffer(offer)))];
    const values = offered.filter((offer) => offer !== "")
      .map((offer) => `complete -c sion -f -n '${at} --'${offer}`);
    return [...words, ...options, ...values];
  });
  return `# Completion of sion in fish. Made by \`sion completion fish\`.
function __sion_profiles
  set -l home $SION_HOME
  test -n "$home"; or set home $HOME/.sion
  ls -1 $home/agents/profiles 2>/dev/null | sed -n 's/\\.json$//p'
end
function __sion_wallets
  set -l home $SION_HOME
  test -n "$home"; or set home $HOME/.sion
  ls -1 $home/wallets 2>/dev/null
  string match -qr '^$|localhost|127\\.|\\[::1\\]' -- "$SION_NODE"; and printf '%s\\n' ${
    DEVNET_NAMES.join(" ")
  }
end
# True when the words so far are these, with more after them only if the last argument is --.
function __sion_at
  set -l words (commandline -opc)[2..-1]
  set -l wanted $argv
  set -l more 0
  if test (count $wanted) -gt 0; and test "$wanted[-1]" = --
    set -e wanted[-1]
    set more 1
  end
  test (count $words) -ge (count $wanted); or return 1
  for at in (seq (count $wanted))
    test "$words[$at]" = "$wanted[$at]"; or return 1
  end
  test $more -eq 1; or test (count $words) -eq (count $wanted)
end
${lines.join("\n")}
`;
}

function fishOffer(offer: Offer): string {
  if (offer === undefined) return "";
  if (offer === "wallets") return " -a '(__sion_wallets)'";
  if (offer === "profiles") return " -a '(__sion_profiles)'";
  if (offer === "profiles-wallets") return " -a '(__sion_profiles; __sion_wallets)'";
  return offer === "files" ? " -F" : ` -a '${offer.join(" ")}'`;
}

function wordsOf(offer: Offer, none: string): string {
  if (offer === undefined) return none;
  return typeof offer === "string" ? offer : offer.join(" ");
}

function caseFunction(
  name: string,
  nodes: readonly Node[],
  words: (node: Node) => string,
): string {
  const cases = nodes.map((node) => `    "${node.path}") echo "${words(node)}" ;;`);
  return `${name}() {\n  case "$1" in\n${cases.join("\n")}\n  esac\n}`;
}
