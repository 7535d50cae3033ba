import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSandboxOptions, sandboxSettings } from "#internal/sandbox/mod.ts";
import { testPlace } from "./_open.ts";

describe("readSandboxOptions()", () => {
  const read = (options: Parameters<typeof readSandboxOptions>[0], place = testPlace()) =>
    readSandboxOptions(options, place);

  test("is bubblewrap without network, for 120 s, with 4 GiB, where nothing is said [A-092 A-104 A-106 A-131]", async () => {
    const settings = await read({});
    expect(settings).toEqual({
      sandbox: "bwrap",
      network: "none",
      read: [],
      timeMs: 120_000,
      memoryBytes: 4_294_967_296,
    });
    expect(sandboxSettings.parse(JSON.parse(JSON.stringify(settings)))).toEqual(settings);
    expect(await read({ sandbox: "" })).toEqual(settings);
  });

  test("takes times in seconds and sizes with their unit", async () => {
    expect(await read({ timeout: "600", memory: "64g" })).toMatchObject({
      timeMs: 600_000,
      memoryBytes: 68_719_476_736,
    });
    expect(await read({ memory: "512MiB" })).toMatchObject({ memoryBytes: 536_870_912 });
    for (const timeout of ["0", "-1", "1.5", "2m", "86401", "", "1e3"]) {
      await expect(read({ timeout })).rejects.toThrow(
        `--sandbox-timeout ${timeout} is no time: give seconds, 1 to 86400`,
      );
    }
    for (const memory of ["4", "0g", "1k", "15m", "2t", "g", "4gg"]) {
      await expect(read({ memory })).rejects.toThrow(
        `--sandbox-memory ${memory} is no size: give one like 8g, 16m to 1t`,
      );
    }
  });

  test("refuses a network that bubblewrap has not [A-123 A-126 A-132]", async () => {
    await expect(read({ network: "sion-egress" })).rejects.toThrow(
      "with bubblewrap the network is none, declared or host, not sion-egress",
    );
    for (const network of ["none", "declared", "host"]) {
      expect(await read({ network })).toMatchObject({ network });
    }
  });

  test("refuses another kind of sandbox", async () => {
    await expect(read({ sandbox: "chroot" })).rejects.toThrow(
      "there is no sandbox chroot: give bwrap or docker:<image>@sha256:<64 hex digits>",
    );
  });

  test("shows folders by where they really are, each once [A-114]", async () => {
    const place = testPlace();
    mkdirSync(join(place.folder, "tools"));
    symlinkSync(join(place.folder, "tools"), join(place.folder, "link"));
    const { read: shown } = await read({ read: ["tools", "link", "./tools/"] }, place);
    expect(shown).toEqual([join(place.folder, "tools")]);
  });

  test("shows nothing of $SION_HOME, wherever its parts are [A-144]", async () => {
    const place = testPlace();
    mkdirSync(join(place.home, "wallets"));
    mkdirSync(join(place.folder, "disk", "wallets"), { recursive: true });
    symlinkSync(place.home, join(place.folder, "link"));
    const kept = [place.home, join(place.folder, "disk", "wallets")];
    for (const folder of [place.home, join(place.home, "wallets"), place.folder, "link", "disk"]) {
      await expect(read({ read: [folder] }, { ...place, kept })).rejects.toThrow(
        /^--sandbox-read .* would show .*home \(wallets, sessions, skills\): give a folder apart from it$/,
      );
    }
  });

  test("shows no folder that is not there, nor the whole system", async () => {
    await expect(read({ read: ["nowhere"] })).rejects.toThrow(
      "there is no folder nowhere: give another --sandbox-read",
    );
    for (const folder of ["/proc", "/proc/self", "/run", "/sys", "/dev/shm"]) {
      await expect(read({ read: [folder] })).rejects.toThrow("would show the whole system");
    }
  });
});
