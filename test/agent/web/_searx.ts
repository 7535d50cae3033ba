/** A real searx, whose one engine asks a server of the test. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { partPath } from "../../parts.ts";

/** Where it is to be and whom its engine asks. */
export interface SearxPlace {
  /** Its settings are written there. */
  readonly folder: string;
  readonly port: number;
  /** Answers `?q=…` with `{ "hits": [{ "address", "name", "words" }] }`. */
  readonly engine: string;
}

/** The command that runs it. It says `Running on` when it is there. */
export function searxCommand({ folder, port, engine }: SearxPlace): [string, ...string[]] {
  const path = join(folder, "searx.json");
  // YAML is a superset of JSON.
  writeFileSync(path, JSON.stringify(settings(port, engine)));
  // Debian's own Python has its modules.
  return ["/usr/bin/env", `SEARX_SETTINGS_PATH=${path}`, "/usr/bin/python3", partPath("searx")];
}

function settings(port: number, engine: string): unknown {
  return {
    general: { debug: false, instance_name: "test", contact_url: false, enable_stats: false },
    brand: {
      git_url: "",
      git_branch: "",
      issue_url: "",
      docs_url: "",
      public_instances: "",
      wiki_url: "",
      twitter_url: "",
    },
    search: {
      safe_search: 0,
      autocomplete: "",
      default_lang: "",
      ban_time_on_fail: 0,
      max_ban_time_on_fail: 0,
      formats: ["html", "json"],
    },
    server: {
      port,
      bind_address: "127.0.0.1",
      secret_key: "of-a-test",
      base_url: false,
      image_proxy: false,
      http_protocol_version: "1.0",
      method: "GET",
      default_http_headers: {},
    },
    ui: {
      static_path: "/usr/share/python3-searx/static",
      templates_path: "/usr/share/python3-searx/templates",
      default_theme: "oscar",
      default_locale: "",
      theme_args: { oscar_style: "logicodev" },
    },
    outgoing: {
      request_timeout: 30,
      useragent_suffix: "",
      pool_connections: 10,
      pool_maxsize: 10,
    },
    engines: [{
      name: "local",
      engine: "json_engine",
      shortcut: "lo",
      search_url: `${engine}?q={query}`,
      results_query: "hits",
      url_query: "address",
      title_query: "name",
      content_query: "words",
      categories: "general",
      time_range_support: true,
      enable_http: true,
    }],
    locales: { en: "English" },
    doi_resolvers: { "oadoi.org": "https://oadoi.org/" },
    default_doi_resolver: "oadoi.org",
  };
}
