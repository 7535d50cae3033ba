/** Server-sent events out of the bytes of a stream, by the WHATWG HTML standard, section 9.2.6. */

/**
 * Takes the pieces of one stream and returns the data of the events that each makes whole. Names and
 * ids of events are not kept; what has no empty line behind it at the stream's end is none.
 */
export function createEventReader(): (piece: Uint8Array) => readonly string[] {
  // A byte order mark at the beginning is left out by it.
  const decoder = new TextDecoder();
  /** The beginning of a line whose end has not come. */
  let open: string[] = [];
  let data: string[] = [];
  let afterCr = false;
  const takeLine = (line: string, events: string[]): void => {
    if (line === "") {
      if (data.length > 0) events.push(data.join("\n"));
      data = [];
      return;
    }
    const [, value] = /^data(?:: ?(.*))?$/s.exec(line) ?? [];
    if (value !== undefined || line === "data") data.push(value ?? "");
  };
  return (piece) => {
    const events: string[] = [];
    let text = decoder.decode(piece, { stream: true });
    if (afterCr && text !== "") {
      if (text.startsWith("\n")) text = text.slice(1);
      afterCr = false;
    }
    const lines = text.split(/\r\n|\r|\n/);
    const last = lines.pop() ?? "";
    for (const line of lines) {
      takeLine(open.length === 0 ? line : [...open, line].join(""), events);
      open = [];
    }
    if (last !== "") open.push(last);
    if (text.endsWith("\r")) afterCr = true;
    return events;
  };
}
