/** A validator's thread: opens the validator it is given and serves the main thread until stopped. */
import type { Logger } from "#internal/core/mod.ts";
import { messageOf } from "#internal/core/mod.ts";
import type { RpcCalls } from "#internal/rpc/mod.ts";
import type { WorkerPort } from "#internal/runtime/mod.ts";
import { systemClock, systemRandom } from "#internal/runtime/mod.ts";
import type { FromValidator, ToValidator, ValidatorTaskData } from "./protocol.ts";
import { sendableError } from "./protocol.ts";
import type { OpenValidator } from "./validator.ts";
import { openValidator } from "./validator.ts";

/** Does the work of a validator's thread; returns once it is open. */
export async function runValidatorTask(port: WorkerPort): Promise<void> {
  const post = (message: FromValidator): void => port.post(message);
  const logger: Logger = {
    log: (level, message, fields = {}) => post({ type: "log", level, message, fields }),
  };
  const { genesis, place, fresh, shown, token } = port.data as ValidatorTaskData;
  let validator: OpenValidator;
  try {
    validator = await openValidator({
      genesis,
      place,
      fresh,
      shown,
      token,
      clock: systemClock,
      random: systemRandom,
      logger,
      onPulse: (number) => post({ type: "pulse", number }),
      onFault: (error) => post({ type: "fault", error: sendableError(error) }),
    });
  } catch (error) {
    return post({ type: "fault", error: sendableError(error) });
  }
  serve(validator, port, post);
  post({ type: "open", chain: validator.chain, port: validator.port });
}

function serve(
  validator: OpenValidator,
  port: WorkerPort,
  post: (message: FromValidator) => void,
): void {
  const running = new Map<number, AbortController>();
  const answer = async (message: Extract<ToValidator, { type: "call" }>): Promise<void> => {
    const { id, method, params } = message;
    const abort = new AbortController();
    running.set(id, abort);
    try {
      // Parameters were read by the method's shape before they came here.
      const call = validator.calls[method] as RpcCalls["account"];
      const value = await call(params as never, { signal: abort.signal });
      post({ type: "result", id, value });
    } catch (error) {
      post({ type: "error", id, error: sendableError(error) });
    } finally {
      running.delete(id);
    }
  };
  port.onMessage((message) => {
    const received = message as ToValidator;
    switch (received.type) {
      case "start":
        return validator.start(received.ports);
      case "call":
        return void answer(received);
      case "cancel":
        return running.get(received.id)?.abort();
      case "stop":
        return void stop(validator, post);
    }
  });
}

async function stop(
  validator: OpenValidator,
  post: (message: FromValidator) => void,
): Promise<void> {
  try {
    await validator[Symbol.asyncDispose]();
  } catch (error) {
    post({ type: "log", level: "error", message: messageOf(error), fields: {} });
  }
  post({ type: "stopped" });
}
