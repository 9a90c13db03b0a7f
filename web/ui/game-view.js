/**
 * The game view around the board: players, status line, errors, controls and the end of the game.
 */

import { hintText, moveText, resultText, sowingText, turnText } from "../game/descriptions.js";
import { currentMode } from "../game/modes.js";
import { ownSide, playerAt, sideName, SIDES } from "../game/players.js";
import { currentNode, gameResult, position } from "../game/tree.js";
import { goToPanel } from "../panels/panels.js";
import { byId, html, icon, setText } from "./dom.js";

/** @import { Side } from "../types/api.d.ts" */
/** @import { App, GameTree, Mode, State } from "../types/app.d.ts" */

/** The ids of the controls that a mode can disable. */
const CONTROLS = /** @type {const} */ (["undo", "redo", "hint", "resign"]);

/**
 * Creates the game view.
 *
 * @param {App} app
 * @param {ReadonlyMap<string, Mode>} modes
 */
export function createGameView(app, modes) {
  const { actions } = app;
  const on = (/** @type {string} */ id, /** @type {() => void} */ act) =>
    byId(id).addEventListener("click", ({ currentTarget }) => {
      if (!(currentTarget instanceof HTMLElement) || currentTarget.ariaDisabled !== "true") {
        act();
      } else if (currentTarget.title) {
        // Touch screens do not show the title of a disabled control.
        actions.showError(currentTarget.title);
      }
    });
  byId("to-board").addEventListener("click", (event) => {
    // The address holds a game, so the link must not change its fragment.
    event.preventDefault();
    byId("board").focus();
  });
  on("open-new-game", () => actions.openDialog("new-game"));
  on("game-end-new-game", () => actions.openDialog("new-game"));
  on("open-settings", () => actions.openDialog("settings"));
  on("open-help", () => actions.openDialog("help"));
  on("undo", actions.undo);
  on("redo", actions.redo);
  on("hint", actions.hint);
  on("resign", () => actions.openDialog("resign"));
  on("margins", () => actions.setSettings({ margins: !app.state().settings.margins }));
  on("swap", () => actions.requestMove("swap"));
  on("rematch", actions.rematch);
  on("resume", actions.resume);
  on("review", () => goToPanel(app, "review"));

  /** @param {State} state @param {State} previous */
  function render(state, previous) {
    drawError(state, actions);
    const { tree } = state;
    byId("turn").classList.toggle("busy", state.busy !== null);
    if (!tree) {
      byId("turn").textContent = state.busy ? `${state.busy.phrase}…` : "No game yet";
      for (const id of CONTROLS) {
        setEnabled(byId(id), false);
      }
      return;
    }
    const mode = currentMode(modes, state);
    for (const side of SIDES) {
      drawPlate(byId(`plate-${side}`), state, tree, side);
    }
    byId("turn").textContent = mode.status(state) ?? statusText(state, tree);
    byId("event").textContent = eventText(state, tree);
    for (const id of CONTROLS) {
      const closed = id === "hint" ? state.analysisLock : null;
      setEnabled(
        byId(id),
        mode.can(id, state) && !closed && !(id === "hint" && state.busy),
        closed,
      );
    }
    setEnabled(byId("margins"), !state.analysisLock, state.analysisLock);
    byId("margins").setAttribute(
      "aria-pressed",
      String(state.settings.margins && !state.analysisLock),
    );
    byId("resign").hidden = state.mode === "explore";
    byId("swap").hidden =
      state.animation !== null ||
      !(position(tree).legal_moves.includes("swap") && mode.canMove(state));
    byId("suspended-game").hidden = state.suspendedGame === null || state.mode !== "explore";
    drawGameEnd(state, previous, tree, mode);
  }

  return { render };
}

/**
 * Disables a control with `aria-disabled`, so that it keeps the keyboard focus.
 *
 * @param {HTMLElement} button
 * @param {boolean} enabled
 * @param {string | null} [reason] the reason why it is disabled
 */
function setEnabled(button, enabled, reason = null) {
  button.setAttribute("aria-disabled", String(!enabled));
  button.title = reason ?? "";
}

/**
 * @param {State} state
 * @param {GameTree} tree
 */
function statusText(state, tree) {
  if (state.animation) {
    return sowingText(state, tree, state.animation.moveResult);
  }
  if (state.busy && state.busy.kind !== "sow") {
    return `${state.busy.phrase}…`;
  }
  if (gameResult(tree)) {
    return resultText(state, tree);
  }
  const { to_move: side } = position(tree);
  const own = ownSide(state, tree);
  if (own === side && state.mode !== "explore") {
    const bonus = currentNode(tree)?.moveResult.effect === "bonus-turn";
    const where = side === "south" ? "lower" : "upper";
    return bonus
      ? `Bonus turn: sow a house of the ${where} row again`
      : `Your turn: sow a house of the ${where} row`;
  }
  return turnText(state, tree);
}

/**
 * Describes the last move or the hint.
 *
 * @param {State} state
 * @param {GameTree} tree
 */
function eventText(state, tree) {
  if (state.animation) {
    return "";
  }
  const at = position(tree);
  if (state.hint?.position === at.position) {
    return hintText(state, at, state.hint);
  }
  const node = currentNode(tree);
  return node ? moveText(state, tree, node.moveResult) : "";
}

/**
 * Draws the name of the player on a side and the marker of the side to move.
 *
 * @param {HTMLElement} plate
 * @param {State} state
 * @param {GameTree} tree
 * @param {Side} side
 */
function drawPlate(plate, state, tree, side) {
  const player = playerAt(state, tree, side);
  const sowing = state.animation?.moveResult.side === side;
  const onTurn = state.animation
    ? sowing
    : gameResult(tree) === null && position(tree).to_move === side;
  const name = html("span", { class: "name" }, player.name);
  const where = player.name === sideName(side) ? "" : sideName(side);
  const parts = [name, html("span", { class: "side-name" }, where)];
  if (onTurn) {
    parts.push(html("span", { class: "turn-marker" }, icon("turn"), sowing ? "sowing" : "to move"));
  }
  plate.classList.toggle("on-turn", onTurn);
  const text = `${player.name} ${where} ${onTurn} ${sowing}`;
  if (plate.dataset.text !== text) {
    plate.dataset.text = text;
    // The clock element stays, because the friend panel updates it.
    plate.replaceChildren(...parts, byId(`clock-${side}`));
  }
}

/**
 * @param {State} state
 * @param {App["actions"]} actions
 */
function drawError({ error }, actions) {
  const element = byId("error");
  if (element.dataset.message === (error?.message ?? "")) {
    return;
  }
  element.dataset.message = error?.message ?? "";
  element.hidden = !error;
  element.replaceChildren();
  if (!error) {
    return;
  }
  element.append(html("p", {}, error.message));
  const { retry } = error;
  if (retry) {
    const again = html("button", { type: "button" }, "Try again");
    again.addEventListener("click", retry);
    element.append(again);
  }
  const close = html(
    "button",
    { type: "button", class: "quiet", "aria-label": "Dismiss" },
    icon("close"),
  );
  close.addEventListener("click", actions.dismissError);
  element.append(close);
}

/**
 * Draws the banner at the end of a game, after the last animation.
 *
 * @param {State} state
 * @param {State} previous
 * @param {GameTree} tree
 * @param {Required<Mode>} mode
 */
function drawGameEnd(state, previous, tree, mode) {
  const banner = byId("game-end");
  const final = gameResult(tree);
  const show = final !== null && !state.animation && state.mode !== "explore";
  byId("rematch").hidden = !mode.can("rematch", state);
  byId("status").hidden = show;
  if (!show) {
    const hadFocus = banner.contains(document.activeElement);
    banner.hidden = true;
    if (hadFocus) {
      byId("board").focus({ preventScroll: true });
    }
    return;
  }
  const own = ownSide(state, tree);
  const { winner, stores, termination } = final;
  const title = own
    ? winner === own
      ? "You win"
      : winner
        ? "You lose"
        : "A tie"
    : winnerTitle(state, tree, winner);
  byId("game-end-title").textContent = title;
  const how =
    termination === "normal"
      ? ""
      : termination === "resign"
        ? " by resignation"
        : ` (${termination})`;
  byId("game-end-text").textContent = `South ${stores.south}, North ${stores.north}${how}.`;
  setText(byId("game-end-note"), mode.status(state) ?? "");
  banner.dataset.outcome = own && winner ? (winner === own ? "won" : "lost") : "even";
  if (banner.hidden) {
    banner.hidden = false;
    if (termination !== "normal") {
      return;
    }
    // The board has no more moves, so the keyboard focus goes from the board to the banner.
    if (previous.tree && document.activeElement?.closest("#board")) {
      banner.focus({ preventScroll: true });
    }
    banner.scrollIntoView({ block: "nearest" });
  }
}

/**
 * @param {State} state
 * @param {GameTree} tree
 * @param {Side | null} winner
 */
function winnerTitle(state, tree, winner) {
  return winner ? `${playerAt(state, tree, winner).name} wins` : "A tie";
}
