/** Storage deals of clients and providers: posted, accepted, proven, closed, fetched back. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Client, NewDeal, ProviderEvent, ProviderTerms } from "#internal/client/mod.ts";
import { toHex } from "#internal/core/mod.ts";
import { LEAF_BYTES } from "#internal/ledger/mod.ts";
import { openKeptFiles } from "#internal/store/mod.ts";
import { FILE, fileOf } from "../ledger/_storage.ts";
import { useBench } from "./bench.ts";

const TERMS: ProviderTerms = {
  maxFileBytes: 1e6,
  maxTotalBytes: 1e7,
  minPrice: 2_000n,
  maxCollateral: 10_000_000n,
};

/** What a proof of a round has of the file. */
type PublishedProof = { readonly leaves: readonly { readonly data: Uint8Array }[] };

describe("storage", () => {
  const bench = useBench();
  let folder: string;
  let path: string;
  let kept: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sion-storage-"));
    path = join(folder, "patrol-archive.bin");
    kept = join(folder, "kept");
    writeFileSync(path, FILE);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const deal = (more: Partial<NewDeal> = {}): NewDeal => ({
    wallet: "alice",
    path,
    price: 250_000n,
    rounds: 4,
    collateral: 1_000_000n,
    ...more.locator === undefined && more.provider === undefined ? { local: true } : {},
    ...more,
  });

  const posted = async (more: Partial<NewDeal> = {}): Promise<string> => {
    const { made: [id = ""] } = await bench.client.storage.post(deal(more));
    return id;
  };

  const passTo = (pulse: number): void => {
    while (bench.chain.pulse < BigInt(pulse)) bench.chain.executePulse();
  };

  it("posts a file by its root, shows the deal, refunds it [L-516..L-518 L-527 L-540 L-541 L-545..L-553 L-563 L-564]", async () => {
    const { storage } = bench.client;
    const head = Number(bench.chain.pulse);
    const reads: number[] = [];
    const post = await storage.post(deal({ onRead: (bytes) => reads.push(bytes) }));
    const [id = ""] = post.made;
    expect(post).toMatchObject({
      leaves: 5,
      receipt:
        `Done: storage deal ${id.slice(0, 8)} posted: 5 leaves, 4 rounds at 0.25 USD each, ` +
        "1 USD of collateral, open to any provider; fee 0.0012 USD.",
      root: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      status: "Success",
    });
    expect(reads.at(-1)).toBe(FILE.length);
    const shown = {
      accept_by: head + 200,
      challenges: 4,
      client: await bench.chain.accountOf("alice"),
      collateral: "1",
      deal: id,
      escrow: "1",
      leaves: 5,
      locator: pathToFileURL(path).href,
      price: "0.25",
      provider: null,
      root: post.root,
      round_length: 16,
      rounds: 4,
      state: { phase: "open" },
    };
    expect(await storage.deals({ open: true })).toEqual([shown]);
    expect(await storage.deal(id.slice(0, 8))).toEqual(shown);
    expect(await storage.close({ wallet: "bob", deal: id.slice(0, 8) })).toMatchObject({
      events: [],
      status: { Failed: "unauthorized: only the client closes an open deal" },
    });
    const closed = await storage.close({ wallet: "alice", deal: id });
    expect(closed.receipt).toBe(
      `Done: storage deal ${id.slice(0, 8)} closed: 1 USD refunded, 0 USD paid, 0 USD of ` +
        "collateral returned, 0 USD forfeited, 0 round(s) missed; fee 0.0011 USD.",
    );
    expect(await storage.deal(id)).toEqual({
      ...shown,
      escrow: "0",
      state: {
        at: closed.pulse,
        forfeited: "0",
        missed: 0,
        phase: "closed",
        proven: 0,
        refund: "1",
      },
    });
    expect(await storage.deals({ open: true })).toEqual([]);
  });

  it("takes what is not said by default, and says what cannot be meant [L-529 L-538 L-539 L-648]", async () => {
    const { storage } = bench.client;
    const { collateral: _collateral, ...plain } = deal();
    const { made: [open = ""] } = await storage.post(plain);
    expect(await storage.deal(open)).toMatchObject({ collateral: "1", challenges: 4 });
    const { made: [named = ""] } = await storage.post({ ...plain, local: false, provider: "bob" });
    expect(await storage.deal(named)).toMatchObject({
      collateral: "0",
      locator: null,
      provider: await bench.chain.accountOf("bob"),
    });
    const refused: [Partial<NewDeal>, string][] = [
      [{ local: false }, "an open deal says where providers get the file"],
      [{ local: true, locator: "https://a.example/x" }, "a deal has one locator"],
      [{ local: false, locator: "http://a.example/x" }, '"http://a.example/x" is no locator'],
      [{ path: join(folder, "none") }, "there is no file"],
      [{ path: folder }, "is a folder: give a file"],
    ];
    for (const [more, why] of refused) {
      await expect(storage.post({ ...deal(), ...more })).rejects.toThrow(why);
    }
    writeFileSync(path, "");
    await expect(storage.post(deal())).rejects.toThrow("is empty: there is nothing to keep");
    expect(await storage.deals()).toHaveLength(2);
  });

  /** What was handed in last. */
  const lastBody = (): unknown =>
    [...bench.chain.units.values()].at(-1)?.signed.unit.members[0]?.body;

  it("accepts a deal once its file is here, proves rounds, and is paid; its proofs publish leaves of the file [L-526 L-554 L-565 L-645 L-646]", async () => {
    const { storage } = bench.client;
    const id = await posted();
    const provider = { wallet: "bob", deal: id, dir: kept };
    await expect(storage.prove(provider)).rejects.toThrow("is not accepted");
    expect(await storage.accept(provider)).toMatchObject({ status: "Success" });
    expect(new Uint8Array(readFileSync(openKeptFiles(kept).pathOf(id)))).toEqual(FILE);
    await expect(storage.accept(provider)).rejects.toThrow("is accepted already");
    await expect(storage.prove(provider)).rejects.toThrow("begins at Pulse 8: wait for it");
    for (const round of [1, 2, 3, 4]) {
      passTo(8 + 16 * (round - 1));
      const proof = await storage.prove(provider);
      expect(proof.receipt).toContain(`round ${round} of storage deal ${id.slice(0, 8)} proven`);
      const { leaves } = lastBody() as PublishedProof;
      expect(leaves.map(({ data }) => toHex(FILE).indexOf(toHex(data)))).not.toContain(-1);
      await expect(storage.prove(provider)).rejects.toThrow("is proven already");
      expect((await storage.deal(id)).state).toEqual({
        phase: "active",
        ends: 71,
        missed: 0,
        proven: round,
        round,
        round_ends: 7 + 16 * round,
      });
    }
    passTo(72);
    await expect(storage.prove(provider)).rejects.toThrow("is over");
    const closed = await storage.close(provider);
    expect(closed.receipt).toContain("1 USD paid, 1 USD of collateral returned");
    await expect(storage.prove(provider)).rejects.toThrow("nothing is left to prove");
    await expect(storage.accept(provider)).rejects.toThrow("is closed");
  });

  it("accepts nothing of another file, and proves nothing with one that is damaged [L-645]", async () => {
    const { storage } = bench.client;
    const id = await posted();
    const provider = { wallet: "bob", deal: id, dir: kept };
    writeFileSync(path, fileOf(FILE.length - 1));
    await expect(storage.accept(provider)).rejects.toMatchObject({ code: "other-file" });
    rmSync(path);
    await expect(storage.accept(provider)).rejects.toThrow("there is no file");
    const elsewhere = join(folder, "elsewhere");
    writeFileSync(elsewhere, FILE);
    await storage.accept({ ...provider, from: elsewhere });
    passTo(8);
    const changed = FILE.slice();
    for (let at = 0; at < changed.length; at += LEAF_BYTES) changed[at]! ^= 1;
    writeFileSync(openKeptFiles(kept).pathOf(id), changed);
    await expect(storage.prove(provider)).rejects.toMatchObject({ code: "file-damaged" });
    expect((await storage.deal(id)).state).toMatchObject({ proven: 0 });
  });

  it("refuses deals that are meant for another, or too late, before anything is fetched [L-569 L-645]", async () => {
    const { storage } = bench.client;
    const named = await posted({ provider: "carol" });
    await expect(storage.accept({ wallet: "bob", deal: named, dir: kept }))
      .rejects.toThrow("is meant for");
    const brief = await posted({ acceptWithin: 3 });
    passTo(Number(bench.chain.pulse) + 3);
    await expect(storage.accept({ wallet: "bob", deal: brief, dir: kept }))
      .rejects.toThrow("it is too late");
    const lost = await posted({ provider: "bob" });
    await expect(storage.accept({ wallet: "bob", deal: lost, dir: kept }))
      .rejects.toThrow("does not say where its file is");
  });

  it("fetches a file back, and keeps no other [L-565 L-649]", async () => {
    const { storage } = bench.client;
    const id = await posted();
    const to = join(folder, "back");
    await storage.accept({ wallet: "bob", deal: id, dir: kept });
    rmSync(path);
    await expect(storage.fetch({ deal: id, to })).rejects.toThrow("there is no file");
    expect(await storage.fetch({ deal: id, to, from: kept })).toMatchObject({
      bytes: FILE.length,
      deal: id,
      leaves: 5,
    });
    expect(new Uint8Array(readFileSync(to))).toEqual(FILE);
    await expect(storage.fetch({ deal: id, to, from: kept }))
      .rejects.toMatchObject({ code: "file-exists" });
    symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
    await expect(storage.fetch({ deal: id, to: join(folder, "dangling"), from: kept }))
      .rejects.toMatchObject({ code: "file-exists" });
    await expect(storage.fetch({ deal: id, to: join(folder, "none", "x"), from: kept }))
      .rejects.toThrow(/there is no folder .*none: make it, or give another path/);
    for (const from of ["file:///tmp/%00", "file://host/x", join(to, "x")]) {
      await expect(storage.fetch({ deal: id, to: join(folder, "other"), from }))
        .rejects.toThrow(/names no file: check it|there is no file/);
    }
    writeFileSync(path, fileOf(FILE.length - 1));
    await expect(storage.fetch({ deal: id, to: join(folder, "other") }))
      .rejects.toMatchObject({ code: "other-file" });
    writeFileSync(path, fileOf(FILE.length + 1));
    await expect(storage.fetch({ deal: id, to: join(folder, "other") }))
      .rejects.toThrow("has more than");
  });

  describe("a provider", () => {
    /** Starts a provider; what it does is told to whoever waits. */
    function start(client: Client, terms: Partial<ProviderTerms> = {}, wallet = "bob") {
      const stop = new AbortController();
      const events: ProviderEvent[] = [];
      let wake = (): void => {};
      let url: string | undefined;
      const running = client.storage.provide({
        wallet,
        dir: kept,
        terms: { ...TERMS, local: [folder], ...terms },
        listen: { host: "127.0.0.1", port: 0 },
        signal: stop.signal,
        onReady(at) {
          url = at;
          wake();
        },
        onEvent(event) {
          events.push(event);
          wake();
        },
      });
      const until = async (isSo: () => boolean): Promise<void> => {
        while (!isSo()) {
          const woken = new Promise<void>((resolve) => void (wake = resolve));
          await Promise.race([woken, running]);
        }
      };
      return {
        events,
        running,
        get url() {
          return url;
        },
        ready: () => until(() => url !== undefined),
        /** The next event of a kind, of one deal if one is given. */
        next: async (kind: ProviderEvent["kind"], id?: string): Promise<ProviderEvent> => {
          const isIt = (event: ProviderEvent): boolean =>
            event.kind === kind && (id === undefined || event.deal === id);
          await until(() => events.some(isIt));
          return events.splice(events.findIndex(isIt), 1)[0] as ProviderEvent;
        },
        async stop() {
          stop.abort(new Error("stopped"));
          await running;
        },
      };
    }

    it(
      "accepts by its terms, proves every round, closes what is over, gives files back [L-565 L-646 L-649]",
      async () => {
        const provider = start(bench.client);
        await provider.ready();
        const id = await posted({ rounds: 2, roundLength: 8 });
        bench.chain.executePulse();
        expect(await provider.next("accepted")).toMatchObject({ deal: id });
        const { start: first } = stateOf(id);
        for (const round of [1, 2]) {
          passTo(first + 8 * (round - 1));
          expect((await provider.next("proven")).text).toContain(`round ${round} of`);
        }
        const to = join(folder, "back");
        rmSync(path);
        await bench.client.storage.fetch({
          deal: id,
          to,
          from: provider.url as string,
          allowPrivate: true,
        });
        expect(new Uint8Array(readFileSync(to))).toEqual(FILE);
        passTo(first + 16);
        expect((await provider.next("closed")).text).toContain("0.5 USD paid");
        bench.chain.executePulse();
        await provider.stop();
        expect(await openKeptFiles(kept).list()).toEqual([]);
      },
      30_000,
    );

    it(
      "goes on after a stop from its folder and the ledger, and pays for no step twice [L-646]",
      async () => {
        const id = await posted({ roundLength: 8 });
        const before = start(bench.client);
        await before.next("accepted");
        const { start: first } = stateOf(id);
        await before.stop();
        passTo(first + 9);
        const again = start(bench.open());
        expect((await again.next("proven")).text).toContain("round 2 of");
        expect(stateOf(id)).toMatchObject({ proven: 1, missed: 1 });
        // What is lost here is fetched again from where it was.
        rmSync(openKeptFiles(kept).pathOf(id));
        passTo(first + 17);
        expect((await again.next("fetched")).text).toContain("is whole again");
        expect((await again.next("proven")).text).toContain("round 3 of");
        await expect(bench.open().storage.prove({ wallet: "bob", deal: id, dir: kept }))
          .rejects.toThrow(/is proven already/);
        await again.stop();
        const kinds = bench.chain.events.flatMap(({ event }) => Object.keys(event as object));
        expect(kinds.filter((kind) => kind === "DealAccepted")).toHaveLength(1);
      },
      30_000,
    );

    it("passes over what does not meet its terms, and says why, once [L-646]", async () => {
      const outside = mkdtempSync(join(tmpdir(), "sion-outside-"));
      const secret = join(outside, "secret");
      writeFileSync(secret, FILE);
      symlinkSync(secret, join(folder, "link"));
      mkdirSync(join(folder, "sub"));
      const provider = start(bench.client, {
        maxFileBytes: FILE.length,
        local: [folder],
      });
      await provider.ready();
      const reason = async (
        more: Partial<NewDeal>,
        kind: ProviderEvent["kind"] = "passed-over",
      ) => {
        const id = await posted(more);
        return (await provider.next(kind, id)).text;
      };
      expect(await reason({ price: 1_999n })).toContain("below 0.002 (--min-price)");
      expect(await reason({ collateral: 10_000_001n })).toContain("over 10 (--max-collateral)");
      writeFileSync(join(folder, "large"), fileOf(FILE.length + 1));
      expect(await reason({ path: join(folder, "large") })).toContain("(--max-size)");
      expect(await reason({ provider: "bob" })).toContain("does not say where its file is");
      for (const path of [secret, join(folder, "link")]) {
        expect(await reason({ path }, "failed")).toContain("outside of what --local allows");
      }
      await provider.stop();
      rmSync(outside, { recursive: true });
      const loyal = start(bench.client, { clients: ["carol"] });
      expect((await loyal.next("passed-over")).text).toContain("none of --client");
      await loyal.stop();
      const strict = start(bench.client, { local: [], maxTotalBytes: FILE.length });
      const id = await posted();
      expect((await strict.next("passed-over", id)).text).toContain(
        "--local takes files of this one",
      );
      await strict.stop();
      const full = start(bench.client, { maxTotalBytes: FILE.length - 1 });
      expect((await full.next("failed", id)).text).toContain("(--max-total)");
      await full.stop();
      expect((await bench.client.storage.deal(id)).state).toEqual({ phase: "open" });
    }, 30_000);

    it(
      "holds its folder alone, needs money, and waits for a node that does not answer",
      async () => {
        const provider = start(bench.client);
        await provider.ready();
        await expect(start(bench.open()).running).rejects.toMatchObject({ code: "folder-locked" });
        await provider.stop();
        const poor = bench.client.storage.provide({ wallet: "poor", dir: kept, terms: TERMS });
        await expect(poor).rejects.toMatchObject({ code: "no-money" });
      },
      30_000,
    );

    it("leaves alone what another wallet keeps in the same folder [L-646]", async () => {
      await bench.client.pay({ from: "alice", to: "carol", amount: 5_000_000n });
      const [theirs, lost] = [await posted(), await posted()];
      await bench.client.storage.accept({ wallet: "carol", deal: theirs, dir: kept });
      // Fetched here, and accepted by another who was faster: of no use any more.
      const elsewhere = join(folder, "elsewhere");
      await bench.client.storage.accept({ wallet: "carol", deal: lost, dir: elsewhere });
      const files = openKeptFiles(kept);
      await files.claim(lost, await bench.chain.accountOf("bob"));
      const provider = start(bench.client);
      await provider.ready();
      await provider.stop();
      expect(await files.begun()).toEqual([theirs]);
      passTo(stateOf(theirs).start);
      expect(await bench.client.storage.prove({ wallet: "carol", deal: theirs, dir: kept }))
        .toMatchObject({ status: "Success" });
    }, 30_000);

    it(
      "fetches a file anew that is damaged where only the challenge looks, and proves at once [L-646]",
      async () => {
        const id = await posted({ challenges: 16 });
        const provider = start(bench.client);
        await provider.next("accepted");
        const changed = FILE.slice();
        for (const leaf of [1, 2, 3]) changed[leaf * LEAF_BYTES]! ^= 1;
        writeFileSync(openKeptFiles(kept).pathOf(id), changed);
        passTo(stateOf(id).start);
        expect((await provider.next("fetched")).text).toContain("bytes is here");
        expect((await provider.next("fetched")).text).toContain("is whole again");
        expect((await provider.next("proven")).text).toContain("round 1 of");
        expect(new Uint8Array(readFileSync(openKeptFiles(kept).pathOf(id)))).toEqual(FILE);
        await provider.stop();
      },
      30_000,
    );

    it("tries several times a round while a proof is due [L-646]", async () => {
      const id = await posted();
      const provider = start(bench.client);
      await provider.next("accepted");
      rmSync(openKeptFiles(kept).pathOf(id));
      rmSync(path);
      passTo(stateOf(id).start);
      for (let tries = 0; tries < 5; tries++) {
        const { text } = await provider.next("failed");
        const next = Number(/tried again at Pulse (\d+)$/.exec(text)?.[1]);
        expect(next - Number(bench.chain.pulse)).toBeLessThanOrEqual(2);
        if (tries === 4) writeFileSync(path, FILE);
        passTo(next);
      }
      expect((await provider.next("proven")).text).toContain("round 1 of");
      await provider.stop();
    }, 30_000);

    it("keeps back the fees of all proofs to come, and says so [L-646]", async () => {
      await bench.client.pay({ from: "alice", to: "carol", amount: 1_100_000n });
      const id = await posted({ rounds: 100 });
      const provider = start(bench.client, {}, "carol");
      // 100 proofs, the acceptance and the closing at 0.0011 USD each.
      expect((await provider.next("failed", id)).text).toContain(
        "carol has 1.1 USD, below its collateral of 1 and the 0.1122 of fees that all deals need to " +
          "their ends: add money; tried again at Pulse",
      );
      await bench.client.pay({ from: "alice", to: "carol", amount: 12_200n });
      await provider.next("accepted", id);
      // What is put by for one deal is not there for another.
      const other = await posted({ collateral: 1n });
      expect((await provider.next("failed", other)).text).toContain("0.1177 of fees");
      await provider.stop();
    }, 30_000);

    it("takes other deals while a host keeps all of its own waiting [L-646]", async () => {
      let connections = 0;
      const silent = createServer(() => void connections++);
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      const { port } = silent.address() as { port: number };
      for (const name of ["a", "b", "c", "d", "e"]) {
        await posted({ locator: `https://127.0.0.1:${port}/${name}`, local: false });
      }
      const provider = start(bench.client, { allowPrivate: true });
      await provider.ready();
      await provider.next("accepted", await posted());
      await provider.stop();
      expect(connections).toBeLessThanOrEqual(1);
      silent.close();
    }, 30_000);

    it("says what a full or misplaced folder needs, in words [L-646]", async () => {
      const id = await posted();
      mkdirSync(kept);
      writeFileSync(join(kept, id), "in the way");
      const provider = start(bench.client);
      expect((await provider.next("failed", id)).text).toContain(
        "lies under what is no folder: choose another folder; tried again at Pulse",
      );
      await provider.stop();
    }, 30_000);

    function stateOf(id: string): { start: number; proven: number; missed: number } {
      const object = bench.chain.state.get(id);
      if (object === undefined) throw new Error(`no deal ${id}`);
      const moment = { pulse: bench.chain.pulse, timeMs: 0n };
      const view = bench.chain.ledger.viewObject(object, moment) as Record<string, unknown>;
      const { start: first, proven, missed } = view["state"] as Record<string, bigint>;
      return { start: Number(first), proven: Number(proven), missed: Number(missed) };
    }
  });
});
