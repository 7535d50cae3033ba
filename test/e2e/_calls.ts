/** The contract's calls over HTTP, for tests that drive programs. */
import { parseJson, utf8Text } from "#internal/core/mod.ts";
import type { Method, MethodName, RpcCalls } from "#internal/rpc/mod.ts";
import { encodeRequest, errorBody, fromErrorBody, methods } from "#internal/rpc/mod.ts";
import { createHttpClient } from "#internal/runtime/mod.ts";

/** The calls of the node at a URL. @param timeoutMs of one call. */
export function callsAt(url: string, timeoutMs: number): RpcCalls {
  const http = createHttpClient();
  const call = (name: MethodName) => async (params: unknown) => {
    const { query, contentType, body } = encodeRequest(methods[name], params);
    const response = await http.request({
      url: `${url}/rpc/${name}${query}`,
      method: "POST",
      headers: { "content-type": contentType },
      body,
      timeoutMs,
    });
    const value = parseJson(utf8Text(response.body));
    if (response.status !== 200) throw fromErrorBody(errorBody.parse(value, "answer"));
    return (methods[name] as Method<unknown, { readonly pulse: number }>).result.parse(value, name);
  };
  const names = Object.keys(methods) as MethodName[];
  return Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as RpcCalls;
}
