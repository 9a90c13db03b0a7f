/**
 * The files of this version by their paths in the page's folder, with their SHA-256 in hexadecimal
 * digits.
 */
declare const FILES: Readonly<Record<string, string>>;

/** A hash of `FILES`. */
declare const VERSION: string;

/** Whether the page uses the engine of the server that has sent it. */
declare const NEEDS_SERVER: boolean;
