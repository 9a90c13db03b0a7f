/** Server-sent events: the parser of the stream, as the HTML standard defines the format. */

/**
 * Creates a parser of server-sent events. The stream may be split anywhere, also within a line
 * ending. Comments and the fields `id` and `retry` are ignored.
 *
 * @param {(name: string, data: string) => void} onEvent receives the name and the data of each
 *   event; the name of an event without one is `message`
 * @returns {(text: string) => void} receives the next part of the stream
 */
export function createEventParser(onEvent) {
  let rest = "";
  let name = "";
  /** @type {string[]} */
  let data = [];

  /** @param {string} line */
  const readLine = (line) => {
    if (line === "") {
      if (data.length > 0) {
        onEvent(name || "message", data.join("\n"));
      }
      name = "";
      data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") {
      name = value;
    } else if (field === "data") {
      data.push(value);
    }
  };

  return (text) => {
    rest += text;
    // A carriage return at the end may be the first half of a line ending.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    lines.forEach(readLine);
  };
}
