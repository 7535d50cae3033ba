/** Runs a filter as the kernel does, so that tests ask it instead of reading it. */

/** A system call as a filter sees it. */
export interface SeenCall {
  readonly number: number;
  readonly architecture: number;
  readonly arguments?: readonly number[];
}

/** The verdict of a filter. @throws {Error} when it is none that a kernel would take */
export function runFilter(bytes: Uint8Array, call: SeenCall): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.architecture, true);
  for (const [index, value] of (call.arguments ?? []).entries()) {
    data.setUint32(16 + 8 * index, value >>> 0, true);
  }
  let loaded = 0;
  for (let at = 0; at < bytes.length / 8; at++) {
    const operand = view.getUint32(8 * at + 4, true);
    const skip = (holds: boolean): number => view.getUint8(8 * at + (holds ? 2 : 3));
    switch (view.getUint16(8 * at, true)) {
      case 0x20:
        if (operand % 4 !== 0 || operand > 60) throw new Error(`loads at ${operand}`);
        loaded = data.getUint32(operand, true);
        break;
      case 0x15:
        at += skip(loaded === operand);
        break;
      case 0x35:
        at += skip(loaded >= operand);
        break;
      case 0x45:
        at += skip((loaded & operand) !== 0);
        break;
      case 0x06:
        return operand;
      default:
        throw new Error(`no operation at ${at}`);
    }
  }
  throw new Error("runs off its end");
}
