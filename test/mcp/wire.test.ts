/** Raw lines in, raw lines out: what a client sees, byte for byte. */
import { describe, expect, it } from "vitest";
import { answersTo, linesFor, MODERN, modernRequest, request } from "./_peer.ts";

const INIT =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",' +
  '"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}';
const VERSIONS = '["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]';
const META = '"_meta":{"io.modelcontextprotocol/clientCapabilities":{},' +
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';
const SERVER_META =
  '"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1.0.0"}}';
const ECHO = '"params":{"name":"echo","arguments":{"text":"hé"}}';

/** Title, what is sent, what comes back. */
const TABLE: readonly (readonly [string, string, readonly string[]])[] = [
  [
    "an unknown method is named [L-014 L-038 L-039 L-040]",
    '{"jsonrpc":"2.0","id":17,"method":"resources/list"}',
    [
      '{"error":{"code":-32601,"message":"method not found: resources/list"},"id":17,"jsonrpc":"2.0"}',
    ],
  ],
  [
    "initialize is answered with instructions and tools alone [L-024 L-025 L-030 L-032 L-041]",
    INIT,
    [
      '{"id":1,"jsonrpc":"2.0","result":{"capabilities":{"tools":{}},"instructions":"Be kind.",' +
      '"protocolVersion":"2025-11-25","serverInfo":{"name":"test","version":"1.0.0"}}}',
    ],
  ],
  [
    "ping is answered, a string id echoed as a string [L-035 L-040]",
    '{"jsonrpc":"2.0","id":"1","method":"ping"}',
    ['{"id":"1","jsonrpc":"2.0","result":{}}'],
  ],
  [
    "an id beyond 2⁵³ is echoed exactly [L-040]",
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    ['{"id":9007199254740993,"jsonrpc":"2.0","result":{}}'],
  ],
  [
    "notifications/initialized gets no reply, nor does any notification [L-033 L-034]",
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","method":"nonsense"}',
    [],
  ],
  [
    "discover says versions, capabilities, instructions, and how long to keep it [L-031 L-042]",
    `{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{${META}}}`,
    [
      `{"id":2,"jsonrpc":"2.0","result":{${SERVER_META},"cacheScope":"public",` +
      '"capabilities":{"tools":{}},"instructions":"Be kind.","resultType":"complete",' +
      `"supportedVersions":${VERSIONS},"ttlMs":3600000}}`,
    ],
  ],
  [
    "another version is refused with the versions spoken [L-020 L-021 L-022]",
    '{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{' +
    '"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}',
    [
      '{"error":{"code":-32022,"data":{"requested":"2099-01-01",' +
      `"supported":${VERSIONS}},"message":"unsupported protocol version: 2099-01-01"},` +
      '"id":3,"jsonrpc":"2.0"}',
    ],
  ],
  [
    "a legacy version named in _meta is refused too: it has no envelope [L-020]",
    '{"jsonrpc":"2.0","id":3,"method":"ping","params":{"_meta":{' +
    '"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}}',
    [
      '{"error":{"code":-32022,"data":{"requested":"2025-11-25",' +
      `"supported":${VERSIONS}},"message":"unsupported protocol version: 2025-11-25"},` +
      '"id":3,"jsonrpc":"2.0"}',
    ],
  ],
  [
    "discover without its envelope says what is missing",
    '{"jsonrpc":"2.0","id":4,"method":"server/discover"}',
    [
      '{"error":{"code":-32602,"message":"invalid params: _meta needs ' +
      'io.modelcontextprotocol/protocolVersion, a string"},"id":4,"jsonrpc":"2.0"}',
    ],
  ],
  [
    "a modern request without capabilities says what is missing",
    '{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":{' +
    '"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}',
    [
      '{"error":{"code":-32602,"message":"invalid params: _meta needs ' +
      'io.modelcontextprotocol/clientCapabilities, an object"},"id":4,"jsonrpc":"2.0"}',
    ],
  ],
  [
    "a call carries its value twice [L-037 L-045 L-046 L-047]",
    `{"jsonrpc":"2.0","id":5,"method":"tools/call",${ECHO}}`,
    [
      '{"id":5,"jsonrpc":"2.0","result":{"content":[{"text":"{\\n  \\"said\\": \\"hé\\"\\n}",' +
      '"type":"text"}],"structuredContent":{"said":"hé"}}}',
    ],
  ],
  [
    "a modern call says complete and who served it [L-018 L-019 L-023]",
    `{"jsonrpc":"2.0","id":5,"method":"tools/call",${ECHO.slice(0, -1)},${META}}}`,
    [
      `{"id":5,"jsonrpc":"2.0","result":{${SERVER_META},"content":[{"text":` +
      '"{\\n  \\"said\\": \\"hé\\"\\n}","type":"text"}],"resultType":"complete",' +
      '"structuredContent":{"said":"hé"}}}',
    ],
  ],
  [
    "an unknown tool is a failed result [L-048 L-049]",
    '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"sion_teleport"}}',
    [
      '{"id":6,"jsonrpc":"2.0","result":{"content":[{"text":"unknown tool sion_teleport",' +
      '"type":"text"}],"isError":true}}',
    ],
  ],
  [
    "a name of JavaScript's own objects is an unknown tool [L-049]",
    '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"__proto__"}}',
    [
      '{"id":6,"jsonrpc":"2.0","result":{"content":[{"text":"unknown tool __proto__",' +
      '"type":"text"}],"isError":true}}',
    ],
  ],
  [
    "a name of JavaScript's own objects is an unknown method [L-038]",
    '{"jsonrpc":"2.0","id":7,"method":"constructor"}',
    ['{"error":{"code":-32601,"message":"method not found: constructor"},"id":7,"jsonrpc":"2.0"}'],
  ],
  [
    "a missing argument is a failed result that names it [L-050]",
    '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":{}}}',
    [
      '{"id":6,"jsonrpc":"2.0","result":{"content":[{"text":' +
      '"echo needs text, a string: What to say","type":"text"}],"isError":true}}',
    ],
  ],
  [
    "a list stays a list where the version allows it [L-052]",
    '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"list"}}',
    [
      '{"id":6,"jsonrpc":"2.0","result":{"content":[{"text":' +
      '"[\\n  {\\n    \\"big\\": 9223372036854775807\\n  }\\n]","type":"text"}],' +
      '"structuredContent":[{"big":9223372036854775807}]}}',
    ],
  ],
  [
    "text that is no JSON is answered, and the link goes on",
    'hello\n{"jsonrpc":"2.0","id":1,"method":"ping"}',
    [
      '{"error":{"code":-32700,"message":"parse error: the line is not JSON"},"id":null,' +
      '"jsonrpc":"2.0"}',
      '{"id":1,"jsonrpc":"2.0","result":{}}',
    ],
  ],
  [
    "a message without jsonrpc is answered under its id",
    '{"id":8,"method":"ping"}',
    [
      '{"error":{"code":-32600,"message":"invalid request: a message must have \\"jsonrpc\\": \\"2.0\\""},' +
      '"id":8,"jsonrpc":"2.0"}',
    ],
  ],
  [
    "the last line needs no line feed, a carriage return and empty lines do no harm [L-016]",
    '\r\n\n{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n  \n{"jsonrpc":"2.0","id":2,"method":"ping"}',
    ['{"id":1,"jsonrpc":"2.0","result":{}}', '{"id":2,"jsonrpc":"2.0","result":{}}'],
  ],
];

describe("the wire", () => {
  for (const [title, sent, received] of TABLE) {
    it(title, async () => {
      expect(await linesFor(sent)).toEqual(received);
    });
  }

  it("refuses ids that are null, fractions, truth values, lists and objects", async () => {
    const answers = await answersTo(
      [null, 1.5, true, [], {}].map((id) => request(id, "ping")),
    );
    expect(answers.map(({ id, error }) => [id, error])).toEqual(
      answers.map(() => [null, {
        code: -32600,
        message: "invalid request: an id must be a string or an integer",
      }]),
    );
    expect(answers).toHaveLength(5);
  });

  it("refuses what is no message at all", async () => {
    const answers = await answersTo([1, "ping", null, true, { jsonrpc: "2.0", id: 1 }, {
      jsonrpc: "2.0",
      id: 2,
      method: 7,
    }]);
    expect(answers.map(({ error }) => (error as { code: number }).code))
      .toEqual(Array(6).fill(-32600));
    expect(answers.map(({ id }) => id)).toEqual([null, null, null, null, 1, 2]);
  });

  it("refuses parameters that are no object", async () => {
    const answers = await answersTo([
      request(1, "ping", [1]),
      request(2, "tools/call", { name: 7 }),
      request(3, "tools/call", { name: "echo", arguments: "text" }),
    ]);
    expect(answers.map(({ id, error }) => [id, (error as { code: number }).code]))
      .toEqual([[1, -32602], [2, -32602], [3, -32602]]);
  });

  it("takes no answers and answers none", async () => {
    expect(
      await answersTo([
        { jsonrpc: "2.0", id: 1, result: {} },
        { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } },
        { jsonrpc: "2.0", method: "notifications/cancelled", params: [1] },
      ]),
    ).toEqual([]);
  });

  it("does not know the modern era's removed methods there [L-038]", async () => {
    const answers = await answersTo(
      ["initialize", "ping", "resources/list"].map((method, id) => modernRequest(id, method)),
    );
    expect(answers.map(({ error }) => (error as { code: number }).code))
      .toEqual([-32601, -32601, -32601]);
  });

  it("refuses a cursor in either era, since there is one page", async () => {
    const answers = await answersTo([
      request(1, "tools/list", { cursor: "abc" }),
      modernRequest(2, "tools/list", { cursor: "abc" }),
    ]);
    expect(answers.map(({ error }) => error)).toEqual(
      Array(2).fill({ code: -32602, message: "invalid params: unknown cursor" }),
    );
  });

  it("answers bytes that are not UTF-8", async () => {
    const answer = '{"error":{"code":-32700,"message":"parse error: the line is not UTF-8"},' +
      '"id":null,"jsonrpc":"2.0"}';
    expect(await linesFor(new Uint8Array([0x22, 0xff, 0x22, 0x0a]))).toEqual([answer]);
  });

  it("answers a line over the bound without keeping it, and reads on behind it", async () => {
    const long = `"${"x".repeat(4 << 20)}"\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n`;
    expect(await linesFor(long)).toEqual([
      '{"error":{"code":-32600,"message":"invalid request: a line has at most 4194304 bytes"},' +
      '"id":null,"jsonrpc":"2.0"}',
      '{"id":1,"jsonrpc":"2.0","result":{}}',
    ]);
  });

  it("answers nesting deeper than the parser can follow", async () => {
    const [answer] = await linesFor(`${"[".repeat(200_000)}${"]".repeat(200_000)}\n`);
    expect(answer).toMatch(/^\{"error":\{"code":-32(700|600),/);
  });
});

describe("the handshake", () => {
  const cases = [
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["2024-10-07", "2025-11-25"],
    ["2026-07-28", "2025-11-25"],
    [7, "2025-11-25"],
    [undefined, "2025-11-25"],
  ] as const;
  for (const [asked, answered] of cases) {
    it(`answers ${asked} with ${answered} [L-025..L-029]`, async () => {
      const [answer] = await answersTo([request(1, "initialize", { protocolVersion: asked })]);
      expect(answer?.["result"]).toMatchObject({ protocolVersion: answered });
    });
  }

  it("leaves the modern era open, and the modern era leaves it open [L-017 L-023]", async () => {
    const answers = await answersTo([
      modernRequest(1, "tools/list"),
      request(2, "initialize", { protocolVersion: "2025-06-18" }),
      request(3, "tools/list"),
      modernRequest(4, "tools/list"),
      request(5, "tools/list", { _meta: { ...MODERN, [Object.keys(MODERN)[1] ?? ""]: "1" } }),
      request(6, "ping"),
    ]);
    const byId = new Map(answers.map((answer) => [answer["id"], answer]));
    expect(byId.get(1)?.["result"]).toHaveProperty("resultType", "complete");
    expect(byId.get(2)?.["result"]).toHaveProperty("protocolVersion", "2025-06-18");
    expect(byId.get(3)?.["result"]).not.toHaveProperty("resultType");
    expect(byId.get(3)?.["result"]).not.toHaveProperty("ttlMs");
    expect(byId.get(4)?.["result"]).toHaveProperty("ttlMs", 3_600_000);
    expect(byId.get(5)?.["error"]).toHaveProperty("code", -32022);
    expect(byId.get(6)?.["result"]).toEqual({});
  });

  it("leaves a list out of structuredContent where that version's clients would fail", async () => {
    for (
      const [version, kept] of [
        ["2025-11-25", false],
        ["2025-06-18", false],
        ["2025-03-26", true],
        ["2024-11-05", true],
      ] as const
    ) {
      const answers = await answersTo([
        request(1, "initialize", { protocolVersion: version }),
        request(2, "tools/call", { name: "list" }),
        modernRequest(3, "tools/call", { name: "list" }),
      ]);
      const [legacy, modern] = answers.slice(1).map(({ result }) => result);
      expect(Object.hasOwn(legacy as object, "structuredContent")).toBe(kept);
      expect(Object.hasOwn(modern as object, "structuredContent")).toBe(true);
      expect(legacy).toHaveProperty("content");
    }
  });
});

describe("batches", () => {
  const initialize = request(0, "initialize", { protocolVersion: "2025-03-26" });

  it("are answered as one under 2025-03-26", async () => {
    const [, batch] = await answersTo([initialize, [
      request(1, "ping"),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      request(2, "tools/call", { name: "echo", arguments: { text: "x" } }),
      7,
    ]]);
    const answers = batch as unknown as { id: unknown }[];
    expect(answers.map(({ id }) => id)).toEqual([1, null, 2]);
  });

  it("of notifications get no answer", async () => {
    const answers = await answersTo([initialize, [{ jsonrpc: "2.0", method: "x" }]]);
    expect(answers).toHaveLength(1);
  });

  it("do not hold initialize", async () => {
    const [, batch] = await answersTo([initialize, [initialize]]);
    expect(batch).toEqual([{
      error: { code: -32600, message: "invalid request: initialize is not part of a batch" },
      id: 0,
      jsonrpc: "2.0",
    }]);
  });

  it("are refused when empty, before the handshake and under other versions", async () => {
    for (const first of [[], [request(0, "initialize", { protocolVersion: "2025-06-18" })]]) {
      const answers = await answersTo([...first, [request(1, "ping")]]);
      expect(answers.at(-1)).toEqual({
        error: { code: -32600, message: "invalid request: a line holds one message" },
        id: null,
        jsonrpc: "2.0",
      });
    }
    expect((await answersTo([initialize, []])).at(-1)).toEqual({
      error: { code: -32600, message: "invalid request: the batch is empty" },
      id: null,
      jsonrpc: "2.0",
    });
  });
});
