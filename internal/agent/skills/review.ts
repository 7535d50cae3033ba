/** What a skill may do, for whoever decides whether it may: every line from its files, none from its words. */
import { escapeLine } from "#internal/core/mod.ts";
import type { Asks, Declaration } from "./declaration.ts";
import type { SkillFile } from "./files.ts";
import { scriptInterpreter } from "./interpreter.ts";

/** What nobody sees in a text, and a model reads: zero width, direction, tags; not what joins emoji. */
const UNSEEN =
  /(?!^\uFEFF)[\u200B\u200C\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu;

/** What is to be reviewed. */
export interface Reviewed {
  readonly declaration: Declaration;
  readonly files: readonly SkillFile[];
  /** Of an installed release or a bundle. */
  readonly digest?: string;
  /** What is granted already; missing for what is not here yet. */
  readonly granted?: Asks;
}

/** One script and what runs it. */
export interface ReviewedScript {
  readonly path: string;
  readonly interpreter: string;
}

/** The scripts of a skill. */
export function scriptsOf(files: readonly SkillFile[]): readonly ReviewedScript[] {
  return files.flatMap((file) => {
    const words = scriptInterpreter(file);
    return words === undefined ? [] : [{ path: file.path, interpreter: words.join(" ") }];
  });
}

/** The review as lines. */
export function reviewLines({ declaration, files, digest, granted }: Reviewed): readonly string[] {
  const { name, description, license, hosts, secrets, preApproved, passedOver } = declaration;
  const scripts = scriptsOf(files);
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const mark = (of: (asks: Asks) => readonly string[], one: string): string =>
    granted === undefined ? "" : of(granted).includes(one) ? " (granted)" : " (not granted)";
  const asked = (what: string, of: (asks: Asks) => readonly string[]): readonly string[] =>
    of({ hosts, secrets, preApproved }).map((one) => `  ${what} ${one}${mark(of, one)}`);
  return [
    `skill ${name}${digest === undefined ? "" : `, release ${digest}`}`,
    `says of itself: ${escapeLine(description)}`,
    ...(license === undefined ? [] : [`licence: ${escapeLine(license)}`]),
    `${files.length} ${files.length === 1 ? "file" : "files"}, ${bytes} bytes` +
    (scripts.length === 0 ? ", no scripts" : ""),
    ...scripts.map(({ path, interpreter }) =>
      `  script ${escapeLine(path)} (${escapeLine(interpreter)})`
    ),
    ...(scripts.length === 0 ? ["may: add its instructions to what the model reads"] : [
      "may: add its instructions to what the model reads; run its scripts in the session's sandbox, " +
      "which read and write the workspace",
    ]),
    ...unseenIn(declaration.text),
    ...asked("reach", (asks) => asks.hosts),
    ...asked("get the secret", (asks) => asks.secrets),
    ...asked("without asking:", (asks) => asks.preApproved),
    ...passedOver.map((word) => `  (no rule here, so it means nothing: ${escapeLine(word)})`),
  ];
}

function unseenIn(text: string): readonly string[] {
  const count = text.match(UNSEEN)?.length ?? 0;
  return count === 0
    ? []
    : [`  its instructions hold ${count} characters that are not seen, which a model reads`];
}

/** Whether a skill asks for anything that is to be granted. */
export function asksForMore({ hosts, secrets, preApproved }: Asks): boolean {
  return hosts.length + secrets.length + preApproved.length > 0;
}
