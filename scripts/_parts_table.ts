/** Programs of the system that tests drive as they are, where Debian has them and what they are for. */
import { readFileSync } from "node:fs";
import { filesBelow, which } from "./_project.ts";

/** One program of the system. */
export type Part = {
  readonly name: string;
  /** Debian packages that bring it. */
  readonly packages: readonly string[];
  /** Any of these on PATH means that it is there. */
  readonly programs: readonly string[];
  readonly use: string;
};

/** All parts; a new one is one entry here. */
export const PARTS = [
  {
    name: "bubblewrap",
    packages: ["bubblewrap"],
    programs: ["bwrap"],
    use: "the sandbox of the shell, of MCP servers and of skills",
  },
  {
    name: "cargo",
    packages: ["cargo"],
    programs: ["cargo"],
    use: "Rust projects under an agent's hands",
  },
  {
    name: "chromium",
    packages: ["chromium"],
    programs: ["chromium"],
    use: "the web pages in a real browser",
  },
  {
    name: "go",
    packages: ["golang-go"],
    programs: ["go"],
    use: "Go projects under an agent's hands",
  },
  {
    name: "iproute",
    packages: ["iproute2"],
    programs: ["ip"],
    use: "nodes as processes in networks of their own",
  },
  {
    name: "keyring",
    packages: ["gnome-keyring", "libsecret-tools", "dbus"],
    programs: ["secret-tool"],
    use: "the key of kept credentials in the system's keyring",
  },
  {
    name: "make",
    packages: ["make"],
    programs: ["make"],
    use: "projects with a makefile under an agent's hands",
  },
  {
    name: "podman",
    packages: ["busybox-static", "podman", "runc", "uidmap"],
    programs: ["podman"],
    use: "the shell in a container",
  },
  {
    name: "mounts",
    packages: ["util-linux", "mount"],
    programs: ["unshare"],
    use: "disks that are full",
  },
  {
    name: "python",
    packages: ["python3", "python3-pytest"],
    programs: ["pytest-3"],
    use: "Python projects under an agent's hands",
  },
  {
    name: "poppler",
    packages: ["poppler-utils"],
    programs: ["pdftotext"],
    use: "PDF documents from the web as text",
  },
  {
    name: "searx",
    packages: ["searx"],
    programs: ["searx-run"],
    use: "searches of the web by an instance of one's own",
  },
  { name: "tmux", packages: ["tmux"], programs: ["tmux"], use: "programs at a real terminal" },
] as const satisfies readonly Part[];

/** The name of a part. */
export type PartName = (typeof PARTS)[number]["name"];

/** The part of that name, or `undefined`. */
export function partNamed(name: string): Part | undefined {
  return PARTS.find((part) => part.name === name);
}

/** The file of a part's program, or `undefined` where it is missing. */
export function findPart(part: Part): string | undefined {
  for (const program of part.programs) {
    const file = which(program);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** The parts that a test declares with `needs("NAME", …)`, in the table's order. */
export function partsOfTests(): Part[] {
  const declared = new Set<string>();
  for (const file of filesBelow("test", ".test.ts")) {
    for (const match of readFileSync(file, "utf8").matchAll(/\bneeds\("([a-z]+)"/g)) {
      declared.add(match[1] ?? "");
    }
  }
  return PARTS.filter((part) => declared.has(part.name));
}
