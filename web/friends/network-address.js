/** The address of the page for other devices, when this device opened it by a name of its own. */

import { fetchJson } from "../engine/http.js";
import { describedPath, withFragment } from "../records/link.js";
import { DEFAULT_LANGUAGE, language } from "../texts/texts.js";

/** The names of this machine, which name another machine on another one. */
const LOCAL_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Returns the address of the page for other devices of the network, and whether they reach it.
 *
 * @param {{ href: string, hostname: string }} location
 * @param {readonly string[] | null} addresses those of the server in its network, if it knows that
 *   this page runs on the same machine
 */
export function addressForOthers({ href, hostname }, addresses) {
  const [first] = addresses ?? [];
  if (!LOCAL_HOST.test(hostname)) {
    return { address: href, isReachable: true };
  }
  return first === undefined
    ? { address: href, isReachable: false }
    : { address: first, isReachable: true };
}

/**
 * The addresses of the server in its network, once they are known.
 *
 * @type {string[] | null}
 */
let networkAddresses = null;

/** Requests the addresses of the server if the page has that of this machine. */
export async function loadNetworkAddresses() {
  if (networkAddresses !== null || !LOCAL_HOST.test(window.location.hostname)) {
    return;
  }
  try {
    /** @type {{ addresses: string[] | null }} */
    const { addresses } = await fetchJson("network");
    networkAddresses = addresses;
  } catch {
    // The link has the address of this page, with the note that others may not reach it.
  }
}

/**
 * Returns an address of the server that has its descriptions for messengers in a language. Messengers
 * do not send the language of their readers, and the server then takes the default one.
 *
 * @param {string} address
 * @param {string} code the BCP 47 code of the language
 */
export function describedIn(address, code) {
  const url = new URL(address);
  if (code !== DEFAULT_LANGUAGE) {
    url.searchParams.set("lang", code);
  }
  return url.href;
}

/**
 * Returns the link with a fragment for other devices, and whether they reach it.
 *
 * @param {string} fragment
 */
export function linkForOthers(fragment) {
  const { address, isReachable } = addressForOthers(window.location, networkAddresses);
  // A file host has no addresses for messengers.
  const hasServer = document.documentElement.dataset.friends === "enabled";
  const path = hasServer ? describedPath(fragment) : null;
  const link =
    path === null
      ? withFragment(address, fragment)
      : describedIn(new URL(path, address).href, language);
  return { link, isReachable };
}
