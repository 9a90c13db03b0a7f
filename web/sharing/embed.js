/**
 * The board in a frame of another site: `<html data-embed="true">`. It shows the game of its address with
 * the list of moves, and leads to the page. It stores nothing, and no game with a friend opens in it.
 */

import { startAddress } from "../records/address.js";
import { linkFragment } from "../records/records.js";
import { texts } from "../texts/texts.js";
import { byId, html } from "../ui/dom.js";

/** @import { App } from "../types/app.d.ts" */

/**
 * Opens the game of the address, and adds the link to the page.
 *
 * @param {App} app
 */
export function startEmbed(app) {
  const address = `./${window.location.hash}`;
  const link = html(
    "a",
    { href: address, target: "_blank", rel: "noopener" },
    texts.sharing.openPage,
  );
  byId("moves").append(html("p", { class: "embed-link" }, link));
  app.subscribe(async (state, previous) => {
    const { tree, grades } = state;
    if (tree && (tree !== previous.tree || grades !== previous.grades)) {
      const { fragment } = await linkFragment(app, state, tree).catch(() => ({ fragment: "" }));
      if (app.state().tree === tree) {
        link.href = `./${fragment}`;
      }
    }
  });
  void startAddress(app);
}
