/** What the tests use of express, which has no types of its own. */
declare module "express" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export type Request = IncomingMessage;
  export type Response = ServerResponse & { json(value: unknown): void };
  export type NextFunction = (error?: unknown) => void;
  type Handler = (request: Request, response: Response, next: NextFunction) => unknown;
  interface Application {
    (request: IncomingMessage, response: ServerResponse): void;
    use(handler: Handler): void;
    get(path: string, handler: Handler): void;
  }
  export default function express(): Application;
}
