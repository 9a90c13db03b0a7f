/** The files of this version by their paths in the page's folder, and the SHA-256 of each in hexadecimal digits. */
declare const FILES: Readonly<Record<string, string>>;
