/**
 * Markdown as a model writes it, shown as it comes: whole lines are styled, the line that is being
 * written is shown as it stands. The words stay as they are, so that what is copied is what was said;
 * only marks that styling replaces are left out.
 */
import { escapeControls } from "#internal/core/mod.ts";

/** How a piece looks; a terminal without colour gives the text back. */
export interface MarkdownLook {
  bold(text: string): string;
  italic(text: string): string;
  dim(text: string): string;
}

/** A line as it is shown. */
export interface ShownLine {
  readonly text: string;
  /** Whether it may be wrapped between words; code and tables may not. */
  readonly wraps: boolean;
}

/** Turns a stream of Markdown into lines. */
export interface MarkdownStream {
  /** Takes more of the text and gives the lines that it completes. */
  push(text: string): ShownLine[];
  /** The line that is being written, unstyled; empty between lines. */
  readonly open: string;
  /** Ends the text: what was open is a line. */
  end(): ShownLine[];
}

/** A stream at the beginning of a text. Control characters in it are shown, never obeyed. */
export function createMarkdown(look: MarkdownLook): MarkdownStream {
  let open = "";
  let fence: string | undefined;

  function line(text: string): ShownLine {
    const escaped = escapeControls(text);
    const inFence = fence !== undefined;
    const looked = styledLine(escaped);
    return { text: looked, wraps: !inFence && fence === undefined && !/^\s*\|/.test(escaped) };
  }

  function styledLine(escaped: string): string {
    const mark = /^\s*(```+|~~~+)/.exec(escaped)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && /^\s*[`~]+\s*$/.test(escaped)) fence = undefined;
      return look.dim(escaped);
    }
    if (mark !== undefined) {
      fence = mark;
      return look.dim(escaped);
    }
    const heading = /^(#{1,6})\s+(.*)$/.exec(escaped);
    if (heading !== null) return look.bold(inline(heading[2] ?? "", plainLook));
    const quote = /^(\s*>\s?)(.*)$/.exec(escaped);
    if (quote !== null) return look.dim(quote[1] + inline(quote[2] ?? "", plainLook));
    const item = /^(\s*(?:[-*+]|\d+[.)])\s+)(.*)$/.exec(escaped);
    if (item !== null) return (item[1] ?? "") + inline(item[2] ?? "", look);
    return inline(escaped, look);
  }

  return {
    get open() {
      return escapeControls(open);
    },
    push(text) {
      const lines = (open + text).split("\n");
      open = lines.pop() ?? "";
      return lines.map(line);
    },
    end() {
      const rest = open;
      open = "";
      const out = rest === "" ? [] : [line(rest)];
      fence = undefined;
      return out;
    },
  };
}

const plainLook: MarkdownLook = {
  bold: (text) => text,
  italic: (text) => text,
  dim: (text) => text,
};

/** Code, strong, emphasis and links of one line. A link's address always shows. */
const INLINE =
  /(`+)(.+?)\1(?!`)|\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<![*\w])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![*\w])|\[([^\]]+)\]\(([^)\s]+)\)/g;

function inline(text: string, look: MarkdownLook): string {
  return text.replaceAll(
    INLINE,
    (
      whole: string,
      _ticks: string | undefined,
      code: string | undefined,
      strong: string | undefined,
      emphasis: string | undefined,
      label: string | undefined,
      address: string | undefined,
    ) => {
      if (code !== undefined) return look.bold(code);
      if (strong !== undefined) return look.bold(strong);
      if (emphasis !== undefined) return look.italic(emphasis);
      if (label !== undefined) return label === address ? label : `${label} (${address})`;
      return whole;
    },
  );
}
