/**
 * Who may import whom (docs/architecture.md). The order of the units is data here and nowhere else;
 * every rule is derived from it. A unit may import only from its left; units in one entry are
 * siblings and do not import each other.
 */
const ORDER = [
  ["core"],
  ["crypto"],
  ["merkle"],
  ["memory"],
  ["ledger"],
  ["proofs"],
  ["consensus"],
  ["rpc"],
  ["x402"],
  ["runtime"],
  ["search"],
  ["store"],
  ["sandbox"],
  ["node", "client"],
  ["mcp"],
  ["agent"],
  ["channels"],
  ["gateway"],
  ["explore"],
  ["cli"],
];

/** Units without I/O: no built-in module there, but `node:buffer`, and `node:crypto` in `crypto`. */
const PURE = ["core", "crypto", "merkle", "memory", "ledger", "proofs", "consensus", "rpc", "x402"];

/** Folders whose files are variants of one family: they share through `mod.ts` and `_*.ts` only. */
const FAMILIES = [
  "internal/ledger/tx",
  "internal/sandbox/backends",
  "internal/mcp/tools",
  "internal/agent/checks/checkers",
  "internal/agent/checks/test_formats",
  "internal/agent/checks/test_runners",
  "internal/agent/tools",
  "internal/agent/events",
  "internal/agent/models",
  "internal/agent/policy",
  "internal/agent/capabilities",
  "internal/agent/commands",
  "internal/agent/search_providers",
  "internal/agent/models",
  "internal/cli/commands",
  "internal/explore/pages",
];

const layerRules = ORDER.flatMap((step, index) => {
  const left = ORDER.slice(0, index).flat();
  return step.map((unit) => ({
    name: `layer-${unit}`,
    comment: `${unit} imports only ${left.join(", ") || "nothing of the project"}`,
    severity: "error",
    from: { path: `^internal/${unit}/` },
    to: { path: "^internal/", pathNot: `^internal/(${[...left, unit].join("|")})/` },
  }));
});

/** A variant is `x.ts`, `x_run.ts` (what `x.ts` loads lazily), or a folder `x/`. */
const familyRules = FAMILIES.flatMap((folder) =>
  [
    { path: `^${folder}/(?!mod[.]ts|_)([^/.]+)`, pathNot: "_run[.]ts$" },
    { path: `^${folder}/([^/.]+)_run[.]ts$` },
  ].map((from) => ({
    name: `variant-${folder.replaceAll("/", "-")}`,
    comment: "a variant never imports another variant of its family",
    severity: "error",
    from,
    to: { path: `^${folder}/`, pathNot: `^${folder}/(mod[.]ts|_|$1(_|[.]|/))` },
  }))
);

export default {
  forbidden: [
    ...layerRules,
    ...familyRules,
    {
      name: "unknown-unit",
      comment: "every folder of internal/ has its place in the order",
      severity: "error",
      from: { path: "^internal/", pathNot: `^internal/(${ORDER.flat().join("|")})/` },
      to: {},
    },
    {
      name: "door",
      comment: "a unit is entered through its mod.ts",
      severity: "error",
      from: { path: "^internal/([^/]+)/" },
      to: { path: "^internal/", pathNot: "^internal/($1/|[^/]+/mod[.]ts$)" },
    },
    {
      name: "door-from-outside",
      comment: "programs and scripts enter a unit through its mod.ts",
      severity: "error",
      from: { path: "^(cmd|exports|scripts)/" },
      to: { path: "^internal/", pathNot: "^internal/[^/]+/mod[.]ts$" },
    },
    {
      name: "product-imports-product",
      comment: "the product imports no tests, fixtures, scripts, and nothing imports a program",
      severity: "error",
      from: { path: "^(internal|cmd|exports)/" },
      to: { path: "^(test|fixtures|scripts|docs)/" },
    },
    {
      name: "nothing-imports-a-program",
      severity: "error",
      from: { path: "^internal/" },
      to: { path: "^(cmd|exports)/" },
    },
    {
      name: "programs-apart",
      severity: "error",
      from: { path: "^cmd/([^/]+)/" },
      to: { path: "^cmd/", pathNot: "^cmd/$1/" },
    },
    {
      name: "no-dev-dependency",
      comment: "what the product imports is in `dependencies`, pinned",
      severity: "error",
      from: { path: "^(internal|cmd|exports)/" },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "pure-unit",
      comment:
        "no built-in module in a unit without I/O, but node:buffer, and node:crypto in crypto",
      severity: "error",
      from: { path: `^internal/(${PURE.join("|")})/` },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?(buffer|crypto)$" },
    },
    {
      name: "hashes-from-crypto",
      severity: "error",
      from: { path: `^internal/(${PURE.filter((unit) => unit !== "crypto").join("|")})/` },
      to: { dependencyTypes: ["core"], path: "^(node:)?crypto$" },
    },
    { name: "no-cycle", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|[.]cache)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".mjs", ".js", ".json"],
    },
  },
};
