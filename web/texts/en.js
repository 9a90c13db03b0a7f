/**
 * All texts of the page in English, by topic. A text with parameters or a plural is a function.
 *
 * `de.js` has the same keys. `index.html` names keys in its attributes `data-text`, `data-label`
 * and `data-content`.
 */

import { formatters } from "./format.js";

/** @import { Side } from "../types/api.d.ts" */

/**
 * The subject of a sentence; `isYou` is true for the one person at this device.
 *
 * @typedef {{ name: string, isYou: boolean }} Subject
 */

const { number, compact, percent, date, time, and, or, unit } = formatters("en");

/** @param {number} count @param {string} one @param {string} many */
const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;

/** @param {number} count */
const seeds = (count) => plural(count, "seed", "seeds");

/** @param {number} count */
const moves = (count) => plural(count, "move", "moves");

/** The beginning of "as many as ..."; `limit` is null if unknown. @param {number | null} limit */
const connections = (limit) =>
  limit === null
    ? "as many live connections"
    : `${plural(limit, "live connection", "live connections")}, as many`;

/** @param {Subject} subject @param {string} verb */
const does = ({ name, isYou }, verb) => (isYou ? `You ${verb}` : `${name} ${verb}s`);

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const SIDE_NAMES = { south: "South", north: "North" };

/** The name of the one person at this device. */
const YOU = "You";

export const en = {
  page: {
    description: "Play Kalah against the computer or a friend, analyse and review your games.",
    noScript: "This page needs JavaScript.",
    skip: "Skip to the board",
    navigation: "Game and page",
    newGame: "New game",
    settings: "Settings",
    help: "Help",
    game: "Game",
    panels: "Panels",
    log: "Game log",
    title: "Kalah",
    titleOf: (/** @type {string} */ text) => `${text} \u2013 Kalah`,
    yourTurn: "Your turn",
  },

  common: {
    close: "Close",
    copy: "Copy",
    copied: "Copied",
    tryAgain: "Try again",
    dismiss: "Dismiss",
    board: "Board",
    rules: "Rules",
    housesPerSide: "Houses a side",
    seedsPerHouse: "Seeds in each",
    youPlay: "You play",
    southFirst: "South, first",
    northSecond: "North, second",
    random: "Random",
    playFriend: "Play a friend",
    notCopied: (/** @type {string} */ text) => `The browser did not copy the text. It is: ${text}`,
  },

  board: {
    sides: SIDE_NAMES,
    rows: { south: "South's row", north: "North's row" },
    stores: { south: "South's store", north: "North's store" },
    clocks: { south: "South's clock", north: "North's clock" },
    house: (/** @type {string} */ label) => `house ${label}`,
    column: (/** @type {string} */ label) => `column ${label}`,
    /** The name of a house with its owner, because letters of both sides sound alike. */
    ownedHouse: (/** @type {Side} */ side, /** @type {string} */ house) =>
      `${SIDE_NAMES[side]}'s ${house}`,
    seeds,
    seedsInTotal: (/** @type {number} */ count) => `${seeds(count)} in total`,
    storeCount: (/** @type {Side} */ side, /** @type {number} */ count) =>
      `${SIDE_NAMES[side]}'s store, ${seeds(count)}`,
    hint: "hint",
    premove: "chosen ahead",
    captureShort: (/** @type {number} */ count) => `Capture: ${seeds(count)}`,
    sweptShort: "The rows are swept",
    bonusTurnShort: "Bonus turn",
  },

  game: {
    you: YOU,
    youNamed: (/** @type {string} */ name) => `${name} (you)`,
    friend: "Friend",
    computer: (/** @type {string} */ level) => `Computer (level ${level})`,
    fullStrength: "Computer (full strength)",
    noGame: "No game yet",
    settingUp: "Setting up the board",
    sowing: "Playing the move",
    searchingHint: "Looking for a hint",
    thinking: (/** @type {string} */ name) => `${name} is thinking`,
    plays: (/** @type {Subject} */ subject, /** @type {string} */ house) =>
      `${does(subject, "play")} ${house}`,
    playsSeeds: (
      /** @type {Subject} */ subject,
      /** @type {string} */ house,
      /** @type {number} */ count,
    ) => `${does(subject, "play")} ${house}, ${seeds(count)}.`,
    swaps: (/** @type {Subject} */ subject) => `${does(subject, "swap")} sides.`,
    captureToOwnStore: (/** @type {string} */ house, /** @type {number} */ count) =>
      `Capture of ${house}: ${seeds(count)} to your store.`,
    captureToStore: (
      /** @type {string} */ house,
      /** @type {number} */ count,
      /** @type {Side} */ side,
    ) => `Capture of ${house}: ${seeds(count)} to ${SIDE_NAMES[side]}'s store.`,
    bonusTurn: "Bonus turn.",
    swept: (/** @type {number} */ south, /** @type {number} */ north) =>
      `The rows are swept: ${south} to South's store, ${north} to North's.`,
    sweptToOwnStore: (/** @type {number} */ own, /** @type {number} */ other) =>
      `The rows are swept: ${own} to your store, ${other} to the other store.`,
    /** The seeds in the stores, as `finalStores` writes them. */
    stores: (/** @type {string} */ stores) => `Stores: ${stores}.`,
    /** The name of a move, such as `5. C`, and what it did. */
    afterMove: (/** @type {string} */ name, /** @type {string} */ move) => `After ${name}: ${move}`,
    start: "Start of the game.",
    hintSwap: "swapping sides",
    hintProven: (/** @type {string} */ move, /** @type {string} */ score) =>
      `Hint: ${move} is the best move (score ${score}, proven).`,
    hintBest: (/** @type {string} */ move) => `Hint: ${move} is the best move.`,
    hintSoFar: (/** @type {string} */ move, /** @type {number} */ depth) =>
      `Hint: ${move} is the best move so far (depth ${number(depth)}).`,
    yourTurn: "Your turn.",
    toMove: (/** @type {string} */ name) => `${name} to move.`,
    pickHouse: "Your turn: pick a house in your row",
    pickHouseAgain: "Bonus turn: pick a house in your row",
    isPlaying: "playing",
    isToMove: "to move",
    winsScore: (
      /** @type {Subject} */ subject,
      /** @type {number} */ own,
      /** @type {number} */ other,
    ) => `${does(subject, "win")} ${own}-${other}.`,
    winsByResignation: (/** @type {Subject} */ subject) =>
      `${does(subject, "win")} by resignation.`,
    winsOtherwise: (/** @type {Subject} */ subject, /** @type {string} */ reason) =>
      `${does(subject, "win")} (${reason}).`,
    noWinner: (/** @type {string} */ reason) => `The game ended without a winner (${reason}).`,
    drawScore: (/** @type {number} */ south, /** @type {number} */ north) =>
      `Draw, ${south}-${north}.`,
    youWin: "You win",
    youLose: "You lose",
    wins: (/** @type {string} */ name) => `${name} wins`,
    draw: "Draw",
    noResult: "No result",
    noFirstMove: "The game ended without a result before both players had moved.",
    finalStores: (
      /** @type {{ name: string, seeds: number }} */ first,
      /** @type {{ name: string, seeds: number }} */ second,
    ) => `${first.name} ${number(first.seeds)}, ${second.name} ${number(second.seeds)}`,
    byResignation: "By resignation",
    /** Endings other than by the seeds, by their words in records. */
    endings: {
      adjudicated: "adjudicated",
      resign: "resignation",
      illegal: "illegal move",
      time: "time is up",
      crash: "program stopped",
      stall: "program did not answer",
      protocol: "protocol error",
    },
    exploring: "You are exploring another line. Your game is paused.",
    exploringFinished: "You are exploring another line. Your game is over.",
    backToGame: "Back to the game",
    backToEnd: "Back to its end",
  },

  controls: {
    group: "Controls",
    flip: "Turn the board",
    sound: "Sounds",
    swap: "Swap sides",
    undo: "Undo",
    redo: "Redo",
    hint: "Hint",
    scores: "Scores",
    resign: "Resign",
    rematch: "Rematch",
    review: "Review",
  },

  /** The result of a move that a person points at. */
  preview: {
    inHouse: (/** @type {string} */ from, /** @type {string} */ house) =>
      `From ${from} the last seed falls into ${house}.`,
    inStore: (/** @type {string} */ from, /** @type {Side} */ side, /** @type {boolean} */ isOwn) =>
      `From ${from} the last seed falls into ${isOwn ? "your" : `${SIDE_NAMES[side]}'s`} store.`,
    capture: (
      /** @type {string} */ from,
      /** @type {string} */ house,
      /** @type {string} */ captured,
      /** @type {number} */ count,
    ) =>
      `From ${from} the last seed falls into ${house} and captures ${captured}: ${seeds(count)}.`,
    end: (/** @type {string} */ stores) => `The game ends: ${stores}.`,
  },

  /** The reasons why a house cannot be played. */
  refusal: {
    gameOver: "The game is over.",
    wait: "Wait until the move has been played.",
    notYourTurn: (/** @type {string} */ name) => `It is not your turn: ${name} is to move.`,
    otherRow: (/** @type {string} */ house) =>
      `${capital(house)} is not in your row. Pick a house in your row.`,
    otherRowOf: (/** @type {string} */ house, /** @type {string} */ name) =>
      `${capital(house)} is not in the row of ${name}, who is to move.`,
    empty: (/** @type {string} */ house) => `${capital(house)} is empty. Pick a house with seeds.`,
    illegal: (/** @type {string} */ house) => `${capital(house)} cannot be played now.`,
  },

  lesson: {
    offer: "New to Kalah? Learn it in six steps on the board.",
    learn: "Learn on the board",
    dismiss: "No, thanks",
    otherPlayer: "Other player",
    title: (/** @type {number} */ step, /** @type {number} */ all) =>
      `How to play: step ${step} of ${all}`,
    back: "Back",
    next: "Next",
    skip: "Skip",
    finish: "Finish",
    leave: "Leave lesson",
    sowByTouch: "The lower row is yours. A move sows all seeds of one of your houses. Tap house B.",
    anotherHouse: "Not this house. Read the step again and try another one.",
    tasks: {
      sow: "The lower row is yours. A move sows all seeds of one of your houses. Click house B, or press the key B.",
      stores:
        "The large pit at the right is your store. Seeds in it are yours. Seeds are sown counterclockwise, also into your store, but never into the other store. Play house F.",
      bonusTurn:
        "If the last seed falls into your store, you move again: a bonus turn. Find the house whose last seed falls into your store.",
      order:
        "Two houses give a bonus turn now, if you play them in the right order. Begin with the house next to your store, and then play the other one.",
      capture:
        "If the last seed falls into an empty house of yours, it captures the seeds of the opposite house. Find the house that captures from house c.",
      end: "The game ends as soon as one row is empty. Then each player takes the seeds that are left in their own row. Play your last seed.",
    },
    done: {
      sow: "Well done. The four seeds fell one by one into the next four houses.",
      stores: "Well done. One seed fell into your store, and the other store was skipped.",
      bonusTurn:
        "Well done. It is your turn again. A house three steps from your store needs three seeds.",
      order:
        "Well done. If you had begun with the other house, the second bonus turn would be lost.",
      capture: "Well done. Your seed and the four seeds of house c are in your store.",
      end: "Well done. The other player took the rest, but you have 25 of 48 seeds, so you win.",
    },
  },

  /** The course of lessons after the first minute. */
  course: {
    title: "Lessons",
    intro: "Six short lessons with exercises on the board. The solver checks each move.",
    begin: "Go on with the lessons",
    loading: "Preparing the exercise\u2026",
    locked: "Hints and analysis are off until the exercise is solved",
    progress: (/** @type {number} */ solved, /** @type {number} */ all) =>
      `${number(solved)} of ${number(all)} solved`,
    exercise: (
      /** @type {string} */ lesson,
      /** @type {number} */ index,
      /** @type {number} */ all,
    ) => `${lesson}: exercise ${number(index)} of ${number(all)}`,
    goals: {
      best: "Find the best move: the one that gains the most seeds by the end of the game.",
      win: "Find the move that wins.",
    },
    isBest: (/** @type {string} */ move) => `Right: ${move} is the best move (proven).`,
    wins: (/** @type {string} */ move) => `Right: ${move} wins (proven).`,
    costs: (/** @type {string} */ move, /** @type {number} */ count) =>
      `${move} is not the best move: it costs ${seeds(count)} (proven). Try another one.`,
    winsNot: (/** @type {string} */ move) => `${move} does not win (proven). Try another one.`,
    solution: (/** @type {readonly string[]} */ labels) => `The solution: ${or(labels)}.`,
    giveUp: "Show the solution",
    again: "Try again",
    next: "Next exercise",
    skip: "Skip",
    lessons: {
      chains: {
        title: "Bonus chains",
        text: "A move that ends in your store gives another move, so several of them make a chain. Begin with the house next to your store: a move from further away drops a seed into it, and its own bonus turn is lost.",
      },
      counting: {
        title: "Counting",
        text: "The last seed falls as many pits ahead as the house has seeds, without the other store. With 13 seeds it comes back to its own house, which is empty then; with 12 or 11 it ends one or two houses before it. Large houses reach captures that one overlooks.",
      },
      captures: {
        title: "Captures",
        text: "A last seed in an empty house of yours captures the seeds opposite. Look at your empty houses first, and then for a house that ends there. The largest capture is not always the best: think of the reply.",
      },
      hoarding: {
        title: "Hoarding",
        text: "At the end each player takes the seeds of their own row. Seeds that stay in your row count as those in your store, as long as they are safe from captures. Let the opponent run out of moves first.",
      },
      starving: {
        title: "Starving",
        text: "When the opponent has no seeds left, the game ends and you take the rest of your row. Capture the last seeds of the opponent, or leave only moves that use them up.",
      },
      endgame: {
        title: "Endgame",
        text: "With few seeds everything can be counted to the end. You need 25 of 48 seeds. Look for moves that keep your options, and count who runs out of moves first.",
      },
    },
  },

  /** The question before an unfinished game is replaced. */
  discard: {
    title: "Leave the unfinished game?",
    text: "Your game is not finished. It stays in Games, where you can continue it.",
    yes: "Start the new game",
    no: "Play on",
  },

  newGame: {
    title: "New game",
    against: "Against",
    computer: "Computer",
    twoPlayers: "Two players on this device",
    level: "Level",
    /** A line about each level, the weakest first. */
    levels: [
      "Beginner: looks at its own move only and overlooks much",
      "Gentle: looks at its own move only and overlooks little",
      "Easy: sees your reply, but misses some moves",
      "Casual: sees your reply and seldom misses one",
      "Fair: looks three turns ahead, with a few errors",
      "Good: looks four turns ahead, with rare errors",
      "Strong: looks five turns ahead, hardly errs",
      "Very strong: looks seven turns ahead, never careless",
      "Expert: looks ten turns ahead",
      "Full strength: searches as far as it can and proves its moves",
    ],
    start: "Start",
    analysisBoard: "Analysis board",
  },

  resign: {
    title: "Resign this game?",
    yes: "Resign",
    no: "Play on",
  },

  settings: {
    title: "Settings",
    language: "Language",
    system: "System",
    animation: "Animation",
    off: "Off",
    slow: "Slow",
    normal: "Normal",
    fast: "Fast",
    houseLabels: "House labels",
    letters: "Letters",
    columns: "Columns",
    look: "Board and seeds",
    wood: "Wood",
    clear: "Colour-blind",
    numbers: "Numbers only",
    colours: "Colours",
    light: "Light",
    dark: "Dark",
    scores: "Show the score of each move",
    keys: "Keyboard shortcuts",
    sound: "Sounds",
  },

  help: {
    title: "Help",
    howToPlay: "How to play",
    rows: "Your row is the lower one, and your store is at its right end. A button turns the board.",
    sow: "Sow the seeds of one of your houses counterclockwise, one into each pit. Your own store counts as a pit, and the other store is skipped.",
    bonusTurn: "If the last seed falls into your store, you move again: a bonus turn.",
    capture:
      "If the last seed falls into an empty house of yours, it captures: it and the seeds of the opposite house go to your store. Most rules require seeds in that house.",
    end: "By most rules the game ends as soon as one row is empty, after any move. By those of the CS 32 class it ends when the player to move has no seeds in their row.",
    result:
      "At the end the seeds in each row go to the store of its owner. The player with more seeds wins.",
    keys: "Keys",
    keyLetters: "play the house with that letter",
    keyColumns: "play the house in that column; 0 is the tenth",
    keyArrowNames: "Arrow keys",
    keyArrows: "move the focus between houses; beside the board, step through the moves",
    keyEnterNames: "Enter, Space",
    keyEnter: "play the focused house",
    keyUndo: "undo",
    keyRedo: "redo",
    keyHint: "hint (Shift+H on boards with a house H)",
    keySwap: "swap sides, if the rules allow it",
    keyFlipNames: "Shift+F",
    keyFlip: "turn the board",
    keyNewGame: "new game",
    keyHelp: "help with these keys",
    keyEscape: "close the dialog",
    keyMistakes: "previous and next mistake in the review",
  },

  /** The names of rule presets for people, and a sentence about each. */
  presets: {
    cs32: {
      title: "Classroom (UCLA)",
      summary:
        "The game ends when the player to move has no seeds in their row; a capture needs seeds in the opposite house.",
    },
    standard: {
      title: "Standard",
      summary:
        "The game ends as soon as one row is empty; a capture needs seeds in the opposite house.",
    },
    "empty-capture": {
      title: "Always capture",
      summary:
        "The game ends as soon as one row is empty; the last seed is captured even if the opposite house is empty.",
    },
    mankalah: {
      title: "With swap (Manchester)",
      summary:
        "As Standard, but the second player may swap sides instead of the first move, and the first move of the game gives no bonus turn.",
    },
  },
  rules: {
    playedBy: (/** @type {string} */ names) => `Played by ${names}.`,
    details: "Details",
    offer:
      "You play by the standard rules: the game ends as soon as one row is empty. In the CS 32 class it ends when the player to move has no seeds.",
    useClassRules: "Use the CS 32 rules",
    facts: {
      endsRow: "The game ends as soon as one row is empty, after any move.",
      endsStuck:
        "The game ends when the player to move has no seeds in their row, also at a bonus turn.",
      captureOpposite:
        "A capture needs seeds in the opposite house. If that house is empty, the last seed stays.",
      captureAlways: "The last seed in an empty house of its own row is always captured.",
      swap: "After the first move, the second player may swap sides.",
      noSwap: "The players keep their sides.",
      firstBonus: "The first move of the game may give a bonus turn.",
      noFirstBonus: "The first move of the game gives no bonus turn.",
    },
  },

  moves: {
    title: "Moves",
    variation: "Variation",
    commentLabel: "Comment on this move",
    saveComment: "Save comment",
    steps: "Steps",
    first: "First position",
    back: "Previous move",
    forward: "Next move",
    last: "Last move",
    edit: "Comment and change",
    makeMainLine: "Make main line",
    deleteFromHere: "Delete from here",
    none: "No moves yet.",
    noBrace: (/** @type {string} */ brace) =>
      `A comment cannot contain “${brace}”: in a record it ends the comment.`,
  },

  analysis: {
    title: "Analysis",
    showScores: "Show the score of each move",
    keepAnalysing: "Keep analysing",
    stop: "Stop",
    lines: "Lines",
    bestLine: "Best line",
    otherLine: (/** @type {number} */ count) => `Line ${number(count)}`,
    bestLineMove: (/** @type {string} */ name, /** @type {number} */ count) =>
      `${name}, move ${number(count)} of the best line`,
    otherLineMove: (
      /** @type {string} */ name,
      /** @type {number} */ count,
      /** @type {number} */ line,
    ) => `${name}, move ${number(count)} of line ${number(line)}`,
    scores: "Score of each move",
    depth: (/** @type {number} */ depth) => `depth ${number(depth)}`,
    work: (
      /** @type {number} */ depth,
      /** @type {number} */ positions,
      /** @type {number} */ speed,
    ) => `Depth ${number(depth)}, ${compact(positions)} positions, ${compact(speed)} a second`,
    fromBook: "From the opening book",
    tableDamage: (/** @type {string} */ damage) =>
      `A table was not used${damage ? `: ${damage}` : ", because it is damaged"}`,
    queued: (/** @type {number} */ place, /** @type {number} */ wait) =>
      `Waiting for the engine: place ${number(place)}, about ${number(wait)} s.`,
    evaluation: (/** @type {string} */ text) => `Evaluation: ${text}`,
    gameOver: (/** @type {string} */ lead) => `The game is over: ${lead}.`,
    bestPlay: (/** @type {string} */ lead) => `With best play: ${lead} (proven).`,
    provenWin: (/** @type {string} */ name, /** @type {string} */ lead) =>
      `With best play: ${name === YOU ? "you win" : `${name} wins`} (proven). Estimate: ${lead}.`,
    estimate: (/** @type {string} */ lead) => `Estimate: ${lead} (not proven).`,
    analysing: "Analysing.",
    analysingMoves: (/** @type {number} */ solved, /** @type {number} */ all) =>
      `Analysing: ${solved} of ${moves(all)} solved.`,
    solvedMoves: (/** @type {number} */ solved, /** @type {number} */ all) =>
      `${solved} of ${moves(all)} solved.`,
    draw: "a draw",
    ahead: (/** @type {string} */ name, /** @type {number} */ margin) =>
      `${name} ahead by ${number(margin)}`,
    aheadAtLeast: (/** @type {string} */ name, /** @type {number} */ margin) =>
      `${name} ahead by at least ${number(margin)}`,
    aheadAtMost: (/** @type {string} */ name, /** @type {number} */ margin) =>
      `${name} ahead by at most ${number(margin)}`,
    drawAtLeast: (/** @type {string} */ name) =>
      `at least a draw for ${name === YOU ? "you" : name}`,
    /** The share of games that a player wins. The name is empty for the side to move. */
    wins: (/** @type {string} */ name, /** @type {number} */ share) =>
      `${name === YOU ? "win" : "wins"} ${percent(share)}`,
    scoreProven: (/** @type {string} */ score) => `score ${score}, proven`,
    scoreAtLeast: (/** @type {string} */ score) => `score at least ${score}, proven`,
    scoreAtMost: (/** @type {string} */ score) => `score at most ${score}, proven`,
    scoreAbout: (/** @type {string} */ score) => `score about ${score}, not proven`,
    proven: "proven",
    moveDetails: (
      /** @type {number} */ depth,
      /** @type {string} */ lower,
      /** @type {string} */ upper,
    ) => `estimate at depth ${number(depth)}; proven: from ${lower} to ${upper}`,
    best: "best move",
    bestSoFar: "best so far",
    locked: "Analysis is off until this game ends",
    lockedForSpectators: "The players have not allowed scores for spectators during the game",
  },

  explorer: {
    title: "Openings",
    source: "Games of",
    sources: {
      shipped: "Strong computer players",
      own: "This device",
      room: "The open room",
      server: "This server",
    },
    columns: { move: "Move", score: "Score", games: "Games", results: "Won, drawn, lost" },
    caption: (/** @type {string} */ name) => `Moves of ${name}`,
    unknown: "score not known yet",
    bonusTurn: "bonus turn",
    inBook: "The opening book has proven the score of every move here (\u2713).",
    leftBook:
      "The opening book does not have every move here: the other scores come from the analysis.",
    over: "The game is over here.",
    loading: "Loading the games\u2026",
    notLoaded: "The file of games could not be loaded.",
    noGames: "No finished game of this source has this position.",
    fewGames: "Fewer than 3 counted games of this server have this position, so none are shown.",
    shippedGames:
      "From games between levels 7 to 9 that begin with up to four random moves, which do not count.",
    count: (/** @type {number} */ games) => number(games),
    games: (/** @type {number} */ games) => plural(games, "game", "games"),
    noGamesOfMove: "no games",
    results: (
      /** @type {number} */ wins,
      /** @type {number} */ ties,
      /** @type {number} */ losses,
    ) => `won ${number(wins)}, drawn ${number(ties)}, lost ${number(losses)}`,
    back: "Back one move",
  },

  review: {
    title: "Review",
    begin: "Review this game",
    again: "Continue the review",
    stop: "Stop",
    ready: "The review is ready.",
    noMoves: "There are no moves to review. Play a game first, or open one.",
    analysing: (/** @type {number} */ count) =>
      `Analysing ${moves(count)}, from the last to the first.`,
    unproven: (/** @type {number} */ count) => `The cost of ${moves(count)} is not proven yet.`,
    opening: (/** @type {number} */ count) =>
      `Not graded: ${moves(count)} of the opening, which no player chose.`,
    graph: "Margin after each move",
    noMargins: "no margins yet",
    start: "Start.",
    provenDraw: "With best play it is now a draw (proven).",
    notAnalysed: "Not analysed yet.",
    gradeAndCost: (
      /** @type {"inaccuracy" | "mistake" | "blunder"} */ grade,
      /** @type {string} */ price,
    ) => {
      const names = { inaccuracy: "An inaccuracy", mistake: "A mistake", blunder: "A blunder" };
      return `${names[grade]}, costs ${price}.`;
    },
    mistakes: "Mistakes",
    cost: (/** @type {string} */ price) => `cost ${price}`,
    seedsCost: (/** @type {number} */ cost, /** @type {boolean} */ isExact) =>
      isExact ? seeds(cost) : `at least ${seeds(cost)}`,
    lostChance: (/** @type {number} */ share) => `about ${percent(share)} of a point`,
    /** The results of a game, by their words in the API. */
    changed: (
      /** @type {"win" | "tie" | "loss"} */ from,
      /** @type {"win" | "tie" | "loss"} */ to,
    ) => {
      const results = { win: "a win", tie: "a draw", loss: "a loss" };
      return `, and turned ${results[from]} into ${results[to]}`;
    },
    better: (/** @type {readonly string[]} */ labels) => `Better: ${or(labels)}.`,
    tryAnother: "Try another move.",
    accuracy: (
      /** @type {string} */ name,
      /** @type {number} */ share,
      /** @type {{ cost: number, stake: number, plies: number, unproven: number }} */
      { cost, stake, plies, unproven },
    ) => {
      const counted = `${number(plies)} of ${moves(plies + unproven)}`;
      return `${name}: ${percent(share)} (cost ${number(cost)} of ${seeds(stake)} at stake in ${counted})`;
    },
    accuracyUnknown: (/** @type {string} */ name) => `${name}: not known yet`,
    accuracyNoStake: (/** @type {string} */ name) =>
      `${name}: no accuracy, since nothing was at stake`,
    accuracyFewMoves: (
      /** @type {string} */ name,
      /** @type {{ plies: number, unproven: number }} */ { plies, unproven },
    ) => `${name}: no accuracy, since only ${number(plies)} of ${moves(plies + unproven)} count`,
    accuracyTitle: "How accuracy is counted",
    accuracyFormula:
      "Accuracy is 100 × (1 − cost ÷ stake). The cost of a move is the score of the best move minus the score of the move that was made, and its stake is the score of the best move minus that of the worst. Only moves count for which the scores of all moves are proven. There is an accuracy when at least four fifths of the moves count, so that it changes little with more time.",
    legend: (/** @type {string} */ name) =>
      `\u25cf proven, \u25cb and dashed: not proven. The upper half is good for ${name === YOU ? "you" : name}. Mistakes have the marks ?!, ? and ??, beautiful moves !!.`,
    grades: {
      inaccuracy: "inaccuracy",
      mistake: "mistake",
      blunder: "blunder",
      beautiful: "beautiful",
    },
    gradesPlural: { inaccuracy: "Inaccuracies", mistake: "Mistakes", blunder: "Blunders" },
    gradesTitle: "How moves are graded",
    gradesText:
      "A win is worth a point and a draw half a point. A move costs points if the result with best play is worse after it, and seeds if its score is below that of the best move. These costs are proven. Where a result is not proven, the chances before and after the move count too.",
    thresholds: {
      inaccuracy: "Inaccuracy: costs at least 4 seeds and no points, or about 10% of a point.",
      mistake: "Mistake: costs half a point, at least 8 seeds, or about 20% of a point.",
      blunder:
        "Blunder: costs a point, half a point and at least 8 seeds, or about 30% of a point.",
    },
    reviewLine: "Review this line",
    previousMistake: "Previous mistake",
    nextMistake: "Next mistake",
    noMoreMistakes: "There are no more mistakes in this direction.",
    mistakesCount: (/** @type {number} */ count) => `Mistakes (${number(count)})`,
    player: "Player",
    accuracyColumn: "Accuracy",
    /** Rounds down, so that only a game without a cost has 100 %. */
    percent: (/** @type {number} */ value) => percent(Math.floor(value) / 100),
    showBetter: "Show the better move",
    tryAgain: "Find a better move",
    tryAgainLabel: (/** @type {string} */ name) => `Find a better move than ${name}`,
    playOn: "Play on from here",
    playOnLabel: (/** @type {string} */ name) => `Play on from here, before ${name}`,
    giveUp: "Give up and show it",
    endRetry: "Back to the review",
    findBetter: (/** @type {string} */ name, /** @type {string} */ move) =>
      `Find a better move for ${name} than ${move}. Play it on the board.`,
    isBest: (/** @type {string} */ move) => `Right: ${move} is the best move.`,
    isAmongBest: (/** @type {string} */ move) =>
      `Right: ${move} is as good as the other best moves.`,
    isSame: (/** @type {string} */ move, /** @type {string} */ price) =>
      `${move} is the move of the game and costs ${price}. Try another move.`,
    isBetter: (
      /** @type {string} */ move,
      /** @type {string} */ played,
      /** @type {string} */ price,
    ) => `${move} is better than ${played}, but still costs ${price}. Try another move.`,
    isEqual: (
      /** @type {string} */ move,
      /** @type {string} */ played,
      /** @type {string} */ price,
    ) => `${move} is as good as ${played} and still costs ${price}. Try another move.`,
    isWorse: (
      /** @type {string} */ move,
      /** @type {string} */ played,
      /** @type {string} */ price,
    ) => `${move} is worse than ${played}: it costs ${price}. Try another move.`,
    isUnknown: (/** @type {string} */ move) =>
      `Whether ${move} is better is not proven yet. Try another move.`,
    isImprovement: (/** @type {string} */ move, /** @type {string} */ played) =>
      `${move} is better than ${played}. Whether it is the best move is not proven yet.`,
    scoresHidden: "Scores are hidden while the review is open.",
    scoresHiddenInRetry: "Scores are hidden while you look for a better move in the review.",
    noneYet: "None yet.",
    noneProven: "No mistake is proven.",
    none: "None: no move has a grade.",
  },

  /** The reasons why a move of a review is bad or good. */
  reasons: {
    why: (/** @type {string} */ sentences) => `Why: ${sentences}`,
    byEstimate: (/** @type {string} */ sentences) => `By estimate: ${sentences}`,
    gaveLastSeeds: (/** @type {number} */ count) =>
      count === 1 ? "It gave the last seed away." : `It gave the last ${seeds(count)} away.`,
    missedACapture: (/** @type {number} */ count) => `It missed a capture of ${seeds(count)}.`,
    missedCapture: (/** @type {string} */ house, /** @type {number} */ count) =>
      `It missed a capture of ${seeds(count)} with ${house}.`,
    missedLaterCapture: (
      /** @type {string} */ house,
      /** @type {number} */ count,
      /** @type {string} */ first,
    ) =>
      `It missed a capture of ${seeds(count)} with ${house}, in a turn that begins with ${first}.`,
    leftCapture: (/** @type {string} */ house, /** @type {number} */ count) =>
      `It left ${house} open to a capture of ${seeds(count)}.`,
    missedABonusTurn: "It missed a bonus turn.",
    missedBonusTurn: (/** @type {string} */ house) => `It missed a bonus turn with ${house}.`,
    gaveBonusTurns: (/** @type {number} */ count) =>
      `It gave the opponent ${plural(count, "bonus turn", "bonus turns")} in a row.`,
    beautifulOverCapture: (/** @type {string} */ house, /** @type {number} */ count) =>
      `Beautiful: the capture of ${seeds(count)} with ${house} is worse.`,
    beautifulOverBonus: (/** @type {string} */ house) =>
      `Beautiful: the bonus turn with ${house} is worse.`,
    onlyWin: "The only move that wins.",
    onlyTie: "The only move that saves the draw.",
    starved: (/** @type {number} */ count) =>
      count === 1
        ? "It left the opponent without seeds and took the last one."
        : `It left the opponent without seeds and took the last ${seeds(count)}.`,
    captured: (/** @type {number} */ count) => `It captured ${seeds(count)}.`,
    bonusTurns: (/** @type {number} */ count) =>
      `It made ${plural(count, "bonus turn", "bonus turns")} in a row.`,
    highlights: (/** @type {number} */ count) => `Good moves (${number(count)})`,
    highlightsName: "Good moves",
    noHighlights: "None is proven.",
    phasesTitle: "Accuracy in the phases of the game, and level",
    phase: "Phase",
    phases: { opening: "Opening", middlegame: "Middlegame", endgame: "Endgame" },
    phaseAccuracy: (
      /** @type {string} */ share,
      /** @type {{ cost: number, stake: number }} */ { cost, stake },
    ) => `${share} (${number(cost)}\u00a0of\u00a0${number(stake)})`,
    level: "Level (estimate)",
    levelRange: (
      /** @type {number} */ level,
      /** @type {number} */ lowest,
      /** @type {number} */ highest,
    ) => (lowest === highest ? number(level) : `${number(level)} (${lowest}\u2013${highest})`),
    levelText:
      "The opening lasts while more than two thirds of all seeds are in the houses, and the endgame begins with one third. Behind each accuracy are its cost and its stake in seeds. The level is that of the computer player with similar mistakes; with a probability of 80% it is in the range in brackets. The page estimates it on boards with 6 houses a side and 48 seeds under the standard rules, from at least eight moves whose mistakes are proven.",
  },

  records: {
    title: "Links and files",
    games: "Games in the file",
    record: "Record to open",
    copyLink: "Copy link",
    copyRecord: "Copy record",
    save: "Save as .kgn",
    openFile: "Open a file\u2026",
    orDrop: "or drop one here, or paste a record:",
    open: "Open the record",
    opened: (/** @type {string} */ title) => `Opened ${title}.`,
    only: (/** @type {string} */ title) => `${title}.`,
    noGame: "The text contains no game.",
    selectGame: (/** @type {number} */ count) => `${plural(count, "game", "games")}. Select one:`,
    tooLarge: (/** @type {string} */ name) => `${name} is too large.`,
    moves,
    date,
    searching: "Search for games in the text",
    cancel: "Cancel",
    cancelled: "Cancelled.",
    numbered: (/** @type {number} */ count, /** @type {string} */ title) =>
      `${number(count)}. ${title}`,
    unreadable: (/** @type {number} */ count, /** @type {string} */ reason) =>
      `${number(count)}. This game cannot be read: ${reason}`,
    /** An error in a record; `rest` is the text from its place on, empty at the end of a line. */
    invalid: (
      /** @type {{ line: number, column: number }} */ { line, column },
      /** @type {string} */ rest,
      /** @type {string} */ reason,
    ) =>
      `Invalid record: line ${number(line)}, column ${number(column)}${rest ? `, from “${rest}” on` : ", the end of the line"}${reason ? `: ${reason}` : ""}`,
    /** A text whose first word is not one of a record. */
    notRecord: (/** @type {string} */ rest, /** @type {string} */ reason) =>
      `This text is not a record of a game; it begins with “${rest}”${reason ? `: ${reason}` : ""}`,
    /** An example of a record, after the reason why a text is none. */
    example: (/** @type {string} */ reason, /** @type {string} */ record) =>
      `${reason.replace(/\.$/, "")}. A record has the moves of a game, such as: ${record}`,
  },

  sharing: {
    title: "Share",
    open: "Share the game",
    link: "Link to the game",
    message: "A game of Kalah",
    aboutLink: "The link holds the whole game with names, comments and grades.",
    aboutMoves: "The link holds the moves of the game.",
    aboutPuzzle: "The link leads to this puzzle.",
    aboutRunningGame: "The game is running: this link leads to it.",
    withoutComments:
      "The game with its comments is too long for a link. This link leaves the comments out; a file keeps them.",
    tooLong:
      "The game is too long for a link, even without its comments. Save it as a file instead.",
    shorten: "Shorten",
    aboutShort: (/** @type {number} */ days) =>
      `A short link stores the game on this server, until it was not opened for ${plural(days, "day", "days")}.`,
    shortForQrCode: "This link is too long for a QR code. Shorten it to get one.",
    shortReady: "The server keeps the game under this short link.",
    picture: "Picture",
    pictureOf: "The board as it stands",
    playerAndSeeds: (/** @type {string} */ name, /** @type {number} */ count) =>
      `${name}: ${number(count)}`,
    savePng: "Save PNG",
    saveSvg: "Save SVG",
    sharePicture: "Share picture",
    animation: "Save animation (GIF)",
    aboutAnimation: "The animation shows the game move by move.",
    embedTitle: "Board for another site",
    aboutFrame: "This HTML shows the game in a blog or a course.",
    frame: "HTML of the board",
    copyFrame: "Copy the HTML",
    frameTitle: "A game of Kalah",
    openPage: "Open in Kalah",
  },

  position: {
    title: "Set up a position",
    text: "Text",
    textLabel: "Position as text",
    houses: "Houses",
    toMove: "To move",
    use: "Use this position",
    copy: "Copy position",
    clear: "Clear",
    start: "Start position",
    edit: "Edit position",
    instructions:
      "Click a house or a store to add a seed. Right click or Backspace takes one away.",
    touchInstructions: "Tap a house or a store to add a seed. Switch on Take away to remove one.",
    takeAway: "Take away",
    cancel: "Cancel",
    numbers: "Seeds as numbers",
    changed: (
      /** @type {string} */ pit,
      /** @type {number} */ count,
      /** @type {number} */ total,
    ) => `${pit}: ${seeds(count)}, ${number(total)} in total`,
    store: "store",
    seedsIn: (/** @type {string} */ pit) => `Seeds in ${pit}`,
    gameOver: "The game is over in this position: the rows are swept into the stores.",
    isOnBoard: "The position is on the board.",
  },

  pages: {
    pages: "Pages of the list",
    page: "Page",
    previous: "Previous page",
    next: "Next page",
    of: (/** @type {number} */ last) => `of ${number(last)}`,
    range: (/** @type {number} */ first, /** @type {number} */ end, /** @type {number} */ total) =>
      `${number(first)} to ${number(end)} of ${number(total)}`,
  },

  history: {
    title: "Games",
    list: "Games played on this device",
    intro: (/** @type {number} */ count) =>
      `${plural(count, "game", "games")} played on this device. ${count === 1 ? "It is" : "They are"} stored only in this browser.`,
    none: "The games that you play on this device are listed here. They are stored only in this browser.",
    unfinished: "Not finished",
    position: "custom position",
    damaged: "This entry is damaged and cannot be read.",
    time,
    continue: "Continue",
    continueLabel: (/** @type {string} */ game) => `Continue: ${game}`,
    continued: (/** @type {string} */ players) => `The game goes on: ${players}.`,
    save: "Save as .kgn",
    saveLabel: (/** @type {string} */ game) => `Save as .kgn: ${game}`,
    saveAll: "Save all as .kgn",
    saving: "Writing the records",
    saved: (/** @type {number} */ count) => `${plural(count, "game", "games")} saved.`,
    delete: "Delete",
    deleteLabel: (/** @type {string} */ game) => `Delete: ${game}`,
    deleteAll: "Delete all",
    deleteQuestion: "Delete this game?",
    deleteAllQuestion: (/** @type {number} */ count) =>
      count === 1 ? "Delete the game?" : `Delete all ${number(count)} games?`,
    deleteAllText: (/** @type {number} */ count) =>
      `${count === 1 ? "It" : "They"} cannot be restored. Save ${count === 1 ? "it" : "them"} first to keep a copy.`,
    keep: "Keep",
    deleted: (/** @type {number} */ count) => `${plural(count, "game", "games")} deleted.`,
  },

  puzzles: {
    title: "Puzzles",
    intro: "In a puzzle one move wins and no other does, or one move secures a draw. Find it.",
    difficulty: "Difficulty",
    levels: {
      adaptive: "Near your rating",
      easy: "Easy (800 to 1100)",
      medium: "Medium (1100 to 1500)",
      hard: "Hard (1500 to 1900)",
      expert: "Very hard (1900 to 2400)",
    },
    next: "Next puzzle",
    giveUp: "Give up and show it",
    loading: "Looking for a puzzle\u2026",
    notFound: "No such puzzle was found. Try again, or choose another difficulty or board.",
    locked: "Hints and analysis are off until the puzzle is solved",
    findWin: (/** @type {Side} */ side) =>
      `${SIDE_NAMES[side]} to move: find the only move that wins.`,
    findDraw: (/** @type {Side} */ side) =>
      `${SIDE_NAMES[side]} to move: find the only move that secures a draw.`,
    wrong: (/** @type {string} */ move, /** @type {"win" | "tie" | "loss" | null} */ value) =>
      value === "tie"
        ? `${move} leads only to a draw. Try another move.`
        : value === "loss"
          ? `${move} loses. Try another move.`
          : `${move} is not the solution. Try another move.`,
    solved: (/** @type {string} */ move) => `Solved: ${move} is the only move.`,
    shown: (/** @type {string} */ move) => `The solution is ${move}.`,
    ratingChange: (/** @type {number} */ change) =>
      `Your rating: ${change < 0 ? "\u2212" : "+"}${number(Math.abs(change))}.`,
    details: (/** @type {number} */ rating, /** @type {string} */ rules) =>
      `Rating of the puzzle: ${rating} (computed). Rules: ${rules}.`,
    firstRating: (/** @type {number} */ rating) => `Your rating begins at ${rating} (an estimate).`,
    progress: (
      /** @type {{ rating: number, streak: number, bestStreak: number, solved: number, played: number }} */
      { rating, streak, bestStreak, solved, played },
    ) =>
      `Your rating: ${rating} (an estimate). In a row: ${number(streak)}, best ${number(bestStreak)}. Solved on the first try: ${number(solved)} of ${number(played)}.`,
    ratingTitle: "How the rating is counted",
    ratingText:
      "Each puzzle counts once, by its first try. Your rating changes by 20 × (result − expectation), rounded: the result is 1 or 0, and the expectation is 1 ÷ (1 + 10^((puzzle − you) ÷ 400)), the formula of Elo. It is an estimate, because the ratings of puzzles are computed from their difficulty for a search and not measured with people. Rating and results are stored only in this browser.",
  },

  puzzleKinds: {
    ways: "Ways to practise",
    daily: "Puzzle of the day",
    dailyOpen: "The same for all players.",
    dailySolved: "Solved today.",
    dailyShown: "Not solved today.",
    daysInARow: (/** @type {number} */ days) => `${plural(days, "day", "days")} in a row.`,
    nextText: "As the choices below say.",
    streak: "Streak",
    streakText: (/** @type {number} */ best) =>
      `Until the first mistake.${best > 0 ? ` Best: ${number(best)}.` : ""}`,
    storm: "Storm",
    stormText: (/** @type {number} */ best) =>
      `Three minutes.${best > 0 ? ` Best: ${number(best)}.` : ""}`,
    mistakes: "From your games",
    mistakesText: (/** @type {number} */ count) =>
      count > 0
        ? `${plural(count, "mistake", "mistakes")} to solve.`
        : "Mistakes of reviewed games: none yet.",
    noMistakes: "There are no mistakes left. Review a game to collect some.",
    choices: "Choices",
    theme: "Theme",
    anyTheme: "Any",
    moves: "Moves",
    atLeastMoves: (/** @type {number} */ least) =>
      least === 1 ? "One or more" : `At least ${number(least)}`,
    themes: {
      capture: "Capture",
      "bonus-chain": "Several bonus turns",
      starve: "The opponent runs out of seeds",
      "save-seeds": "Save your seeds",
      "last-seeds": "Last seeds",
      "only-move": "All other moves lose",
    },
    hasThemes: (/** @type {string} */ themes) => `Themes: ${themes}.`,
    movesToFind: (/** @type {number} */ count) => `There are ${number(count)} moves to find.`,
    findNext: (/** @type {number} */ move, /** @type {number} */ count) =>
      `Right. Find the next one, move ${number(move)} of ${number(count)}.`,
    solvedAll: (/** @type {string} */ names) => `Solved with ${names}, each the only move.`,
    shownAll: (/** @type {string} */ names) => `The solution is ${names}.`,
    timeLeft: "Time left",
    skip: "Skip (10 seconds)",
    streakProgress: (/** @type {number} */ solved, /** @type {number} */ best) =>
      `Solved in a row: ${number(solved)}. Best: ${number(best)}.`,
    stormProgress: (/** @type {number} */ solved, /** @type {number} */ best) =>
      `Solved: ${number(solved)}. Best: ${number(best)}. A mistake costs 10 seconds.`,
    streakOver: "The streak is over.",
    timeUp: "The time is up.",
    result: (/** @type {number} */ solved, /** @type {number} */ best) =>
      `You have solved ${number(solved)}. Your best: ${number(best)}.`,
    newBest: (/** @type {number} */ solved) =>
      `You have solved ${number(solved)}: your best result.`,
    shareText: "Can you solve this Kalah puzzle?",
    checking: "Checking whether this position is a puzzle\u2026",
    refused: {
      "game-over": "This position is no puzzle: the game is over.",
      "too-few-moves": "This position is no puzzle: there are fewer than three moves.",
      "not-proven":
        "The solver cannot prove within its limits that this position is a puzzle. You can play it or analyse it.",
      lost: "This position is no puzzle: every move loses.",
      "no-unique-move":
        "This position is no puzzle: several moves lead to the best result. You can play it or analyse it.",
      "too-deep":
        "One move alone is best here, but too hard to find for a puzzle. You can play it or analyse it.",
    },
  },

  links: {
    /** The advice about a link of each kind that cannot be opened. */
    advice: {
      game: "This link to a game is incomplete or wrong. Ask for the link again, or start a new game.",
      puzzle:
        "This link to a puzzle is incomplete or wrong. Ask for the link again, or open another puzzle.",
      friend:
        "This link to a game with a friend is incomplete. Ask for the link again, or create a game yourself.",
      seat: "This link for another device is incomplete. Copy it again on the device with your game.",
      room: "This link to a room is incomplete. Ask for the link or for the code of the room again.",
      leader:
        "This link for leading a room is incomplete. Copy it again on the device that leads the room.",
    },
    /** An advice, and the reason of the error as a part of a sentence or as a sentence. */
    withReason: (/** @type {string} */ advice, /** @type {string} */ reason) =>
      `${advice} The reason: ${reason.replace(/\.$/, "")}.`,
    tooLong: (/** @type {number} */ most) => `it is longer than ${number(most)} characters`,
    invalidPart: (/** @type {string} */ part) => `“${part}” is not a valid part of an address`,
    noGame: (/** @type {string} */ text) => `“${text}” is not a game`,
    emptyPuzzle: "it has no position of a puzzle",
    noPuzzle: (/** @type {string} */ text) => `“${text}” is not the position of a puzzle`,
    variationFirst: "a variation precedes the move that it replaces",
    variationsTooDeep: "its variations are too deep",
    variationNotOpened: "a closing parenthesis has no opening one",
    variationEmpty: "a variation is empty",
    variationNotClosed: "a variation is not closed",
    noMove: (/** @type {string} */ text) => `“${text}” is not a move`,
    recordIncomplete: "the record of the game is incomplete",
    recordDamaged: "the record of the game is damaged",
    sharedMissing:
      "The server has no game under this link. It deletes games that were not opened for a year: ask for the game again.",
    notInFrame: "A board on another site shows no games with friends and no rooms.",
    noServer: "This copy of the page has no server for games with friends.",
  },

  friends: {
    intro: "Create a game and send your friend the link. No account is needed.",
    yourName: "Your name (optional)",
    saveName: "Save name",
    nameSaved: "Your name is saved.",
    nameTooLong: (/** @type {number} */ most) => `A name has at most ${most} characters.`,
    clock: "Clock",
    noClock: "No clock",
    customClock: "Custom clock",
    customClockTimes: "Time for each player",
    minutes: "Minutes",
    seconds: "Seconds",
    secondsPerTurn: "Seconds added per turn",
    clockRange: "A clock starts with 1 second to 24 hours, and a turn adds 1 hour at most.",
    clockOption: (/** @type {string} */ initial, /** @type {string} */ increment) =>
      `${initial} + ${increment} per turn`,
    clockSetting: (/** @type {string} */ initial, /** @type {string} */ increment) =>
      `${initial} plus ${increment} per turn`,
    forEach: (/** @type {string} */ times) => `Each player: ${times}`,
    bySide: (/** @type {string} */ south, /** @type {string} */ north) => `${south}; ${north}`,
    timePerMove: (/** @type {string} */ duration) => `${duration} for each move`,
    friendClockTimes: "Time for your friend",
    unequalTimes: "A different time for my friend",
    more: "Handicap, spectators and statistics",
    seedsAhead: "Seeds ahead",
    seedsAheadYou: "You",
    seedsAheadFriend: "Your friend",
    seedsAheadOf: (/** @type {string} */ players) => `Seeds ahead: ${players}`,
    shareOpenings:
      "Count this game and its rematches in the server's opening statistics, without names, if the other player agrees",
    agreeToShare:
      "Count this game and its rematches in the server's opening statistics, without names. The other player has agreed.",
    sharesOpenings: "This game counts in the server's opening statistics, without names.",
    allowSpectatorScores: "Spectators may see scores during the game",
    spectatorsSeeScores: "Spectators may see scores",
    unit,
    daysAndHours: (/** @type {number} */ days, /** @type {number} */ hours) =>
      `${days} d ${hours} h`,
    create: "Create game",
    board: (/** @type {number} */ houses, /** @type {string} */ rules) =>
      `${houses} houses a side, rules: ${rules}`,
    lowTime: "You have less than a minute left.",
    rematchOffered: "Rematch offered",
    offersRematch: (/** @type {string} */ name) => `${name} offers a rematch.`,
    rematchRequested: (/** @type {string} */ name) =>
      `You have offered a rematch. ${name} has not answered yet.`,
    rematchDeclined: (/** @type {string} */ name) => `${name} does not want a rematch now.`,
    rematchBegins: "The rematch begins.",
    /** The buttons of offers; `offer` is that of a takeback. */
    offerActions: {
      offer: "Ask to take back",
      accept: "Accept",
      decline: "Decline",
      withdraw: "Withdraw",
    },
    takebackOffered: (/** @type {string} */ name, /** @type {number} */ count) =>
      `${name} asks to take back the last ${count === 1 ? "move" : moves(count)}.`,
    takebackRequested: (/** @type {string} */ name, /** @type {number} */ count) =>
      `You have asked ${name} to take back the last ${count === 1 ? "move" : moves(count)}.`,
    takebackDeclined: (/** @type {string} */ name) => `${name} does not agree.`,
    asksTakeback: (/** @type {string} */ name) => `${name} asks to take back a move.`,
    takenBack: (/** @type {number} */ count) => `Taken back: ${moves(count)}.`,
    notOver: (/** @type {number} */ games) =>
      games === 1
        ? "Your game with a friend is not over."
        : `${games} of your games with friends are not over.`,
    backToYourGame: "Back to your game",
    yourFriend: "Your friend",
    unnamedCreator: "A friend",
    joined: (/** @type {string} */ name) => `${name} has joined.`,
    here: (/** @type {string} */ name) => `${name} is here.`,
    left: (/** @type {string} */ name) => `${name} has left.`,
    notJoined: "Your friend has not joined yet.",
    seatIsFree: "A seat is free. You are watching.",
    firstMove: (/** @type {string} */ left) =>
      `Your turn: your clock starts after your first move. Without it the game ends in ${left}.`,
    friendsFirstMove: (/** @type {string} */ name, /** @type {string} */ left) =>
      `${name} is to move. Without a first move the game ends in ${left}.`,
    notConnected: (/** @type {string} */ name) =>
      `${name} is not connected and can return at any time.`,
    myGames: "My games",
    gameWith: (/** @type {string} */ name) => `With ${name}`,
    gameDetails: (/** @type {string} */ rules, /** @type {number} */ count) =>
      `${rules}, ${moves(count)}`,
    yourTurn: "Your turn.",
    turnOf: (/** @type {string} */ name) => `${name} is to move.`,
    premoveSet: (/** @type {string} */ house) =>
      `House ${house} is played as soon as it is your turn. Choose it again to undo this.`,
    premoveRemoved: "No move is chosen ahead.",
    premoveIllegal: (/** @type {string} */ house) => `House ${house} cannot be played now.`,
    say: "Say something",
    mutePhrases: "Hide what the other player says",
    says: (/** @type {string} */ name, /** @type {string} */ text) => `${name}: ${text}`,
    /** The phrases of players, by the words of the server. */
    phrases: {
      hello: "Hello!",
      "good-luck": "Good luck!",
      "nice-move": "Nice move!",
      oops: "Oops!",
      "one-moment": "One moment, please.",
      thanks: "Thank you!",
      "good-game": "Good game!",
      goodbye: "Goodbye!",
    },
    spectatorAlone: "You are a spectator. No player is connected.",
    spectator: (/** @type {readonly string[]} */ names) =>
      `You are a spectator. Connected: ${and(names)}.`,
    connected: "Connected.",
    connecting: "Connecting to your friend's game\u2026",
    reconnecting: "Reconnecting; your game is safe",
    connectNow: "Connect now",
    sendingMove: "Sending your move\u2026",
    noConnection: "There is no connection to the server. Try again in a moment.",
    serverSays: (/** @type {string} */ text) => `The server says: ${text}.`,
    noticeTitle: "Game with a friend",
    startAnother: "Start another game",
    keepsTrying: "The page keeps trying.",
    /** The reasons why there is no connection. */
    refusals: {
      noSuchGame: "There is no such game on this server, or it was deleted.",
      noAccess: "This link does not give access to the game: it may be incomplete.",
      replaced: "The game is open in many other places. Close some of them, and reload this page.",
      gameFull: (/** @type {number | null} */ limit) =>
        `This game has ${connections(limit)} as the server allows for one game.`,
      addressFull: (/** @type {number | null} */ limit) =>
        `Your network address has ${connections(limit)} as the server allows. Close other games.`,
      tooManyMessages: "The server has received too many messages from your network address.",
      restarting: "The server is restarting.",
      serverFailed: "The server failed and could not show the game.",
      noLiveConnection:
        "The server can be reached, but opens no live connection. A proxy or an extension may block it.",
      unreachable: "The server cannot be reached.",
    },
    leave: "Leave this game",
    invitationTitle: "Invitation",
    invitation: "Link for your friend",
    sendLink: "Send this link",
    sendLinkText:
      "Your friend opens it and plays the other side. It is not secret: everyone else who opens it watches.",
    share: "Share",
    shareText: "Play Kalah with me",
    onlyThisMachine:
      "Only this computer can open this link. For others start the server with: kalah serve --addr 0.0.0.0:8080",
    invitesYou: (/** @type {string} */ name) => `${name} invites you to a game`,
    youBegin: "You begin.",
    friendBegins: "The other player begins.",
    takeSeat: "Play",
    orWatch: "or just watch.",
    ownGameHint: "Your own game? Continue it by a link from your first device.",
    seatTaken: "The other seat is taken by now. You are watching.",
    seatCodeUsed: "This link has been used or is too old. Create another one on your first device.",
    gameLink: "Link to this game",
    gameLinkText: "Everyone who has it can watch.",
    otherDevice: "Continue on another device",
    otherDeviceLink: "Link for your other device",
    otherDeviceText: (/** @type {number} */ seconds) =>
      `Open it there within ${unit(seconds / 60, "minute")}. It works once and gives your seat to that device, too.`,
    copyLink: (/** @type {string} */ name) => `Copy: ${name}`,
    closeLink: (/** @type {string} */ name) => `Close: ${name}`,
    qrCode: "QR code",
    noQrCode: "This link is too long for a QR code.",
    qrCodeOf: (/** @type {string} */ name) => `QR code: ${name}`,
  },

  rooms: {
    title: "Rooms",
    intro:
      "A room is for a class, a club or a tournament: people enter with a code and a name, and the page pairs them. No account is needed.",
    enterTitle: "Enter a room",
    otherCode: "Try another code",
    code: "Code of the room",
    codeProblem: "A code has 6 letters and digits, such as ABC DEF.",
    open: "Open",
    lobby: "Enter the lobby",
    lobbyText: "The lobby is open to everyone on this server.",
    ownRooms: "Your rooms",
    asLeader: "you lead it",
    createTitle: "Create a room",
    name: "Name of the room",
    format: "Pairings",
    formats: {
      free: "Free challenges",
      "round-robin": "Round robin",
      swiss: "Swiss",
      ladder: "Ladder",
    },
    formatTexts: {
      free: "All members challenge each other whenever they like.",
      "round-robin": "In each round all members have another opponent, until all have met.",
      swiss: "In each round members with similar points meet, if possible those who have not met.",
      ladder: "Members challenge others above them, and take their place when they win.",
    },
    gamesPerPairing: "Games of each pairing",
    oneGame: "One",
    twoGames: "Two, with sides exchanged",
    openingPlies: "Moves of the drawn opening",
    openingPliesText: "Both games of a pairing begin from the same drawn position.",
    engineHelp: "Players may use hints, scores and analysis",
    engineHelpText:
      "Without it this page and the server refuse them to the players of a running game. Another device cannot be prevented.",
    create: "Create room",
    yourName: "Your name",
    nameMissing: "Enter a name by which the others know you.",
    nameTaken: "Another member of this room has this name. Choose a different one.",
    enter: "Enter",
    enterAgain: "Enter again",
    enterAsLeader: "Play, too",
    watching: "You are watching. Enter with a name to play.",
    entered: (/** @type {string} */ name) => `You have entered the room as ${name}.`,
    closed: "This room is closed. Its results stay here.",
    closedShort: "The leader has closed the room.",
    paused: "The leader has paused all games. The clocks are stopped.",
    pausedStatus: "The games are paused.",
    codeIs: (/** @type {string} */ code) => `Code: ${code}`,
    link: "Link to the room",
    shareText: (/** @type {string} */ name, /** @type {string} */ code) =>
      `Play Kalah in the room ${name}, code ${code}`,
    invite: "Invite people",
    inviteText: "People enter with this code, or with the link.",
    twoGamesLine: "Two games of each pairing",
    noHelpLine: "Without help of the engine",
    helpLine: "With help of the engine",
    connecting: "Connecting to the room\u2026",
    reconnecting: "Reconnecting to the room\u2026",
    refusals: {
      noSuchRoom: "There is no room with this code on this server, or it has expired.",
      noAccess: "The server does not know this member.",
      removed: "The leader has removed you from this room.",
      replaced: "The room is open in many other places. Close some of them, and connect again.",
      roomFull: "This room has as many live connections as the server allows.",
      addressFull: (/** @type {number | null} */ limit) =>
        `Your network address has ${connections(limit)} as the server allows. Close other pages.`,
      tooManyMessages: "The server has received too many messages from your network address.",
      restarting: "The server is restarting.",
      serverFailed: "The server failed and could not show the room.",
      noLiveConnection:
        "The server can be reached, but opens no live connection. A proxy or an extension may block it.",
      unreachable: "The server cannot be reached.",
    },
    round: (/** @type {number} */ round) => `Round ${number(round)}`,
    waitFirstRound: "Wait for the first round. The leader starts it.",
    youPlay: (/** @type {string} */ name) => `You play ${name}`,
    play: "Play",
    playing: "Your game is on the board.",
    gameBegins: (/** @type {string} */ name) => `Your game with ${name} begins.`,
    bye: (/** @type {number} */ round) =>
      `You have a bye in round ${number(round)}: there is no game for you this time, and it counts as a win.`,
    byeOf: (/** @type {string} */ name) => `${name}: bye`,
    ownGameOver: "Your game of this round is over.",
    lateJoiner: "You play from the next round on.",
    goesOn: (/** @type {number} */ count) =>
      `The round goes on: ${count === 1 ? "1 game is" : `${number(count)} games are`} running.`,
    roundOver: "All games of the round are over. The leader starts the next one.",
    freeToPlay: "Challenge another member, or accept a challenge.",
    standing: (
      /** @type {number} */ rank,
      /** @type {number} */ of,
      /** @type {string} */ points,
    ) => `You: place ${number(rank)} of ${number(of)}, ${points}`,
    points: (/** @type {number} */ points) => plural(points, "point", "points"),
    leave: "Leave the room",
    leaveQuestion: "Leave the room?",
    leaveText:
      "You lose a running game, and get no more games here. You can enter again with the code.",
    leaveYes: "Leave",
    stay: "Stay",
    close: "Close this view",
    left: "You have left this room.",
    changeName: "Change your name",
    saveName: "Save name",
    pairings: (/** @type {number} */ round) => `Games of round ${number(round)}`,
    games: "Games",
    noGames: "There are no games yet.",
    versus: (/** @type {string} */ one, /** @type {string} */ other) => `${one} \u2013 ${other}`,
    running: "running",
    runningAt: (/** @type {number} */ south, /** @type {number} */ north) =>
      `running, ${number(south)}:${number(north)}`,
    result: (/** @type {number} */ one, /** @type {number} */ other) =>
      `${number(one)} : ${number(other)}`,
    void: "without result",
    watchGame: (/** @type {string} */ one, /** @type {string} */ other) =>
      `Watch ${one} \u2013 ${other}`,
    backToRoom: "Back to the room",
    inTheRoom: (/** @type {string} */ name) => `This is a game of the room ${name}.`,
    yourGameRuns: (/** @type {string} */ name) => `Your game with ${name} is running.`,
    inRoom: (/** @type {string} */ room, /** @type {string} */ game) => `${room}: ${game}`,
    challenges: "Challenges",
    challengesAll: (/** @type {string} */ name) => `${name} plays anyone`,
    challengesYou: (/** @type {string} */ name) => `${name} challenges you`,
    youChallengeAll: "You challenge all. The first who accepts plays you.",
    youChallenge: (/** @type {string} */ name) => `You challenge ${name}.`,
    challengeAll: "Challenge all",
    challenge: "Challenge",
    challengeNamed: (/** @type {string} */ name) => `Challenge ${name}`,
    accept: "Accept",
    acceptOf: (/** @type {string} */ name) => `Accept the challenge of ${name}`,
    decline: "Decline",
    declineOf: (/** @type {string} */ name) => `Decline the challenge of ${name}`,
    withdraw: "Withdraw",
    people: (/** @type {number} */ count) => `People (${number(count)})`,
    noPeople: "No one has entered yet.",
    more: (/** @type {number} */ count) => `and ${number(count)} more`,
    botName: (/** @type {string} */ name) => `${name} (bot)`,
    here: "here",
    notHere: "not connected",
    hasLeft: "has left",
    wasRemoved: "removed",
    you: "you",
    rename: "Rename",
    renameNamed: (/** @type {string} */ name) => `Rename ${name}`,
    newName: (/** @type {string} */ name) => `Name of ${name}`,
    save: "Save",
    cancel: "Cancel",
    remove: "Remove",
    removeNamed: (/** @type {string} */ name) => `Remove ${name}`,
    removeQuestion: (/** @type {string} */ name) => `Remove ${name} from the room?`,
    removeText: "A running game of this member is lost, and the member cannot enter again.",
    removeYes: "Remove",
    leading: "Lead the room",
    moreLeading: "Screen, end and other devices",
    secretHere:
      "This browser stores the leader's secret, without which no device can lead the room. Do not delete its data before the end.",
    leadElsewhere: "Lead on another device",
    leadElsewhereLink: "Link for leading on another device",
    leadElsewhereText: (/** @type {number} */ seconds) =>
      `Open it there within ${unit(seconds / 60, "minute")}. It works once, and the person who opens it first leads this room: show it to no one else.`,
    leaderCodeUsed:
      "This link has been used or is too old. Create another one on the device that leads the room.",
    startFirst: "Start the first round",
    startRound: (/** @type {number} */ round) => `Start round ${number(round)}`,
    startQuestion: (/** @type {number} */ count) =>
      count === 1 ? "1 game is still running" : `${number(count)} games are still running`,
    startText: "The next round voids them: they end without a result.",
    startYes: "Void them and start",
    wait: "Wait",
    nextRound: {
      ready: "The next round can start.",
      "running-games": "Games of this round are still running.",
      "too-few-members": "A round needs two members.",
      "all-met": "All pairings have been played. There is no further round.",
    },
    pause: "Pause all games",
    resume: "Resume all games",
    closeRoom: "Close the room",
    closeQuestion: "Close the room for good?",
    closeText:
      "People cannot enter any more, and no games begin. Games that still run go on. The results stay for 30 days.",
    closeYes: "Close the room",
    keepOpen: "Keep it open",
    boards: "All boards",
    openProjector: "Projector page",
    projectorText:
      "A page for a large screen, with code, pairings and standings. It has no controls.",
    endGame: "Decide this game",
    endGameOf: (/** @type {string} */ one, /** @type {string} */ other) =>
      `Decide the game ${one} \u2013 ${other}`,
    wins: (/** @type {string} */ name) => `${name} wins`,
    draw: "Draw",
    voidGame: "Void the game",
    decideQuestion: (/** @type {string} */ result) => `End the game: ${result}?`,
    decideYes: "End the game",
    goOn: "Let it go on",
    boardOf: (
      /** @type {string} */ name,
      /** @type {number} */ store,
      /** @type {readonly number[]} */ row,
    ) => `${name}: store ${number(store)}, houses ${row.join(" ")}`,
    toMove: (/** @type {string} */ name) => `${name} to move`,
    moves,
    decimal: number,
    standings: "Standings",
    noStandings: "There are no points yet.",
    rank: "Place",
    member: "Name",
    pointsHead: "Points",
    gamesHead: "Games",
    record: "Won, drawn, lost",
    recordShort: "W/D/L",
    recordOf: (
      /** @type {number} */ wins,
      /** @type {number} */ ties,
      /** @type {number} */ losses,
    ) => `${wins}/${ties}/${losses}`,
    buchholz: "BH",
    buchholzName: "Buchholz",
    sonneborn: "SB",
    sonnebornName: "Sonneborn-Berger",
    rating: "Performance",
    ratingOf: (/** @type {string} */ value, /** @type {number | null} */ error) =>
      error === null ? value : `${value} \u00b1 ${number(Math.round(error))}`,
    standingsText:
      "Places go by points, then by Buchholz (BH, the points of the opponents), then by Sonneborn-Berger (SB, those of the opponents one has beaten). The performance is a rating in Elo from these games alone, relative to the mean of the room, with its 95 % error.",
    downloads: "Download results",
    downloadAs: {
      csv: "Standings (CSV)",
      "games-csv": "Table of games (CSV)",
      json: "All data (JSON)",
      kgn: "Games (KGN)",
      html: "Report (HTML)",
    },
    enterAt: (/** @type {string} */ address) => `Enter at ${address}`,
    projectorBack: "Back",
    voided: "The leader has ended the game without a result.",
    adjudicated: "The room's leader has decided the game.",
    engineHelpOff: "This room has no hints, scores or analysis during a game.",
    firstMove: (/** @type {string} */ left) =>
      `Your turn: your clock starts after your first move. Without it you lose in ${left}.`,
    othersFirstMove: (/** @type {string} */ name, /** @type {string} */ left) =>
      `${name} is to move, and loses without a first move in ${left}.`,
  },

  errors: {
    unreachable: "The server cannot be reached",
    noResponse: (/** @type {number} */ seconds) => `no response within ${unit(seconds, "second")}`,
    streamEnded: "the connection ended before the result",
    checkNetwork: "check that the server is running and that the network works",
    status: (/** @type {number} */ status) => `The server responded with status ${status}`,
    notJson: "The response is not JSON",
    engineStopped: "The engine stopped",
    engineNotLoaded: "it could not be loaded",
    engineFailed: "The engine failed",
    /** The titles of the API's problem documents, by the last part of their type. */
    problems: {
      "invalid-json": "Invalid JSON",
      "invalid-request": "Invalid request",
      "unknown-request": "Unknown request",
      "invalid-rules": "Invalid rules",
      "invalid-position": "Invalid position",
      "unplayable-position": "Unplayable position",
      "invalid-move": "Invalid move",
      "illegal-move": "Illegal move",
      "invalid-time": "Invalid time",
      "too-much-time": "Too much time",
      "unknown-opponent": "Unknown opponent",
      "invalid-game": "Invalid game",
      "invalid-analysis": "Invalid analysis",
      "too-many-plies": "Too many moves",
      "engine-help-off": "This room has no help of the engine during a game",
      "name-taken": "This name is taken",
      "member-removed": "Removed from the room",
      "too-many-games": "Too many games",
    },
    /**
     * The titles of problem documents without a type of their own, by those of the server in lower
     * case with hyphens.
     */
    titles: {
      "bad-request": "Bad request",
      unauthorized: "No access",
      forbidden: "No access",
      "not-found": "Not found",
      "method-not-allowed": "Not allowed",
      "request-timeout": "The request took too long",
      conflict: "Not possible now",
      "payload-too-large": "The request is too large",
      "unsupported-media-type": "Unsupported content type",
      "unprocessable-entity": "Invalid request",
      "too-many-requests": "Too many requests",
      "internal-server-error": "Server error",
      "service-unavailable": "The server is not available",
      "the-engine-has-stopped": "The engine stopped",
    },
    /** An error of the page itself, with the message of the browser if it is in the language. */
    unexpected: (/** @type {string} */ message) =>
      `Something went wrong on the page${message ? `: ${message}` : ". Reload it"}.`,
    /** A part of an input that a message quotes. */
    quoted: (/** @type {string} */ text) => `“${text}”`,
  },
};
