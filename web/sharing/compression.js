/**
 * Texts in addresses: UTF-8, compressed as a raw stream of DEFLATE (RFC 1951) by the browser, in the
 * letters of base64url (RFC 4648).
 */

/** The longest text that a compressed one may hold, in bytes. */
const MAX_TEXT_BYTES = 256 * 1024;

const FORMAT = "deflate-raw";

/** The number of bytes that become letters at once; functions have a limited number of arguments. */
const BYTES_PER_CALL = 8_192;

/** @param {Uint8Array} bytes */
function toBase64Url(bytes) {
  let binary = "";
  for (let first = 0; first < bytes.length; first += BYTES_PER_CALL) {
    binary += String.fromCharCode(...bytes.subarray(first, first + BYTES_PER_CALL));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
function fromBase64Url(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/**
 * Returns the bytes of a stream.
 *
 * @param {ReadableStream<Uint8Array>} stream
 * @param {number} most rejects with a `RangeError` if the stream has more bytes
 */
async function readAll(stream, most) {
  const chunks = [];
  let length = 0;
  for (const reader = stream.getReader(); ;) {
    const { value } = await reader.read();
    if (!value) {
      break;
    }
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new RangeError(`the text is longer than ${most} bytes`);
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let place = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, place);
    place += chunk.length;
  }
  return bytes;
}

/**
 * Returns a text for an address.
 *
 * @param {string} text
 */
export async function compress(text) {
  const compressed = new Blob([text]).stream().pipeThrough(new CompressionStream(FORMAT));
  return toBase64Url(await readAll(compressed, Infinity));
}

/**
 * Returns the text of {@link compress}. It rejects if the letters are damaged, or if the text is longer
 * than 256 KiB.
 *
 * @param {string} compressed
 */
export async function decompress(compressed) {
  const bytes = new Blob([fromBase64Url(compressed)]).stream();
  const text = bytes.pipeThrough(new DecompressionStream(FORMAT));
  return new TextDecoder("utf-8", { fatal: true }).decode(await readAll(text, MAX_TEXT_BYTES));
}
