import { describe, expect, test } from "vitest";
import { parseJson, stringifyJson } from "#internal/core/mod.ts";
import { fromErrorBody, methods, RpcError, toErrorBody } from "#internal/rpc/mod.ts";
import type { MethodName } from "#internal/rpc/mod.ts";

const ID = "ab".repeat(32);

/** A status as the specification records it. */
const RECORDED_STATUS = `{
"active": true, "active_validators": 4, "anchors": 342,
"beacon": "45bee72ec7d92a54a7c790d7f0d2276b84bfe256060a48c5ad829e3b1f331489",
"certified_pulse": 202,
"chain": "6345655cfd2a714ed1dab69c0660f2f48f429ce2981e25629d0467d7b7ee97b7",
"chain_id": "sion-devnet-1", "claims": 6,
"commitment": {
"config": "2d86efe308c60641d10f022ce94b57596644f923d10c7fbcf7aa3dc029e45592",
"knowledge_root": "5dcf6d5dff8833d54c540dfb198c7f64a8f9fdae81f252e6f5b7e3646e0638fe",
"knowledge_size": 6, "pulse": 202,
"state_root": "8cf22b46c606c2dddff66c0faeeda14f38ce78ba27b0fdc82c33f555ca0f8a81" },
"epoch": 0, "epoch_end": 9223372036854775807, "executed": [40, 4, 1],
"forced_overdue": 0, "forced_pending": 0,
"genesis": "30de983de39a060dc990e95512f3f51adc2c5570006ed775c9dc81fab667921b",
"insecure_signatures": false, "objects": 85, "proven_pulse": 202, "pulse": 202, "round": 814,
"session": 0, "shards": 2,
"validator": "cdc0cc1da885c87ebdb67a8c05e027449f8cc15e4743959f8c0f3fa469b3ab38", "validators": 4}`;

describe("methods", () => {
  test("status takes the recorded status and keeps 2^63-1 exactly [L-104 L-124 L-126 L-143]", () => {
    const view = methods.status.result.parse(parseJson(RECORDED_STATUS), "result");
    expect(view.epoch_end).toBe(9223372036854775807n);
    expect(stringifyJson(view)).toContain('"epoch_end":9223372036854775807');
    expect(parseJson(stringifyJson(view))).toEqual(parseJson(RECORDED_STATUS));
  });

  test("account keeps an amount beyond 2^53 exactly", () => {
    const text = `{"account":"${ID}","balances":[{"amount":9007199254740993,"asset":"${ID}",` +
      `"symbol":"USD"}],"exists":true,"next_sequence":0,"pulse":7,"reserved":0,"sequence":18446744073709551615}`;
    const view = methods.account.result.parse(parseJson(text), "result");
    expect(view.balances[0]?.amount).toBe(9007199254740993n);
    expect(stringifyJson(view)).toBe(text);
  });

  test.each<[MethodName, unknown, string]>([
    ["account", { account: ID, more: 1 }, "more is no member"],
    ["account", { account: ID.toUpperCase() }, "params.account"],
    ["account", {}, "params.account"],
    ["account", null, "params"],
    ["account", [], "params"],
    ["events", { limit: 201 }, "params.limit"],
    ["events", { from: -1 }, "params.from"],
    ["events", { from: 1.5 }, "params.from"],
    ["faucet", { account: ID, amount: 0.5 }, "params.amount"],
    ["faucet", { account: ID, amount: -1 }, "params.amount"],
    ["faucet", { account: ID, amount: 18446744073709551616n }, "params.amount"],
    ["receipt", { digest: ID, wait_ms: 30_001 }, "params.wait_ms"],
    ["receipt", { digest: ID, until: "soon" }, "params.until"],
    ["submit", { tx: "abc" }, "params.tx"],
    ["submit", { tx: "AB" }, "params.tx"],
    ["submit", { tx: "ab".repeat((1 << 19) + 1) }, "params.tx"],
    ["objects", { kind: "identity", where: { member: "x", equals: ID, or: 1 } }, "or is no member"],
  ])("%s refuses parameters without the contract's shape: %#", (name, params, place) => {
    expect(() => methods[name].params.parse(params, "params")).toThrow(place);
  });

  test("a result passes over members that a newer node added", () => {
    const view = methods.header.result.parse(
      { bytes: "00", number: 1, pulse: 2, signed_by: 4 },
      "result",
    );
    expect(view).toEqual({ bytes: "00", number: 1, pulse: 2 });
  });

  test("a member named __proto__ is no member of a request", () => {
    const params = parseJson('{"__proto__": {"account": 1}}');
    expect(() => methods.status.params.parse(params, "params")).toThrow("no member");
  });

  test("each method is listed under its own name and says what it is for", () => {
    for (const [name, method] of Object.entries(methods)) {
      expect(method.name).toBe(name);
      expect(method.summary).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe("errors", () => {
  test("an RpcError comes back from its body with code, message and retry time", () => {
    const busy = new RpcError("busy", "Too much waits", { data: { retry_after_ms: 300 } });
    const { status, body } = toErrorBody(busy);
    expect(status).toBe(503);
    expect(fromErrorBody(body)).toMatchObject({
      code: "busy",
      message: "Too much waits",
      data: { retry_after_ms: 300 },
    });
  });

  test("toErrorBody() tells nothing of a fault inside", () => {
    const { status, body } = toErrorBody(new Error("/secret/path"));
    expect(status).toBe(500);
    expect(stringifyJson(body)).not.toContain("secret");
  });
});
