import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemRandom } from "#internal/runtime/mod.ts";
import { openProfiles, openProfileTokens } from "#internal/store/mod.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "sion-profiles-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const LEAD = {
  name: "lead",
  wallet: "coder",
  agent: "d8".repeat(32),
  options: { autonomy: "L5", model: ["script:/a.json"], memory: true as const },
};
const mode = (path: string) => statSync(join(home, path)).mode & 0o777;
const TOKEN_FILE = "agents/tokens.json";

describe("openProfiles()", () => {
  test("keeps profiles as files that their owner alone can read [A-589 A-590]", async () => {
    const profiles = openProfiles(home);
    expect(await profiles.list()).toEqual([]);
    await profiles.add(LEAD);
    await profiles.add({ ...LEAD, name: "Aide-2" });
    expect((await profiles.list()).map(({ name }) => name)).toEqual(["Aide-2", "lead"]);
    expect(await profiles.get("lead")).toEqual(LEAD);
    expect([mode("agents/profiles/lead.json"), mode("agents/profiles")]).toEqual([0o600, 0o700]);
    const { name: _name, ...kept } = LEAD;
    expect(JSON.parse(readFileSync(join(home, "agents/profiles/lead.json"), "utf8"))).toEqual({
      version: 1,
      ...kept,
    });
    await expect(profiles.add(LEAD)).rejects.toMatchObject({ code: "profile-exists" });
    const changed = { ...LEAD, options: { autonomy: "L2" } };
    expect(await profiles.change("lead", () => Promise.resolve(changed))).toEqual(changed);
    expect(await profiles.get("lead")).toEqual(changed);
    await expect(profiles.change("lead", () => Promise.reject(new Error("no")))).rejects.toThrow(
      "no",
    );
    expect(await profiles.get("lead")).toEqual(changed);
    expect([await profiles.remove("lead"), await profiles.remove("lead")]).toEqual([true, false]);
    await expect(profiles.get("lead")).rejects.toMatchObject({
      code: "profile-unknown",
      data: { names: ["Aide-2"] },
    });
  });

  test.each(["", "a b", "../x", "-x", "ö", "x".repeat(65), "a/b", ".."])(
    "takes no name that could be a path or an option: %j",
    async (name) => {
      await expect(openProfiles(home).get(name)).rejects.toMatchObject({ code: "profile-name" });
      await expect(openProfiles(home).remove(name)).rejects.toMatchObject({ code: "profile-name" });
    },
  );

  test.each([
    ["kept-damaged", "{"],
    ["kept-damaged", "[]"],
    ["kept-damaged", '{"wallet":"coder"}'],
    ["kept-damaged", '{"version":1,"wallet":"coder","agent":"x","options":{}}'],
    ["kept-newer", '{"version":2}'],
    ["kept-damaged", `{"version":1,"wallet":"c","agent":"${LEAD.agent}","options":{"a":1}}`],
    ["kept-damaged", `{"version":1,"wallet":"c","agent":"${LEAD.agent}","options":{},"x":1}`],
  ])("refuses a file that is not what sion wrote: %s, %s", async (code, text) => {
    const profiles = openProfiles(home);
    await profiles.add(LEAD);
    writeFileSync(join(home, "agents/profiles/lead.json"), text);
    await expect(profiles.get("lead")).rejects.toMatchObject({ code });
    await expect(profiles.add(LEAD)).rejects.toMatchObject({ code });
    expect(readFileSync(join(home, "agents/profiles/lead.json"), "utf8")).toBe(text);
  });

  test("refuses a file that others may change: it says what an agent may do", async () => {
    const profiles = openProfiles(home);
    await profiles.add(LEAD);
    chmodSync(join(home, "agents/profiles/lead.json"), 0o622);
    await expect(profiles.get("lead")).rejects.toMatchObject({ code: "file-exposed" });
  });
});

describe("openProfileTokens()", () => {
  const opened = () => openProfileTokens(home, { random: systemRandom });
  const REACH = { profile: "lead", agent: LEAD.agent, approve: false };

  test("keeps of a token its hash alone, and knows it by it [C-108 C-113 C-115 C-116]", async () => {
    const { kept, token } = await opened().add(REACH);
    expect(token).toMatch(/^sion_ch_[0-9a-f]{64}$/);
    expect(kept.id).toMatch(/^[0-9a-f]{8}$/);
    expect(token).not.toContain(kept.id);
    const text = readFileSync(join(home, TOKEN_FILE), "utf8");
    expect(text).not.toContain(token.slice("sion_ch_".length));
    expect(mode(TOKEN_FILE)).toBe(0o600);
    const other = await opened().add({ ...REACH, profile: "payer", approve: true });
    expect(await opened().list()).toEqual([kept, other.kept]);
    expect(await opened().verify(token)).toEqual(kept);
    expect(await opened().verify(other.token)).toEqual(other.kept);
  });

  test("lets nothing else in", async () => {
    const { kept, token } = await opened().add(REACH);
    const hash = (JSON.parse(readFileSync(join(home, TOKEN_FILE), "utf8")) as {
      tokens: { hash: string }[];
    }).tokens[0]?.hash ?? "";
    const wrong = ["", kept.id, hash, `sion_ch_${hash}`, token.slice(0, -1), `${token} `];
    for (const text of [...wrong, token.toUpperCase(), "\ud800", "x".repeat(100_000)]) {
      expect(await opened().verify(text)).toBe(undefined);
    }
    expect(await openProfileTokens(`${home}-none`, { random: systemRandom }).verify(token))
      .toBe(undefined);
  });

  test("takes back those that are meant, and no others [C-118]", async () => {
    const first = await opened().add(REACH);
    const second = await opened().add(REACH);
    const gone = await opened().remove(({ id }) => id === first.kept.id);
    expect(gone).toEqual([first.kept]);
    expect(await opened().verify(first.token)).toBe(undefined);
    expect(await opened().verify(second.token)).toEqual(second.kept);
    expect(await opened().remove(() => false)).toEqual([]);
  });

  test("keeps what is added at once, each", async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => opened().add(REACH)));
    expect((await opened().list()).map(({ id }) => id).sort())
      .toEqual(made.map(({ kept }) => kept.id).sort());
  });

  test.each([
    ["kept-damaged", '{"version":1}'],
    ["kept-damaged", '{"version":1,"tokens":[{"id":"x"}]}'],
    ["kept-newer", '{"version":9,"tokens":[]}'],
  ])("lets nobody in by a file that is not what sion wrote: %s, %s", async (code, text) => {
    const { token } = await opened().add(REACH);
    writeFileSync(join(home, TOKEN_FILE), text);
    await expect(opened().verify(token)).rejects.toMatchObject({ code });
    writeFileSync(join(home, TOKEN_FILE), '{"version":1,"tokens":[]}');
    chmodSync(join(home, TOKEN_FILE), 0o644);
    await expect(opened().verify(token)).rejects.toMatchObject({ code: "file-exposed" });
  });
});
