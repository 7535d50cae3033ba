import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandText, runCommand, SandboxError } from "#internal/sandbox/mod.ts";
import { isProcessAlive, processId } from "#internal/runtime/mod.ts";
import { needs } from "../parts.ts";
import { answerOf, testPlace, testSandbox } from "./_open.ts";

const LIMIT_MS = 60_000;
/** Longer than any test, and of this process alone: tests beside it have commands that sleep too. */
const SECONDS = 1_000_000 + processId();

describe.skipIf(!needs("bubblewrap", "commands in the sandbox"))("runCommand()", {
  timeout: LIMIT_MS,
}, () => {
  test("answers with the exit status, then each stream that printed anything [A-074 A-075 A-077..A-080]", async () => {
    const sandbox = await testSandbox();
    expect(await answerOf(sandbox, "echo out; echo err >&2; exit 3")).toBe(
      "exit status 3\n--- stdout\nout\n--- stderr\nerr",
    );
    expect(await answerOf(sandbox, "true")).toBe("exit status 0");
    expect(await answerOf(sandbox, "no-such-program")).toMatch(
      /^exit status 127\n--- stderr\n.*no-such-program: not found$/,
    );
    expect(await answerOf(sandbox, "pwd; echo ${0##*/}; echo again > /dev/stderr")).toBe(
      "exit status 0\n--- stdout\n/workspace\nsh\n--- stderr\nagain",
    );
  });

  test("keeps what is written in the workspace, and nothing of /tmp longer than the sandbox [A-096]", async () => {
    const place = testPlace();
    const name = `b-${processId()}.txt`;
    {
      await using sandbox = await testSandbox({}, place);
      await answerOf(sandbox, `echo kept > a.txt; echo gone > /tmp/${name}`);
      expect(existsSync(join("/tmp", name))).toBe(false);
    }
    expect(readFileSync(join(place.workspace, "a.txt"), "utf8")).toBe("kept\n");
    expect(readdirSync(join(place.home, "sandbox"))).toEqual([]);
    expect(await answerOf(await testSandbox({}, place), `cat /tmp/${name}`)).toContain(
      "No such file",
    );
  });

  test("hands a command on to its last byte, whatever is in it", async () => {
    const sandbox = await testSandbox();
    const odd = Array.from({ length: 0x1ff }, (_, index) => String.fromCodePoint(index + 1)).join(
      "",
    );
    const text = `${odd}'"$(echo no)\`echo no\`\\ 😀\u2028\n\n`;
    const end = await runCommand(sandbox, { argv: ["/usr/bin/printf", "%s", text] });
    expect(new TextDecoder().decode(end.stdout.head)).toBe(text);
    const long = "é".repeat(45_000);
    expect(await answerOf(sandbox, `printf %s ${long} | wc -c`)).toBe(
      "exit status 0\n--- stdout\n90000",
    );
    await expect(answerOf(sandbox, "a\0b")).rejects.toThrow("holds a zero byte");
    expect(await answerOf(sandbox, "cat; read -r line || echo empty")).toBe(
      "exit status 0\n--- stdout\nempty",
    );
  });

  test("sees the workspace that is there, though the sandbox was made before it", async () => {
    const place = testPlace();
    const sandbox = await testSandbox({}, place);
    await answerOf(sandbox, "echo old > a.txt");
    rmSync(place.workspace, { recursive: true });
    await expect(answerOf(sandbox, "cat a.txt")).rejects.toThrow(
      "the workspace's folder is gone: make it again",
    );
    mkdirSync(place.workspace);
    writeFileSync(join(place.workspace, "b.txt"), "new\n");
    for (let again = 0; again < 2; again++) {
      expect(await answerOf(sandbox, "ls; cat b.txt")).toBe(
        "exit status 0\n--- stdout\nb.txt\nnew",
      );
    }
  });

  test("does not follow a link that somebody put in the workspace's place [A-076 A-098]", async () => {
    const place = testPlace();
    const sandbox = await testSandbox({}, place);
    await answerOf(sandbox, "true");
    renameSync(place.workspace, `${place.workspace}-moved`);
    symlinkSync(place.home, place.workspace);
    for (const command of [{}, { hosts: [] }]) {
      await expect(runCommand(sandbox, { ...command, argv: ["/bin/ls"] })).rejects.toThrow(
        "the workspace is a link to another folder by now: put its own folder back",
      );
    }
  });

  test("goes on where its output cannot be put aside", async () => {
    const place = testPlace();
    const sandbox = await testSandbox({}, place);
    rmSync(sandbox.outputFolder, { recursive: true });
    writeFileSync(sandbox.outputFolder, "no folder");
    const end = await runCommand(sandbox, {
      argv: ["/bin/sh", "-c", "seq 1 100000; echo done > done.txt"],
      hosts: [],
    });
    expect(end.status).toBe(0);
    expect(commandText(end, sandbox.limits)).toMatch(/… \(\d+ bytes left out\) …/);
    expect(readFileSync(join(place.workspace, "done.txt"), "utf8")).toBe("done\n");
  });

  test("ends the command when what it printed cannot be heard", async () => {
    const place = testPlace();
    const sandbox = await testSandbox({}, place);
    const running = runCommand(
      sandbox,
      { argv: ["/bin/sh", "-c", `echo heard; sleep ${SECONDS}`] },
      {
        onOutput() {
          throw new TypeError("nobody listens");
        },
      },
    );
    await expect(running).rejects.toThrow("nobody listens");
    await sandbox[Symbol.asyncDispose]();
    expect(sleepers()).toEqual([]);
  });

  test("ends a command at its time with all that it started [A-104 A-113]", async () => {
    const place = testPlace();
    const sandbox = await testSandbox({ timeout: "1" }, place);
    const text = await answerOf(
      sandbox,
      `trap '' TERM INT; setsid nohup sh -c 'trap "" TERM; sleep ${SECONDS}' & ` +
        `echo started; sleep ${SECONDS}; echo never`,
    );
    expect(text).toBe(
      "exit status 137 (stopped by the time limit of 1 s, with all that it had started)\n" +
        "--- stdout\nstarted",
    );
    expect(sleepers()).toEqual([]);
  });

  test("ends a command that nobody waits for any more", async () => {
    const sandbox = await testSandbox();
    const controller = new AbortController();
    const running = answerOf(sandbox, `echo started; sleep ${SECONDS}`, {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(await running).toMatch(/^exit status 137 \(stopped: nobody waits for it any more\)/);
    await expect(answerOf(sandbox, "true", { signal: controller.signal })).rejects.toThrow();
  });

  test("ends what runs when it is closed, and leaves no folder behind", async () => {
    const place = testPlace();
    const sandbox = await testSandbox({}, place);
    const running = answerOf(sandbox, `sleep ${SECONDS}`);
    await sandbox[Symbol.asyncDispose]();
    expect(await running).toMatch(/^exit status 137/);
    expect(readdirSync(join(place.home, "sandbox"))).toEqual([]);
  });

  test("keeps 64 KiB of what floods, head and tail, and puts the rest aside [A-108 A-113]", async () => {
    const sandbox = await testSandbox();
    const text = await answerOf(sandbox, "echo first; seq 1 1000000; echo last");
    expect(text.length).toBeLessThan(66_000);
    expect(text).toMatch(/^exit status 0\n--- stdout\nfirst\n1\n2\n/);
    expect(text).toMatch(/\n999999\n1000000\nlast$/);
    const [, left, file = ""] =
      /… \((\d+) bytes left out: read more in (\/output\/\d+\.txt)\) …/.exec(text) ?? [];
    expect(Number(left)).toBeGreaterThan(6_800_000);
    expect(await answerOf(sandbox, `wc -l < ${file}; sed -n 500001p ${file}`)).toBe(
      "exit status 0\n--- stdout\n1000002\n500000",
    );
  });

  test("gives one stream the room that the other does not need", async () => {
    const sandbox = await testSandbox();
    const end = await runCommand(sandbox, {
      argv: [
        "/bin/sh",
        "-c",
        "head -c 60000 /dev/zero | tr '\\0' o; head -c 60000 /dev/zero | tr '\\0' e >&2",
      ],
    });
    const text = commandText(end, sandbox.limits);
    expect(text.split("o").length - 1).toBeGreaterThan(32_000);
    expect(text.length).toBeLessThan(66_000);
  });

  test("says which limit stopped a program [A-105..A-107]", async () => {
    const sandbox = await testSandbox();
    expect(await answerOf(sandbox, "kill -XCPU $$")).toBe(
      "exit status 152 (stopped by the limit of 120 CPU seconds a process)",
    );
    expect(await answerOf(sandbox, "kill -XFSZ $$")).toBe(
      "exit status 153 (stopped by the limit of 512 MiB a file)",
    );
    const memory = "a process has at most 4 GiB of address space here, which some programs need " +
      "more of: --sandbox-memory changes it";
    expect(await answerOf(sandbox, "kill -ABRT $$")).toBe(`exit status 134 (${memory})`);
    expect(await answerOf(sandbox, "perl -e '$x = \"x\" x 5000000000'")).toContain(`(${memory})`);
  });

  test("gives more memory when it is asked for [A-106]", async () => {
    const small = await testSandbox({ memory: "64m" });
    expect(await answerOf(small, "ulimit -v")).toMatch(/\n65536$|\nunlimited$/);
    const large = await testSandbox({ memory: "64g" });
    expect(await answerOf(large, "ulimit -v")).toMatch(/\n67108864$|\nunlimited$/);
  });

  test("shows folders that are given, read-only, their programs first on PATH [A-094 A-114]", async () => {
    const place = testPlace();
    for (const name of ["one", "two"]) {
      mkdirSync(join(place.folder, name, "bin"), { recursive: true });
      writeFileSync(join(place.folder, name, "bin", `${name}-tool`), `#!/bin/sh\necho ${name}\n`, {
        mode: 0o755,
      });
    }
    const read = [join(place.folder, "one"), join(place.folder, "two")];
    const sandbox = await testSandbox({ read }, place);
    expect(await answerOf(sandbox, `one-tool; two-tool; touch ${read[0]}/x`)).toMatch(
      /^exit status 1\n--- stdout\none\ntwo\n--- stderr\n.*Read-only file system$/,
    );
  });

  test("hands variables on without writing them where others can read", async () => {
    const place = testPlace();
    const sandbox = await testSandbox({}, place);
    const running = await sandbox.start({
      argv: ["/bin/sh", "-c", 'read line; echo "$SECRET $line"'],
      env: { SECRET: "s3cret one" },
      input: "pipe",
    });
    const secretly = processArguments().filter((text) => text.includes("s3cret"));
    running.stdin.end("heard\n");
    let text = "";
    for await (const piece of running.stdout) text += String(piece);
    await running.exited;
    expect(text).toBe("s3cret one heard\n");
    expect(secretly).toEqual([]);
    const folder = join(place.home, "sandbox", readdirSync(join(place.home, "sandbox"))[0] ?? "");
    expect(readdirSync(folder).filter((name) => name.startsWith("env"))).toEqual([]);
  });

  test("removes what a runtime left that was killed", async () => {
    const place = testPlace();
    const gone = 4_194_300;
    expect(isProcessAlive(gone)).toBe(false);
    mkdirSync(join(place.home, "sandbox", `${gone}-aaaa`), { recursive: true });
    await testSandbox({}, place);
    expect(readdirSync(join(place.home, "sandbox"))).toHaveLength(1);
    expect(readdirSync(join(place.home, "sandbox"))[0]).not.toContain(String(gone));
  });
});

describe.skipIf(!needs("bubblewrap", "odd machines"))("on an odd machine", () => {
  /** A bash of the test's own, which runs a script first. */
  function openBy(
    place: ReturnType<typeof testPlace>,
    script: string,
  ): ReturnType<typeof testSandbox> {
    const bash = join(place.folder, "bash");
    writeFileSync(bash, `#!/bin/bash\n${script}\nexec /bin/bash "$@"\n`, { mode: 0o755 });
    return testSandbox({}, place, { find: (name) => name === "bash" ? bash : `/usr/bin/${name}` });
  }

  test("a sandbox does without a control group that cannot be joined", async () => {
    const sandbox = await openBy(testPlace(), '[ -z "$5" ] || exit 125');
    expect(await answerOf(sandbox, "id -u")).toBe("exit status 0\n--- stdout\n10001");
  });

  test("commands have a /tmp each where they cannot be put together", async () => {
    const without = await testSandbox({}, testPlace(), {
      find: (name) => name === "nsenter" ? undefined : `/usr/bin/${name}`,
    });
    const place = testPlace();
    const nsenter = join(place.folder, "nsenter");
    writeFileSync(nsenter, "#!/bin/sh\necho no >&2; exit 1\n", { mode: 0o755 });
    const failing = await testSandbox({}, place, {
      find: (name) => name === "nsenter" ? nsenter : `/usr/bin/${name}`,
    });
    for (const sandbox of [without, failing]) {
      expect(await answerOf(sandbox, "echo gone > /tmp/b.txt; cat /tmp/b.txt")).toContain("gone");
      expect(await answerOf(sandbox, "cat /tmp/b.txt")).toContain("No such file");
    }
  });

  test("commands answer alike where no named pipes can be made", async () => {
    const sandbox = await openBy(testPlace(), "export PATH=/nonexistent");
    for (let round = 0; round < 3; round += 1) {
      expect(
        await answerOf(sandbox, `echo ${round} > /dev/stdout; ls /proc/self/fd | xargs; exit 4`),
      )
        .toBe(`exit status 4\n--- stdout\n${round}\n0 1 2 3`);
    }
  });

  test("a limit that cannot be set does not keep commands from running [A-105 A-107]", async () => {
    const sandbox = await openBy(testPlace(), "ulimit -t 7; ulimit -f 100");
    // Root may lift what it was started with, and has the sandbox's own then.
    expect(await answerOf(sandbox, "ulimit -S -t; ulimit -H -t; ulimit -f")).toMatch(
      /^exit status 0\n--- stdout\n(?:7\n7|120\n121)\n\d+$/,
    );
  });

  test("a sandbox that does not start says what was wrong, and leaves nothing [A-145 A-146]", async () => {
    const place = testPlace();
    await expect(openBy(place, "echo odd >&2; exit 3")).rejects.toThrow(
      "the sandbox does not work (odd): mend that, or give --shell docker:<image>@sha256:<digest>",
    );
    expect(readdirSync(join(place.home, "sandbox"))).toEqual([]);
  });
});

describe("openSandbox()", () => {
  test("says that its files cannot be written, and where", async () => {
    const place = testPlace();
    writeFileSync(join(place.home, "sandbox"), "no folder");
    await expect(testSandbox({}, place)).rejects.toThrow(
      /^the sandbox's own files cannot be written in \$SION_HOME\/sandbox \(E\w+\): see whether the disk/,
    );
  });

  const missing = (found: string | undefined, platform = "linux") =>
    testSandbox({}, testPlace(), {
      platform,
      find: (name) => name === found ? undefined : `/usr/bin/${name}`,
    });

  test("says what is not installed and how to get it, before anything runs [A-145 A-146]", async () => {
    await expect(missing("bwrap")).rejects.toThrow(
      "--shell needs bubblewrap, which is not installed: `apt install bubblewrap`, " +
        "or --shell docker:<image>@sha256:<digest>",
    );
    await expect(missing("bash")).rejects.toThrow("needs bash, which is not installed");
    await expect(missing(undefined, "darwin")).rejects.toThrow(
      "bubblewrap is there on Linux only: give --shell docker:<image>@sha256:<digest> " +
        "(Docker or Podman)",
    );
    await expect(missing("bwrap")).rejects.toThrow(SandboxError);
  });
});

/** The arguments of all processes of the machine that this one may see. */
function processArguments(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    } catch {
      return "";
    }
  });
}

function sleepers(): string[] {
  return processArguments().filter((text) => text.startsWith(`sleep ${SECONDS}`));
}
