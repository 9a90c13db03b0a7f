/**
 * The game view around the board: players, status line, errors, controls and the end of the game.
 */

import {
  endingText,
  hintText,
  moveText,
  playersTitle,
  previewText,
  resultText,
  sowingText,
  storesText,
  turnText,
} from "../game/descriptions.js";
import { currentMode, LESSON_MODE } from "../game/modes.js";
import { bottomSide, opposite, ownSide, playerAt, sideName, SIDES } from "../game/players.js";
import { ABORTED, currentNode, gameResult, hasNoResult, position, VOIDED } from "../game/tree.js";
import { goToPanel } from "../panels/panels.js";
import { texts } from "../texts/texts.js";
import { byId, html, icon, setText } from "./dom.js";

/** @import { GameResult } from "../game/tree.js" */
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
  listen(app);
  return {
    /** @param {State} state @param {State} previous */
    render(state, previous) {
      drawError(state, app.actions);
      byId("turn").classList.toggle("busy", state.busy !== null);
      if (state.tree) {
        drawGame(state, previous, state.tree, currentMode(modes, state));
      } else {
        drawNoGame(state);
      }
    },
  };
}

/** Listens to the controls. @param {App} app */
function listen(app) {
  const { state, actions } = app;
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
  on("margins", () => actions.setSettings({ margins: !state().settings.margins }));
  on("swap", () => actions.requestMove("swap"));
  on("rematch", actions.rematch);
  on("resume", actions.resume);
  on("flip", actions.flip);
  on("open-share", () => actions.openDialog("share"));
  on("sound", () => actions.setSettings({ sound: !state().settings.sound }));
  on("review", () => goToPanel(app, "review"));
}

/** Draws the page before its first game. @param {State} state */
function drawNoGame({ busy }) {
  byId("turn").textContent = busy ? `${busy.phrase}…` : texts.game.noGame;
  for (const id of CONTROLS) {
    setEnabled(byId(id), { enabled: false });
  }
}

/**
 * @param {State} state
 * @param {State} previous
 * @param {GameTree} tree
 * @param {Required<Mode>} mode
 */
function drawGame(state, previous, tree, mode) {
  placePlates(bottomSide(state, tree));
  document.title = titleText(state, tree, mode);
  for (const side of SIDES) {
    drawPlate(byId(`plate-${side}`), state, tree, side);
  }
  drawStatus(state, tree, mode);
  drawControls(state, tree, mode);
  drawSuspendedGame(state);
  drawGameEnd(state, previous, tree, mode);
}

/** Draws the notice that leads back to the suspended game. @param {State} state */
function drawSuspendedGame({ suspendedGame, mode }) {
  byId("suspended-game").hidden = suspendedGame === null || mode !== "explore";
  if (suspendedGame) {
    const isOver = gameResult(suspendedGame.tree) !== null;
    setText(
      byId("suspended-game-text"),
      isOver ? texts.game.exploringFinished : texts.game.exploring,
    );
    setText(byId("resume"), isOver ? texts.game.backToEnd : texts.game.backToGame);
  }
}

/**
 * Draws the lines below the board.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @param {Required<Mode>} mode
 */
function drawStatus(state, tree, mode) {
  const { preview, notice } = state;
  const at = position(tree).position;
  byId("turn").textContent = mode.status(state) ?? statusText(state, tree);
  byId("event").textContent = eventText(state, tree);
  byId("event").classList.toggle("notice", notice?.position === at);
  const isPreviewed = preview?.position === at;
  setText(byId("preview"), isPreviewed ? previewText(state, tree, preview.moveResult) : "");
}

/** @param {State} state @param {GameTree} tree @param {Required<Mode>} mode */
function drawControls(state, tree, mode) {
  const { settings, busy, analysisLock, animation } = state;
  byId("sound").setAttribute("aria-pressed", String(settings.sound));
  for (const id of CONTROLS) {
    const lock = id === "hint" ? analysisLock : null;
    const isWaiting = id === "hint" && busy !== null;
    const enabled = mode.can(id, state) && !lock && !isWaiting;
    setEnabled(byId(id), { enabled, reason: lock });
  }
  const scoresLock = scoresLockText(state);
  setEnabled(byId("margins"), { enabled: scoresLock === null, reason: scoresLock });
  byId("margins").setAttribute("aria-pressed", String(settings.margins && scoresLock === null));
  drawHiddenControls(state, mode);
  byId("controls").hidden = byId("moves").hidden = state.mode === LESSON_MODE;
  const maySwap = position(tree).legal_moves.includes("swap") && mode.canMove(state);
  byId("swap").hidden = animation !== null || !maySwap;
}

/**
 * Hides the controls that a game does not offer.
 *
 * @param {State} state
 * @param {Required<Mode>} mode
 */
function drawHiddenControls(state, mode) {
  const hides = mode.hidesControls(state);
  for (const id of /** @type {const} */ (["undo", "redo", "hint", "resign"])) {
    byId(id).hidden = hides && !mode.can(id, state);
  }
  byId("margins").hidden = hides && !mode.can("hint", state);
  byId("resign").hidden ||= state.mode === "explore";
}

/**
 * Disables a control with `aria-disabled`, so that it keeps the keyboard focus.
 *
 * @param {HTMLElement} button
 * @param {{ enabled: boolean, reason?: string | null }} options `reason` tells why it is disabled
 */
function setEnabled(button, { enabled, reason = null }) {
  button.setAttribute("aria-disabled", String(!enabled));
  button.title = reason ?? "";
}

/** Returns the reason why the board shows no scores, or `null`. @param {State} state */
function scoresLockText({ analysisLock, scoresLock, panel }) {
  const inReview = panel === "review" ? texts.review.scoresHidden : null;
  return analysisLock ?? scoresLock ?? inReview;
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
    return bonus ? texts.game.pickHouseAgain : texts.game.pickHouse;
  }
  return turnText(state, tree);
}

/** Returns whether no person plays a game, so that it has no result. @param {State} state */
function isWithoutResult({ mode }) {
  return mode === "explore" || mode === LESSON_MODE;
}

/**
 * Returns the title of the document: whether it is the turn of the person at this device, or the
 * result at the end of the game.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @param {Required<Mode>} mode
 */
function titleText(state, tree, mode) {
  if (isWithoutResult(state) || (state.animation && gameResult(tree))) {
    return playersTitleOrDefault(state, tree);
  }
  if (gameResult(tree)) {
    return texts.page.titleOf(resultText(state, tree).replace(/\.$/, ""));
  }
  return ownSide(state, tree) === position(tree).to_move && mode.canMove(state)
    ? texts.page.titleOf(texts.page.yourTurn)
    : playersTitleOrDefault(state, tree);
}

/**
 * Returns the title with the names of two persons, or that of the page.
 *
 * @param {State} state
 * @param {GameTree} tree
 */
function playersTitleOrDefault(state, tree) {
  const names = playersTitle(state, tree);
  return names ? texts.page.titleOf(names) : texts.page.title;
}

/**
 * Places the names of the players above and below the board, each at its row.
 *
 * @param {Side} bottom
 */
function placePlates(bottom) {
  const lower = byId(`plate-${bottom}`);
  const line = byId("lower-line");
  if (lower.parentElement !== line) {
    line.prepend(lower);
    byId("upper-line").prepend(byId(`plate-${opposite(bottom)}`));
  }
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
  if (state.notice?.position === at.position) {
    return state.notice.text;
  }
  if (state.preview?.position === at.position) {
    return previewText(state, tree, state.preview.moveResult);
  }
  if (state.hint?.position === at.position) {
    return hintText(state, at, state.hint);
  }
  const node = state.mode === LESSON_MODE ? null : currentNode(tree);
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
  // A person who has given a name knows by it which plate is the own one.
  const ownName = player.isYou && player.player.kind === "person" ? player.player.name : undefined;
  const shown = ownName === undefined ? player.name : texts.game.youNamed(ownName);
  const name = html("span", { class: "name" }, shown);
  const where = player.name === sideName(side) ? "" : sideName(side);
  const parts = [name, html("span", { class: "side-name" }, where)];
  if (onTurn) {
    parts.push(
      html(
        "span",
        { class: "turn-marker" },
        icon("turn"),
        sowing ? texts.game.isPlaying : texts.game.isToMove,
      ),
    );
  }
  plate.classList.toggle("on-turn", onTurn);
  const text = `${shown} ${where} ${onTurn} ${sowing}`;
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
    const again = html("button", { type: "button" }, texts.common.tryAgain);
    again.addEventListener("click", retry);
    element.append(again);
  }
  const close = html(
    "button",
    { type: "button", class: "quiet", "aria-label": texts.common.dismiss },
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
  const show = final !== null && !state.animation && !isWithoutResult(state);
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
  const { winner, termination } = final;
  byId("game-end-title").textContent = endTitle(state, tree, final);
  byId("game-end-text").textContent = endText(state, tree, final);
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
 * @param {GameResult} final
 */
function endTitle(state, tree, { winner, termination }) {
  if (!winner) {
    return hasNoResult({ termination }) ? texts.game.noResult : texts.game.draw;
  }
  const own = ownSide(state, tree);
  if (!own) {
    return texts.game.wins(playerAt(state, tree, winner).name);
  }
  return winner === own ? texts.game.youWin : texts.game.youLose;
}

/**
 * Describes how a game ended: the seeds in the stores if they decided it, or else the reason.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @param {GameResult} final
 */
function endText(state, tree, { stores, termination }) {
  switch (termination) {
    case "normal":
      return storesText(state, tree, stores);
    case "resign":
      return texts.game.byResignation;
    case ABORTED:
      return texts.game.noFirstMove;
    case VOIDED:
      return texts.rooms.voided;
    default:
      return `${storesText(state, tree, stores)} (${endingText(termination)})`;
  }
}
