/** Containers: how Docker is asked, always; and what holds in one, where Podman is. */
import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readSandboxOptions, runCommand } from "#internal/sandbox/mod.ts";
import type { Sandbox, SandboxOptions } from "#internal/sandbox/mod.ts";
import { processId, userId } from "#internal/runtime/mod.ts";
import { dockerArguments } from "../../internal/sandbox/backends/_docker_arguments.ts";
import { needs, partPath } from "../parts.ts";
import { fakeDocker, IMAGE } from "./_fake_docker.ts";
import type { FakeDocker } from "./_fake_docker.ts";
import { answerOf, testPlace, testSandbox } from "./_open.ts";
import type { TestPlace } from "./_open.ts";

const LIMIT_MS = 120_000;
const DOCKER = `docker:${IMAGE}`;

describe("the options of a container", () => {
  const read = (options: SandboxOptions) => readSandboxOptions(options, testPlace());

  test("are an image by its digest, and nothing that only looks like one [A-093 A-116 A-133]", async () => {
    expect(await read({ sandbox: DOCKER })).toMatchObject({ sandbox: DOCKER, network: "none" });
    const images = [
      "alpine:3.20",
      "alpine",
      "a@sha256:d9",
      `a@sha256:${"D9".repeat(32)}`,
      "",
      `--privileged@sha256:${"d9".repeat(32)}`,
    ];
    for (const image of images) {
      await expect(read({ sandbox: `docker:${image}` })).rejects.toThrow(
        `${image} is not pinned by digest: give name@sha256:<64 hex digits>`,
      );
    }
  });

  test("refuse networks that restrict nothing [A-128..A-130 A-134 A-135 A-606]", async () => {
    for (const network of ["bridge", "host"]) {
      await expect(read({ sandbox: DOCKER, network })).rejects.toThrow(
        `Docker's "${network}" network does not restrict where a command connects: ` +
          "name a network you set up",
      );
    }
    for (
      const network of ["default", "slirp4netns", "container:x", "declared", "--privileged", ""]
    ) {
      await expect(read({ sandbox: DOCKER, network })).rejects.toThrow();
    }
    expect(await read({ sandbox: DOCKER, network: "sion-egress" })).toMatchObject({
      network: "sion-egress",
    });
  });
});

test("dockerArguments() gives a command the workspace, a bounded /tmp and no rights [A-095..A-097 A-099 A-101 A-103 A-109..A-112 A-117 A-122]", () => {
  const folder = testPlace();
  const view = {
    name: "sion-1",
    owner: "7@here",
    image: IMAGE,
    network: "none",
    limits: { timeMs: 120_000, memoryBytes: 4 * 2 ** 30 },
    workspace: folder.workspace,
    outputFolder: folder.home,
    read: [],
    user: { uid: 1000, gid: 1001 },
    isPodman: false,
    isRootless: false,
  };
  const words = dockerArguments(view, { argv: ["/bin/sh", "-c", "id"] }).join(" ");
  for (
    const part of [
      "run --rm --pull never --name sion-1 --label sion-sandbox=1 ",
      "--network none",
      "--cap-drop ALL --security-opt no-new-privileges --read-only",
      "--tmpfs /tmp:rw,nosuid,nodev,size=268435456",
      "--memory 4294967296b --memory-swap 4294967296b --pids-limit 256 --cpus 2",
      "--ulimit cpu=120:121 --ulimit fsize=536870912 --ulimit core=0",
      "--user 1000:1001",
      `--volume ${folder.workspace}:/workspace --volume ${folder.home}:/output:ro`,
      "--workdir /workspace",
      `--entrypoint /bin/sh ${IMAGE} -c id`,
    ]
  ) expect(words).toContain(part);
  expect(words).not.toMatch(/privileged |--interactive|--cap-add|docker\.sock/);
  const odd = join(folder.folder, 'a:b,"c');
  mkdirSync(odd);
  expect(dockerArguments({ ...view, workspace: odd }, { argv: ["/bin/sh"] })).toContain(
    `"type=bind","source=${odd.replaceAll('"', '""')}","target=/workspace"`,
  );
});

describe("a sandbox by a recorded docker", { timeout: LIMIT_MS }, () => {
  const open = (
    docker: FakeDocker,
    place: TestPlace,
    options: SandboxOptions = {},
  ): Promise<Sandbox> =>
    testSandbox({ sandbox: DOCKER, ...options }, place, {
      find: (name) => name === "docker" ? docker.file : undefined,
    });

  test("asks for image and network before a trial, and never pulls [A-115 A-117 A-145]", async () => {
    const place = testPlace();
    const docker = fakeDocker(place.folder);
    const sandbox = await open(docker, place, { network: "sion-egress" });
    expect(sandbox.online).toBe(true);
    expect(docker.asked().map(([first, second]) => `${first} ${second}`)).toEqual([
      "version undefined",
      "image inspect",
      "network inspect",
      "ps --all",
      "run --rm",
    ]);
    expect(docker.asked().flat().filter((word) => word === "pull")).toEqual([]);
    expect(await answerOf(sandbox, "echo in; exit 5")).toBe("exit status 5\n--- stdout\nin");
    const run = docker.asked().at(-1) ?? [];
    const { uid, gid } = statSync(place.workspace);
    expect(run[run.indexOf("--user") + 1]).toBe(`${uid}:${gid}`);
  });

  test("removes the container of what it ends [A-113 A-122]", async () => {
    const place = testPlace();
    const docker = fakeDocker(place.folder);
    const sandbox = await open(docker, place, { timeout: "1" });
    expect(await answerOf(sandbox, "echo up; sleep 600")).toBe(
      "exit status 137 (stopped by the time limit of 1 s, with all that it had started)\n" +
        "--- stdout\nup",
    );
    expect(docker.asked().filter(([first]) => first === "rm")).toHaveLength(2);
  });

  test("removes containers of runtimes that are gone, of this machine only [A-122 A-605]", async () => {
    const place = testPlace();
    const docker = fakeDocker(place.folder);
    const here = hostname();
    docker.left(
      `aa11 4194300@${here}\nbb22 ${processId()}@${here}\ncc33 4194300@elsewhere\ndd44 \n`,
    );
    await open(docker, place);
    expect(docker.asked().filter(([first]) => first === "rm")).toEqual([["rm", "--force", "aa11"]]);
  });

  test("goes to Podman where Docker does not answer, and says so in a line", async () => {
    const place = testPlace();
    const docker = fakeDocker(place.folder);
    docker.stop();
    const other = testPlace();
    const podman = fakeDocker(other.folder, "podman");
    const said: string[] = [];
    const sandbox = await testSandbox({ sandbox: DOCKER }, place, {
      find: (name) => (name === "docker" ? docker : podman).file,
      notice: (text) => said.push(text),
    });
    expect(said).toEqual([
      "docker does not answer (Cannot connect to the Docker daemon): podman runs the commands",
    ]);
    expect(await answerOf(sandbox, "echo in")).toBe("exit status 0\n--- stdout\nin");
    expect(docker.asked()).toEqual([["version"]]);
  });

  test("says what is missing [A-115 A-134 A-146]", async () => {
    const place = testPlace();
    const docker = fakeDocker(place.folder);
    const other = `docker:other@sha256:${"aa".repeat(32)}`;
    await expect(open(docker, place, { sandbox: other })).rejects.toThrow(
      /^the image other@sha256:a+ is not on this machine, and none is fetched for a command: `docker pull other@/,
    );
    await expect(open(docker, place, { network: "nowhere" })).rejects.toThrow(
      "there is no Docker network nowhere: `docker network create nowhere`",
    );
    // The bridge by its id.
    await expect(open(docker, place, { network: "f00d" })).rejects.toThrow(
      `Docker's "bridge" network does not restrict where a command connects`,
    );
    docker.stop();
    await expect(open(docker, place)).rejects.toThrow(
      "docker does not answer (Cannot connect to the Docker daemon): start it, or see who may use it",
    );
    const none = testSandbox({ sandbox: DOCKER }, place, { find: () => undefined });
    await expect(none).rejects.toThrow("needs Docker or Podman, and neither is installed");
    expect(readdirSync(join(place.home))).toEqual([]);
  });
});

describe.skipIf(!needs("podman", "what holds in a container"))("a sandbox by Podman", {
  timeout: LIMIT_MS,
}, () => {
  /** A podman with stores of its own, and an image of Debian's static busybox in it. */
  function podmanIn(place: TestPlace): { file: string; image: string } {
    const file = join(place.folder, "podman");
    const stores = ["--root", join(place.folder, "store"), "--runroot", join(place.folder, "run")];
    const args = [...stores, "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs"];
    const words = [partPath("podman"), ...args].map((word) => `'${word}'`).join(" ");
    writeFileSync(file, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
    onTestFinished(() => void execFileSync(file, ["rm", "--all", "--force"], { stdio: "ignore" }));
    const root = join(place.folder, "root");
    mkdirSync(join(root, "bin"), { recursive: true });
    execFileSync("cp", ["/bin/busybox", join(root, "bin", "busybox")]);
    for (
      const name of [
        "sh",
        "cat",
        "cut",
        "df",
        "echo",
        "grep",
        "head",
        "id",
        "ls",
        "seq",
        "sleep",
        "tail",
        "touch",
        "wget",
      ]
    ) {
      symlinkSync("busybox", join(root, "bin", name));
    }
    const archive = join(place.folder, "root.tar");
    execFileSync("tar", ["-C", root, "-cf", archive, "."]);
    execFileSync(file, ["import", archive, "localhost/sion-test:1"], { stdio: "ignore" });
    const format = ["--format", "{{.Digest}}", "localhost/sion-test:1"];
    const digest = execFileSync(file, ["image", "inspect", ...format], { encoding: "utf8" }).trim();
    return { file, image: `localhost/sion-test@${digest}` };
  }

  test("runs as the workspace's owner, with nothing to write but the workspace and /tmp [A-095..A-097 A-099 A-101 A-103 A-110..A-112 A-118 A-120]", async () => {
    const place = testPlace();
    const { file, image } = podmanIn(place);
    const isRoot = userId() === 0;
    if (isRoot) chownSync(place.workspace, 2000, 2000);
    writeFileSync(join(place.workspace, "hello.txt"), "from the workspace\n");
    const find = (name: string) => name === "podman" ? file : undefined;
    const sandbox = await testSandbox({ sandbox: `docker:${image}` }, place, { find });
    const { stdout, status } = await runCommand(sandbox, {
      argv: [
        "/bin/sh",
        "-c",
        "id -u; cat hello.txt; echo made > made.txt; echo t > /tmp/t; " +
        "for at in / /bin /run /var/tmp /output; do touch $at/x 2>/dev/null && echo wrote $at; done; " +
        "df -k /tmp | tail -n 1 | grep -o '262144 '; grep -c ':' /proc/net/dev; " +
        "grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status | cut -f2; " +
        "ls /workspace/../home /root 2>/dev/null; ulimit -t; " +
        "tail -n +2 /proc/net/route | grep -c .",
      ],
    });
    const uid = isRoot ? 2000 : userId();
    expect(new TextDecoder().decode(stdout.head).split("\n")).toEqual([
      `${uid}`,
      "from the workspace",
      "262144 ",
      "1",
      "0000000000000000",
      "1",
      "2",
      "120",
      "0",
      "",
    ]);
    // The last command counts no route.
    expect(status).toBe(1);
    expect(statSync(join(place.workspace, "made.txt"))).toMatchObject({ uid, size: 5 });
  });

  test("reaches no name of the network's, and tells as busybox does [A-103 A-121]", async () => {
    const place = testPlace();
    const { file, image } = podmanIn(place);
    const sandbox = await testSandbox({ sandbox: `docker:${image}` }, place, {
      find: (name) => name === "podman" ? file : undefined,
    });
    expect(await answerOf(sandbox, "wget -q -O- http://example.com")).toBe(
      "exit status 1\n--- stderr\nwget: bad address 'example.com'",
    );
  });

  test("leaves no container, whether a command ends or is ended [A-113 A-122]", async () => {
    const place = testPlace();
    const { file, image } = podmanIn(place);
    const find = (name: string) => name === "podman" ? file : undefined;
    if (userId() === 0) chownSync(place.workspace, 2000, 2000);
    const options = { sandbox: `docker:${image}` };
    const sandbox = await testSandbox(options, place, { find });
    expect(await answerOf(sandbox, "seq 1 20000")).toContain("read more in /output/1.txt");
    expect(await answerOf(sandbox, "head -n 10000 /output/1.txt | tail -n 1")).toBe(
      "exit status 0\n--- stdout\n10000",
    );
    expect(await answerOf(sandbox, "sleep 600", { timeMs: 2_000 })).toMatch(
      /^exit status 137 \(stopped by the time/,
    );
    expect(execFileSync(file, ["ps", "--all", "--quiet"], { encoding: "utf8" })).toBe("");
  });
});
