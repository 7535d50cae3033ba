/** Files that a person sends: taken, put into the workspace, and told to the agent. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { continueSession, runAgent } from "#internal/agent/mod.ts";
import type { SentFile } from "#internal/agent/mod.ts";
import { eventKinds } from "../../internal/agent/events/mod.ts";
import { createFolder } from "../../internal/agent/fold.ts";
import { viewOf } from "../../internal/agent/model_view.ts";
import { cleanName, mediaTypeOf } from "../../internal/agent/given_names.ts";
import { fileLines } from "../../internal/agent/sent_files.ts";
import { AGENT, hearing, scriptOf, testMachine } from "./_machine.ts";
import type { TestMachine } from "./_machine.ts";

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 7);
const file = (name: string, bytes: Uint8Array, mediaType = ""): SentFile => ({
  name,
  mediaType,
  bytes,
});
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A run with files, and the texts that the model was shown of the person. */
async function sent(
  files: readonly SentFile[],
  { workspace = true, prepare = () => {} }: {
    readonly workspace?: boolean;
    readonly prepare?: (work: string) => void;
  } = {},
): Promise<{ machine: TestMachine; session: string; work: string; told: readonly string[] }> {
  const machine = testMachine();
  const work = join(machine.folder, "work");
  mkdirSync(work);
  prepare(work);
  const { session } = await runAgent(machine, {
    wallet: "coder",
    agent: AGENT,
    task: "Look at these.",
    who: "cli:test",
    models: [scriptOf(machine, [{ say: "Yes." }, { say: "Yes." }])],
    files,
    ...(workspace ? { workspace: "work" } : {}),
  }, hearing().listener);
  return { machine, session, work, told: toldIn(machine, session) };
}

function toldIn(machine: TestMachine, session: string): readonly string[] {
  const state = createFolder(eventKinds).fold(session, machine.sessions.read(session));
  return viewOf(state, state.entries).flatMap((one) => one.role === "person" ? [one.text] : []);
}

describe("a file that a person sends", () => {
  test("is put in the workspace's inbox, and the agent told where, in the words of the seed [C-204 C-207..C-210]", async () => {
    const { told, work, machine, session } = await sent([
      file("cart.png", PNG, "text/plain"),
      file("notes.txt", bytesOf("a note")),
    ]);
    expect(told).toEqual([
      "Look at these.\n" +
      "(A picture was sent, put in your workspace as inbox/cart.png: image/png, 9 bytes.)\n" +
      "(A file was sent, put in your workspace as inbox/notes.txt: text/plain, 6 bytes.)",
    ]);
    expect(readFileSync(join(work, "inbox/cart.png"))).toEqual(Buffer.from(PNG));
    expect(readFileSync(join(work, "inbox/notes.txt"), "utf8")).toBe("a note");
    const more = { session, who: "cli:test", say: "", files: [file("a.csv", bytesOf("1,2"))] };
    await continueSession(machine, more, () => {});
    expect(toldIn(machine, session).at(-1)).toBe(
      "(A file was sent, put in your workspace as inbox/a.csv: text/csv, 3 bytes.)",
    );
  });

  test("gets a name that is not taken yet, by whatever it is [C-207]", async () => {
    const { told, work } = await sent(
      ["cart.png", "cart.png", "cart", "cart", "a.png"].map((name) => file(name, PNG)),
      {
        prepare(work) {
          mkdirSync(join(work, "inbox/cart-2.png"), { recursive: true });
          symlinkSync("/etc/passwd", join(work, "inbox/a.png"));
          writeFileSync(join(work, "inbox/cart.png"), "own");
        },
      },
    );
    expect(told[0]?.match(/inbox\/[^:]+/g)).toEqual([
      "inbox/cart-3.png",
      "inbox/cart-4.png",
      "inbox/cart",
      "inbox/cart-2",
      "inbox/a-2.png",
    ]);
    expect(readFileSync(join(work, "inbox/cart.png"), "utf8")).toBe("own");
    expect(readdirSync(join(work, "inbox")).filter((name) => name.startsWith("."))).toEqual([]);
  });

  test("is shown without a workspace when it is a picture, and else named [C-211 C-212]", async () => {
    const { told, machine, session } = await sent([
      file("cart.png", PNG),
      file("../../a.pdf", bytesOf("%PDF"), "application/pdf; charset=x"),
    ], { workspace: false });
    expect(told).toEqual([
      "Look at these.\n(A file was sent that you cannot see: a.pdf, application/pdf, 4 bytes.)",
    ]);
    const state = createFolder(eventKinds).fold(session, machine.sessions.read(session));
    expect(state.pictures).toMatchObject([{ mediaType: "image/png", size: 9, said: 0 }]);
  });

  test("is shown to the model when it is a picture, and else opened by its tools alone [C-234]", async () => {
    const { machine, session, work } = await sent([
      file("cart.png", PNG),
      file("a.pdf", bytesOf("%PDF-1.7"), "application/pdf"),
      file("b.mp4", bytesOf("....ftypisom"), "video/mp4"),
    ]);
    expect(readdirSync(join(work, "inbox"))).toEqual(["a.pdf", "b.mp4", "cart.png"]);
    const state = createFolder(eventKinds).fold(session, machine.sessions.read(session));
    expect(state.pictures.map(({ mediaType }) => mediaType)).toEqual(["image/png"]);
  });

  test("is not taken above 25 MB, and named when it cannot be had [C-213 C-214]", async () => {
    const { told, work } = await sent([
      file("large.bin", new Uint8Array(25_000_001)),
      { name: "gone.jpg", mediaType: "image/jpeg", missing: "gone" },
      file("fits.bin", new Uint8Array(25_000_000)),
    ]);
    expect(told[0]?.split("\n").slice(1)).toEqual([
      "(A file was sent that was not taken, being more than 25 MB: large.bin, 25000001 bytes.)",
      "(A file was sent that could not be fetched: gone.jpg.)",
      "(A file was sent, put in your workspace as inbox/fits.bin: application/octet-stream, " +
      "25000000 bytes.)",
    ]);
    expect(readdirSync(join(work, "inbox"))).toEqual(["fits.bin"]);
  });

  test("is a file like another when it is a picture above 5 MB [C-205 C-219]", async () => {
    const large = new Uint8Array(5_000_001);
    large.set(PNG);
    const { told } = await sent([file("large.png", large)]);
    expect(told[0]).toContain(
      "(A file was sent, put in your workspace as inbox/large.png: image/png, 5000001 bytes.)",
    );
  });

  test("is put nowhere else, whatever the inbox is; the run goes on [C-220]", async () => {
    const { told, machine } = await sent([file("cart.png", PNG), file("a.txt", bytesOf("x"))], {
      prepare(work) {
        mkdirSync(join(work, "../elsewhere"));
        symlinkSync("../elsewhere", join(work, "inbox"));
      },
    });
    expect(told[0]?.split("\n").slice(1)).toEqual([
      "(A picture was sent that could not be put in your workspace: cart.png.)",
      "(A file was sent that could not be put in your workspace: a.txt.)",
    ]);
    expect(readdirSync(join(machine.folder, "elsewhere"))).toEqual([]);
    expect(existsSync(join(machine.folder, "a.txt"))).toBe(false);
  });
});

test("cleanName() leaves no folder, no leading dot, nothing that cannot be seen [C-220]", () => {
  const names: readonly (readonly [given: string, name: string, type?: string])[] = [
    ["cart.png", "cart.png"],
    ["../../.ssh/authorized_keys", "authorized_keys"],
    ["C:\\Users\\me\\cart.png", "cart.png"],
    ["...hidden", "hidden"],
    ["--help", "help"],
    ["a\nb\u0000\u202egnp.exe", "abgnp.exe"],
    ['a<b>:"c"|?*.txt', "a_b___c____.txt"],
    ["e\u0301.txt", "é.txt"],
    ["", "file"],
    ["..", "file.png", "image/png"],
    ["a/", "file.pdf", "application/pdf"],
    [`${"x".repeat(300)}.jpeg`, `${"x".repeat(95)}.jpeg`],
    ["a\ud800b.", "ab"],
    ["Größe 1 (2).pdf", "Größe 1 (2).pdf"],
  ];
  for (const [given, name, type] of names) expect(cleanName(given, type), given).toBe(name);
});

test("mediaTypeOf() goes by a picture's bytes, then by what was said, then by the name [C-205]", () => {
  expect(mediaTypeOf(PNG, "a.txt", "text/plain")).toBe("image/png");
  expect(mediaTypeOf(bytesOf("x"), "a.png", "image/png")).toBe("image/png");
  expect(mediaTypeOf(bytesOf("x"), "a.PDF", "application/octet-stream")).toBe("application/pdf");
  expect(mediaTypeOf(bytesOf("x"), "a", "Text/CSV; header=present")).toBe("text/csv");
  expect(mediaTypeOf(bytesOf("x"), "a", "x\n(A lie.)")).toBe("application/octet-stream");
});

test("fileLines() says nothing of what stands in the message itself", () => {
  expect(fileLines([{ name: "a.txt", mediaType: "text/plain", text: "x", size: 1 }])).toEqual([]);
});
