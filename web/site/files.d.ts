/**
 * The files of this version by their paths in the page's folder, with their SHA-256 in hexadecimal
 * digits.
 */
declare const FILES: Readonly<Record<string, string>>;
