/** A site of the internet, as far as anybody looks: a server here at an address that is public. */
import type { RequestListener } from "node:http";
import type { WebNetwork } from "#internal/runtime/mod.ts";
import type { AnyCapability, Web } from "../../../internal/agent/capabilities/mod.ts";
import { capabilities } from "../../../internal/agent/capabilities/mod.ts";
import { web } from "../../../internal/agent/capabilities/web.ts";
import type { Search } from "../../../internal/agent/search_providers/mod.ts";
import type { PdfText } from "../../../internal/agent/web/pdf_text.ts";
import { createPageReader } from "../../../internal/agent/web/web.ts";
import type { PageReader } from "../../../internal/agent/web/web.ts";
import { serve } from "../../gateway/bench.ts";

/** A site and what reads it. */
export interface Site extends AsyncDisposable {
  /** The address of a path of it. */
  at(path: string): string;
  readonly network: WebNetwork;
  /** Reads it as a session does. @param pdfText @default no document can be converted */
  reader(pdfText?: PdfText): PageReader;
  /** The product's capabilities, with the network of the site. */
  capabilities(search?: Search): readonly AnyCapability[];
  /** What was asked of it: paths, in order. */
  readonly asked: string[];
}

/** Starts one as `site.example`; every other name is an address of a private network. */
export async function startSite(listener: RequestListener): Promise<Site> {
  const asked: string[] = [];
  const server = await serve((request, response) => {
    asked.push(request.url ?? "");
    listener(request, response);
  });
  const { port } = new URL(server.url);
  const network: WebNetwork = {
    resolve: (host) => Promise.resolve([host === "site.example" ? "93.184.216.34" : "10.0.0.1"]),
    reached: () => "127.0.0.1",
  };
  const noPdf: PdfText = () => Promise.reject(new Error("no document is converted here"));
  const reader = (pdfText = noPdf): PageReader => createPageReader({ pdfText, network });
  return {
    asked,
    at: (path) => `http://site.example:${port}${path}`,
    network,
    reader,
    capabilities: (search) =>
      capabilities.map((one): AnyCapability =>
        one.name === "web"
          ? {
            ...web,
            open: (): Promise<Web> =>
              Promise.resolve({ pages: reader(), ...(search === undefined ? {} : { search }) }),
          }
          : one
      ),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
