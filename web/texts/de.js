/** All texts of the page in German, with the keys of `en.js`. */

import { formatters } from "./format.js";

/** @import { en } from "./en.js" */
/** @import { Subject } from "./en.js" */
/** @import { Side } from "../types/api.d.ts" */

const { number, compact, percent, date, time, and, or, unit } = formatters("de");

/** @param {number} count @param {string} one @param {string} many */
const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;

/** @param {number} count */
const seeds = (count) => plural(count, "Samen", "Samen");

/** @param {number} count */
const moves = (count) => plural(count, "Zug", "Züge");

/** The dative, as after "von". @param {number} count */
const movesDative = (count) => plural(count, "Zug", "Zügen");

/** The beginning of "so viele, wie ..."; `limit` is null if unknown. @param {number | null} limit */
const connections = (limit) =>
  limit === null
    ? "so viele Verbindungen"
    : `${plural(limit, "Verbindung", "Verbindungen")}, so viele`;

/**
 * Returns subject and verb.
 *
 * @param {Subject} subject
 * @param {string} second the verb after "du"
 * @param {string} third the verb after a name
 */
const does = ({ name, isYou }, second, third) => (isYou ? `Du ${second}` : `${name} ${third}`);

const SIDE_NAMES = { south: "Süd", north: "Nord" };

/** The name of the one person at this device. */
const YOU = "Du";

/** @type {typeof en} */
export const de = {
  page: {
    description:
      "Spiele Kalah gegen den Computer oder mit Freunden, analysiere deine Partien und sieh sie im Rückblick.",
    noScript: "Diese Seite braucht JavaScript.",
    skip: "Zum Brett springen",
    navigation: "Partie und Seite",
    newGame: "Neue Partie",
    settings: "Einstellungen",
    help: "Hilfe",
    game: "Partie",
    panels: "Bereiche",
    log: "Verlauf der Partie",
    title: "Kalah",
    titleOf: (text) => `${text} \u2013 Kalah`,
    yourTurn: "Du bist am Zug",
  },

  common: {
    close: "Schließen",
    copy: "Kopieren",
    copied: "Kopiert",
    tryAgain: "Noch einmal versuchen",
    dismiss: "Ausblenden",
    board: "Brett",
    rules: "Regeln",
    housesPerSide: "Mulden je Seite",
    seedsPerHouse: "Samen je Mulde",
    youPlay: "Du spielst",
    southFirst: "Süd, beginnt",
    northSecond: "Nord, zieht nach",
    random: "Zufällig",
    playFriend: "Mit Freunden",
    notCopied: (text) => `Der Browser hat den Text nicht kopiert. Er lautet: ${text}`,
  },

  board: {
    sides: SIDE_NAMES,
    rows: { south: "Reihe von Süd", north: "Reihe von Nord" },
    stores: { south: "Speicher von Süd", north: "Speicher von Nord" },
    clocks: { south: "Uhr von Süd", north: "Uhr von Nord" },
    house: (label) => `Mulde ${label}`,
    column: (label) => `Spalte ${label}`,
    ownedHouse: (side, house) => `${house} von ${SIDE_NAMES[side]}`,
    seeds,
    seedsInTotal: (count) => `insgesamt ${seeds(count)}`,
    storeCount: (side, count) => `Speicher von ${SIDE_NAMES[side]}, ${seeds(count)}`,
    hint: "Tipp",
    premove: "vorgemerkt",
    captureShort: (count) => `Schlag: ${seeds(count)}`,
    sweptShort: "Die Reihen werden geleert",
    bonusTurnShort: "Bonuszug",
  },

  game: {
    you: YOU,
    youNamed: (name) => `${name} (du)`,
    friend: "Freund",
    computer: (level) => `Computer (Stufe ${level})`,
    fullStrength: "Computer (volle Stärke)",
    noGame: "Noch keine Partie",
    settingUp: "Das Brett wird aufgebaut",
    sowing: "Der Zug wird gespielt",
    searchingHint: "Ein Tipp wird gesucht",
    thinking: (name) => `${name} denkt nach`,
    plays: (subject, house) => `${does(subject, "spielst", "spielt")} ${house}`,
    playsSeeds: (subject, house, count) =>
      `${does(subject, "spielst", "spielt")} ${house}, ${seeds(count)}.`,
    swaps: (subject) => `${does(subject, "tauschst", "tauscht")} die Seiten.`,
    captureToOwnStore: (house, count) => `Schlag aus ${house}: ${seeds(count)} in deinen Speicher.`,
    captureToStore: (house, count, /** @type {Side} */ side) =>
      `Schlag aus ${house}: ${seeds(count)} in den Speicher von ${SIDE_NAMES[side]}.`,
    bonusTurn: "Bonuszug.",
    swept: (south, north) =>
      `Die Reihen werden geleert: ${south} in den Speicher von Süd, ${north} in den von Nord.`,
    sweptToOwnStore: (own, other) =>
      `Die Reihen werden geleert: ${own} in deinen Speicher, ${other} in den anderen.`,
    stores: (stores) => `Speicher: ${stores}.`,
    afterMove: (name, move) => `Nach ${name}: ${move}`,
    start: "Beginn der Partie.",
    hintSwap: "Seitentausch",
    hintProven: (move, score) => `Tipp: ${move} ist der beste Zug (Wertung ${score}, bewiesen).`,
    hintBest: (move) => `Tipp: ${move} ist der beste Zug.`,
    hintSoFar: (move, depth) => `Tipp: ${move} ist bisher der beste Zug (Tiefe ${number(depth)}).`,
    yourTurn: "Du bist am Zug.",
    toMove: (name) => `${name} ist am Zug.`,
    pickHouse: "Du bist am Zug: Wähle eine Mulde in deiner Reihe",
    pickHouseAgain: "Bonuszug: Wähle eine Mulde in deiner Reihe",
    isPlaying: "spielt",
    isToMove: "am Zug",
    winsScore: (subject, own, other) => `${does(subject, "gewinnst", "gewinnt")} ${own}-${other}.`,
    winsByResignation: (subject) => `${does(subject, "gewinnst", "gewinnt")} durch Aufgabe.`,
    winsOtherwise: (subject, reason) => `${does(subject, "gewinnst", "gewinnt")} (${reason}).`,
    noWinner: (reason) => `Die Partie endete ohne Sieger (${reason}).`,
    drawScore: (south, north) => `Unentschieden, ${south}-${north}.`,
    youWin: "Du gewinnst",
    youLose: "Du verlierst",
    wins: (name) => `${name} gewinnt`,
    noResult: "Kein Ergebnis",
    noFirstMove: "Die Partie endete ohne Ergebnis, bevor beide Spieler gezogen hatten.",
    draw: "Unentschieden",
    finalStores: (first, second) =>
      `${first.name} ${number(first.seeds)}, ${second.name} ${number(second.seeds)}`,
    byResignation: "Durch Aufgabe",
    endings: {
      adjudicated: "nach Wertung",
      resign: "Aufgabe",
      illegal: "regelwidriger Zug",
      time: "Zeit abgelaufen",
      crash: "Programm beendet",
      stall: "Programm antwortet nicht",
      protocol: "Fehler im Protokoll",
    },
    exploring: "Du siehst dir andere Züge an. Deine Partie ist angehalten.",
    exploringFinished: "Du siehst dir andere Züge an. Deine Partie ist zu Ende.",
    backToGame: "Zurück zur Partie",
    backToEnd: "Zurück zu ihrem Ende",
  },

  controls: {
    group: "Bedienung",
    flip: "Brett drehen",
    sound: "Töne",
    swap: "Seiten tauschen",
    undo: "Zurück",
    redo: "Vor",
    hint: "Tipp",
    scores: "Wertung",
    resign: "Aufgeben",
    rematch: "Revanche",
    review: "Rückblick",
  },

  preview: {
    inHouse: (from, house) => `Aus ${from} fällt der letzte Samen in ${house}.`,
    inStore: (from, side, isOwn) =>
      `Aus ${from} fällt der letzte Samen in ${isOwn ? "deinen Speicher" : `den Speicher von ${SIDE_NAMES[side]}`}.`,
    capture: (from, house, captured, count) =>
      `Aus ${from} fällt der letzte Samen in ${house} und schlägt ${captured}: ${seeds(count)}.`,
    end: (stores) => `Die Partie endet: ${stores}.`,
  },

  refusal: {
    gameOver: "Die Partie ist zu Ende.",
    wait: "Warte, bis der Zug gespielt ist.",
    notYourTurn: (name) => `Du bist nicht am Zug: ${name} ist am Zug.`,
    otherRow: (house) => `${house} liegt nicht in deiner Reihe. Wähle eine Mulde in deiner Reihe.`,
    otherRowOf: (house, name) => `${house} liegt nicht in der Reihe von ${name}, der am Zug ist.`,
    empty: (house) => `${house} ist leer. Wähle eine Mulde mit Samen.`,
    illegal: (house) => `${house} kann jetzt nicht gespielt werden.`,
  },

  lesson: {
    offer: "Neu bei Kalah? Lerne es in sechs Schritten auf dem Brett.",
    learn: "Am Brett lernen",
    dismiss: "Nein, danke",
    otherPlayer: "Gegenseite",
    title: (step, all) => `So wird gespielt: Schritt ${step} von ${all}`,
    back: "Zurück",
    next: "Weiter",
    skip: "Überspringen",
    finish: "Fertig",
    leave: "Verlassen",
    sowByTouch:
      "Die untere Reihe gehört dir. Ein Zug verteilt alle Samen einer deiner Mulden. Tippe auf Mulde B.",
    anotherHouse: "Nicht diese Mulde. Lies den Schritt noch einmal und versuche eine andere.",
    tasks: {
      sow: "Die untere Reihe gehört dir. Ein Zug verteilt alle Samen einer deiner Mulden. Klicke auf Mulde B oder drücke die Taste B.",
      stores:
        "Die große Mulde rechts ist dein Speicher. Samen darin gehören dir. Verteilt wird gegen den Uhrzeigersinn, auch in deinen Speicher, aber nie in den anderen. Spiele Mulde F.",
      bonusTurn:
        "Fällt der letzte Samen in deinen Speicher, bist du noch einmal am Zug: ein Bonuszug. Finde die Mulde, deren letzter Samen in deinen Speicher fällt.",
      order:
        "Zwei Mulden bringen jetzt einen Bonuszug, wenn du sie in der richtigen Reihenfolge spielst. Beginne mit der Mulde neben deinem Speicher und spiele dann die andere.",
      capture:
        "Fällt der letzte Samen in eine leere Mulde deiner Reihe, schlägt er die Samen der Mulde gegenüber. Finde die Mulde, die Mulde c schlägt.",
      end: "Die Partie endet, sobald eine Reihe leer ist. Dann bekommt jeder die Samen, die noch in seiner Reihe liegen. Spiele deinen letzten Samen.",
    },
    done: {
      sow: "Gut gemacht. Die vier Samen sind einzeln in die nächsten vier Mulden gefallen.",
      stores:
        "Gut gemacht. Ein Samen ist in deinen Speicher gefallen, der andere Speicher wurde ausgelassen.",
      bonusTurn:
        "Gut gemacht. Du bist noch einmal am Zug. Eine Mulde drei Schritte vor deinem Speicher braucht drei Samen.",
      order: "Gut gemacht. Mit der anderen Mulde zuerst hättest du den zweiten Bonuszug verloren.",
      capture: "Gut gemacht. Dein Samen und die vier Samen aus Mulde c liegen in deinem Speicher.",
      end: "Gut gemacht. Die Gegenseite bekommt den Rest, aber du hast 25 von 48 Samen und gewinnst.",
    },
  },

  course: {
    title: "Lektionen",
    intro: "Sechs kurze Lektionen mit Aufgaben auf dem Brett. Der Rechner prüft jeden Zug.",
    begin: "Weiter mit den Lektionen",
    loading: "Die Aufgabe wird vorbereitet\u2026",
    locked: "Tipps und Analyse sind aus, bis die Aufgabe gelöst ist",
    progress: (solved, all) => `${number(solved)} von ${number(all)} gelöst`,
    exercise: (lesson, index, all) => `${lesson}: Aufgabe ${number(index)} von ${number(all)}`,
    goals: {
      best: "Finde den besten Zug: den, der bis zum Ende der Partie die meisten Samen bringt.",
      win: "Finde den Zug, der gewinnt.",
    },
    isBest: (move) => `Richtig: ${move} ist der beste Zug (bewiesen).`,
    wins: (move) => `Richtig: ${move} gewinnt (bewiesen).`,
    costs: (move, count) =>
      `${move} ist nicht der beste Zug: Er kostet ${seeds(count)} (bewiesen). Versuche einen anderen.`,
    winsNot: (move) => `${move} gewinnt nicht (bewiesen). Versuche einen anderen.`,
    solution: (labels) => `Die Lösung: ${or(labels)}.`,
    giveUp: "Lösung zeigen",
    again: "Noch einmal",
    next: "Nächste Aufgabe",
    skip: "Überspringen",
    lessons: {
      chains: {
        title: "Bonuszüge in Folge",
        text: "Endet ein Zug in deinem Speicher, bist du noch einmal am Zug, und so kommen mehrere in Folge. Beginne mit der Mulde neben deinem Speicher: Ein Zug von weiter weg legt einen Samen hinein, und ihr eigener Bonuszug ist verloren.",
      },
      counting: {
        title: "Zählen",
        text: "Der letzte Samen fällt so viele Felder weiter, wie die Mulde Samen hat, ohne den anderen Speicher. Mit 13 Samen kommt er in die eigene Mulde zurück, die dann leer ist; mit 12 oder 11 endet er eine oder zwei Mulden davor. Volle Mulden schlagen oft, wo man es übersieht.",
      },
      captures: {
        title: "Schlagen",
        text: "Ein letzter Samen in einer leeren Mulde deiner Reihe schlägt die Samen gegenüber. Sieh dir zuerst deine leeren Mulden an und suche dann eine Mulde, die dort endet. Am meisten zu schlagen ist nicht immer am besten: Denk an die Antwort.",
      },
      hoarding: {
        title: "Horten",
        text: "Am Ende nimmt jeder die Samen seiner Reihe. Samen, die in deiner Reihe bleiben, zählen wie die in deinem Speicher, solange sie niemand schlagen kann. Lass zuerst dem Gegner die Züge ausgehen.",
      },
      starving: {
        title: "Aushungern",
        text: "Hat der Gegner keine Samen mehr, endet die Partie, und du nimmst den Rest deiner Reihe. Schlage die letzten Samen des Gegners oder lass ihm nur Züge, die sie aufbrauchen.",
      },
      endgame: {
        title: "Endspiel",
        text: "Mit wenigen Samen lässt sich alles bis zum Ende zählen. Du brauchst 25 von 48 Samen. Suche Züge, die dir mehrere Möglichkeiten lassen, und zähle, wem zuerst die Züge ausgehen.",
      },
    },
  },

  discard: {
    title: "Die angefangene Partie verlassen?",
    text: "Deine Partie ist nicht zu Ende. Sie bleibt unter „Partien“, wo du sie weiterspielen kannst.",
    yes: "Neue Partie beginnen",
    no: "Weiterspielen",
  },

  newGame: {
    title: "Neue Partie",
    against: "Gegen",
    computer: "Computer",
    twoPlayers: "Zu zweit an diesem Gerät",
    level: "Stufe",
    levels: [
      "Anfänger: sieht nur den eigenen Zug und übersieht viel",
      "Sehr leicht: sieht nur den eigenen Zug und übersieht wenig",
      "Leicht: sieht deine Antwort, übersieht aber manche Züge",
      "Locker: sieht deine Antwort und übersieht selten etwas",
      "Mittel: rechnet drei Runden voraus, mit einigen Fehlern",
      "Gut: rechnet vier Runden voraus, mit seltenen Fehlern",
      "Stark: rechnet fünf Runden voraus, fast ohne Fehler",
      "Sehr stark: rechnet sieben Runden voraus, ohne Leichtsinn",
      "Experte: rechnet zehn Runden voraus",
      "Volle Stärke: rechnet so weit wie möglich und beweist seine Züge",
    ],
    start: "Los",
    analysisBoard: "Analysebrett",
  },

  resign: {
    title: "Diese Partie aufgeben?",
    yes: "Aufgeben",
    no: "Weiterspielen",
  },

  settings: {
    title: "Einstellungen",
    language: "Sprache",
    system: "System",
    animation: "Animation",
    off: "Aus",
    slow: "Langsam",
    normal: "Normal",
    fast: "Schnell",
    houseLabels: "Namen der Mulden",
    letters: "Buchstaben",
    columns: "Spalten",
    look: "Brett und Samen",
    wood: "Holz",
    clear: "Farbenblind",
    numbers: "Nur Zahlen",
    colours: "Farben",
    light: "Hell",
    dark: "Dunkel",
    scores: "Wertung jedes Zugs anzeigen",
    keys: "Tastenkürzel",
    sound: "Töne",
  },

  help: {
    title: "Hilfe",
    howToPlay: "So wird gespielt",
    rows: "Deine Reihe von Mulden ist die untere, und dein Speicher (die große Mulde) ist an ihrem rechten Ende. Eine Schaltfläche dreht das Brett.",
    sow: "Nimm alle Samen aus einer deiner Mulden und verteile sie gegen den Uhrzeigersinn, einen in jede Mulde. Auch dein Speicher bekommt einen Samen, der andere Speicher wird ausgelassen.",
    bonusTurn:
      "Fällt der letzte Samen in deinen Speicher, bist du noch einmal am Zug: ein Bonuszug.",
    capture:
      "Fällt der letzte Samen in eine leere Mulde deiner Reihe, schlägt er: Er und die Samen der Mulde gegenüber kommen in deinen Speicher. Nach den meisten Regeln müssen dort Samen liegen.",
    end: "Nach den meisten Regeln endet die Partie, sobald nach einem Zug eine Reihe leer ist. Nach denen des Kurses CS 32 endet sie, wenn der Spieler am Zug keine Samen in seiner Reihe hat.",
    result:
      "Am Ende kommen die Samen jeder Reihe in den Speicher ihres Besitzers. Wer mehr Samen hat, gewinnt.",
    keys: "Tasten",
    keyLetters: "die Mulde mit diesem Buchstaben spielen",
    keyColumns: "die Mulde in dieser Spalte spielen; 0 ist die zehnte",
    keyArrowNames: "Pfeiltasten",
    keyArrows: "zwischen den Mulden wechseln; neben dem Brett durch die Züge gehen",
    keyEnterNames: "Eingabe, Leertaste",
    keyEnter: "die ausgewählte Mulde spielen",
    keyUndo: "Zug zurücknehmen",
    keyRedo: "Zug wiederholen",
    keyHint: "Tipp (Umschalt+H auf Brettern mit einer Mulde H)",
    keySwap: "Seiten tauschen, wenn die Regeln es erlauben",
    keyFlipNames: "Umschalt+F",
    keyFlip: "Brett drehen",
    keyNewGame: "neue Partie",
    keyHelp: "Hilfe zu diesen Tasten",
    keyEscape: "Fenster schließen",
    keyMistakes: "voriger und nächster Fehler im Rückblick",
  },

  presets: {
    cs32: {
      title: "Unterricht (UCLA)",
      summary:
        "Die Partie endet, wenn in der Reihe des Spielers am Zug keine Samen liegen; zum Schlagen müssen in der Mulde gegenüber Samen liegen.",
    },
    standard: {
      title: "Standard",
      summary:
        "Die Partie endet, sobald eine Reihe leer ist; zum Schlagen müssen in der Mulde gegenüber Samen liegen.",
    },
    "empty-capture": {
      title: "Immer schlagen",
      summary:
        "Die Partie endet, sobald eine Reihe leer ist; der letzte Samen wird auch geschlagen, wenn die Mulde gegenüber leer ist.",
    },
    mankalah: {
      title: "Mit Seitentausch (Manchester)",
      summary:
        "Wie Standard, aber der zweite Spieler darf statt seines ersten Zugs die Seiten tauschen, und der erste Zug der Partie bringt keinen Bonuszug.",
    },
  },
  rules: {
    playedBy: (names) => `Gespielt von ${names}.`,
    details: "Einzelheiten",
    offer:
      "Du spielst nach den Standardregeln: Die Partie endet, sobald eine Reihe leer ist. Im Kurs CS 32 endet sie, wenn der Spieler am Zug keine Samen hat.",
    useClassRules: "Regeln von CS 32 nehmen",
    facts: {
      endsRow: "Die Partie endet nach jedem Zug, sobald eine Reihe leer ist.",
      endsStuck:
        "Die Partie endet, wenn der Spieler am Zug keine Samen in seiner Reihe hat, auch bei einem Bonuszug.",
      captureOpposite:
        "Zum Schlagen müssen in der Mulde gegenüber Samen liegen. Ist sie leer, bleibt der letzte Samen liegen.",
      captureAlways: "Der letzte Samen in einer leeren eigenen Mulde wird immer geschlagen.",
      swap: "Nach dem ersten Zug darf der zweite Spieler die Seiten tauschen.",
      noSwap: "Die Spieler behalten ihre Seiten.",
      firstBonus: "Der erste Zug der Partie kann einen Bonuszug bringen.",
      noFirstBonus: "Der erste Zug der Partie bringt keinen Bonuszug.",
    },
  },

  moves: {
    title: "Züge",
    variation: "Variante",
    commentLabel: "Kommentar zu diesem Zug",
    saveComment: "Kommentar speichern",
    steps: "Schritte",
    first: "Anfangsstellung",
    back: "Voriger Zug",
    forward: "Nächster Zug",
    last: "Letzter Zug",
    edit: "Kommentieren und ändern",
    makeMainLine: "Zur Hauptvariante machen",
    deleteFromHere: "Ab hier löschen",
    none: "Noch keine Züge.",
    noBrace: (brace) =>
      `Ein Kommentar kann kein „${brace}“ enthalten: In einer Aufzeichnung beendet es den Kommentar.`,
  },

  analysis: {
    title: "Analyse",
    showScores: "Wertung jedes Zugs anzeigen",
    keepAnalysing: "Weiter analysieren",
    stop: "Anhalten",
    lines: "Zugfolgen",
    bestLine: "Beste Zugfolge",
    otherLine: (count) => `Zugfolge ${number(count)}`,
    bestLineMove: (name, count) => `${name}, Zug ${number(count)} der besten Zugfolge`,
    otherLineMove: (name, count, line) =>
      `${name}, Zug ${number(count)} der Zugfolge ${number(line)}`,
    scores: "Wertung jedes Zugs",
    depth: (depth) => `Tiefe ${number(depth)}`,
    work: (depth, positions, speed) =>
      `Tiefe ${number(depth)}, ${compact(positions)} Stellungen, ${compact(speed)} pro Sekunde`,
    fromBook: "Aus dem Eröffnungsbuch",
    tableDamage: (damage) =>
      `Eine Tabelle wurde nicht verwendet${damage ? `: ${damage}` : ", weil sie beschädigt ist"}`,
    queued: (place, wait) =>
      `Warten auf die Engine: Platz ${number(place)}, etwa ${number(wait)} s.`,
    evaluation: (text) => `Bewertung: ${text}`,
    gameOver: (lead) => `Die Partie ist zu Ende: ${lead}.`,
    bestPlay: (lead) => `Bei bestem Spiel: ${lead} (bewiesen).`,
    provenWin: (name, lead) =>
      `Bei bestem Spiel: ${name} ${name === YOU ? "gewinnst" : "gewinnt"} (bewiesen). Schätzung: ${lead}.`,
    estimate: (lead) => `Schätzung: ${lead} (nicht bewiesen).`,
    analysing: "Analyse läuft.",
    analysingMoves: (solved, all) => `Analyse läuft: ${solved} von ${movesDative(all)} gelöst.`,
    solvedMoves: (solved, all) => `${solved} von ${movesDative(all)} gelöst.`,
    draw: "unentschieden",
    ahead: (name, margin) =>
      `${name} ${name === YOU ? "liegst" : "liegt"} um ${number(margin)} vorn`,
    aheadAtLeast: (name, margin) =>
      `${name} ${name === YOU ? "liegst" : "liegt"} um mindestens ${number(margin)} vorn`,
    aheadAtMost: (name, margin) =>
      `${name} ${name === YOU ? "liegst" : "liegt"} um höchstens ${number(margin)} vorn`,
    drawAtLeast: (name) => `mindestens unentschieden für ${name === YOU ? "dich" : name}`,
    wins: (name, share) => `${name === YOU ? "gewinnst" : "gewinnt"} ${percent(share)}`,
    scoreProven: (score) => `Wertung ${score}, bewiesen`,
    scoreAtLeast: (score) => `Wertung mindestens ${score}, bewiesen`,
    scoreAtMost: (score) => `Wertung höchstens ${score}, bewiesen`,
    scoreAbout: (score) => `Wertung etwa ${score}, nicht bewiesen`,
    proven: "bewiesen",
    moveDetails: (depth, lower, upper) =>
      `Schätzung mit Tiefe ${number(depth)}; bewiesen: von ${lower} bis ${upper}`,
    best: "bester Zug",
    bestSoFar: "bisher am besten",
    locked: "Die Analyse ist aus, bis diese Partie endet",
    lockedForSpectators:
      "Die Spieler haben Bewertungen für Zuschauer während der Partie nicht erlaubt",
  },

  explorer: {
    title: "Eröffnung",
    source: "Partien",
    sources: {
      shipped: "starker Computergegner",
      own: "dieses Geräts",
      room: "des offenen Raums",
      server: "dieses Servers",
    },
    columns: {
      move: "Zug",
      score: "Bewertung",
      games: "Partien",
      results: "Gewonnen, unentschieden, verloren",
    },
    caption: (name) => `Züge von ${name}`,
    unknown: "Bewertung noch nicht bekannt",
    bonusTurn: "Bonuszug",
    inBook: "Das Eröffnungsbuch hat die Bewertung jedes Zuges hier bewiesen (\u2713).",
    leftBook:
      "Das Eröffnungsbuch hat hier nicht jeden Zug: Die anderen Bewertungen kommen von der Analyse.",
    over: "Die Partie ist hier zu Ende.",
    loading: "Die Partien werden geladen\u2026",
    notLoaded: "Die Datei mit den Partien ließ sich nicht laden.",
    noGames: "Keine beendete Partie dieser Auswahl hat diese Stellung.",
    fewGames:
      "Weniger als 3 gezählte Partien dieses Servers haben diese Stellung, deshalb wird keine gezeigt.",
    shippedGames:
      "Aus Partien zwischen den Stufen 7 bis 9, die mit bis zu vier zufälligen Zügen beginnen; diese zählen nicht.",
    count: (games) => number(games),
    games: (games) => plural(games, "Partie", "Partien"),
    noGamesOfMove: "keine Partien",
    results: (wins, ties, losses) =>
      `gewonnen ${number(wins)}, unentschieden ${number(ties)}, verloren ${number(losses)}`,
    back: "Einen Zug zurück",
  },

  review: {
    title: "Rückblick",
    begin: "Rückblick auf diese Partie",
    again: "Rückblick fortsetzen",
    stop: "Anhalten",
    ready: "Der Rückblick ist fertig.",
    noMoves: "Es gibt noch keine Züge. Spiele zuerst eine Partie oder öffne eine.",
    analysing: (count) => `Analyse läuft: ${moves(count)}, vom letzten bis zum ersten.`,
    unproven: (count) => `Die Kosten von ${movesDative(count)} sind noch nicht bewiesen.`,
    opening: (count) =>
      `Ohne Wertung: ${moves(count)} der Eröffnung, die kein Spieler gewählt hat.`,
    graph: "Vorsprung nach jedem Zug",
    noMargins: "noch kein Vorsprung bekannt",
    start: "Anfang.",
    provenDraw: "Bei bestem Spiel steht es jetzt unentschieden (bewiesen).",
    notAnalysed: "Noch nicht analysiert.",
    gradeAndCost: (grade, price) => {
      const names = {
        inaccuracy: "Eine Ungenauigkeit",
        mistake: "Ein Fehler",
        blunder: "Ein grober Fehler",
      };
      return `${names[grade]}, kostet ${price}.`;
    },
    mistakes: "Fehler",
    cost: (price) => `kostet ${price}`,
    seedsCost: (cost, isExact) => (isExact ? seeds(cost) : `mindestens ${seeds(cost)}`),
    lostChance: (share) => `etwa ${percent(share)} eines Punkts`,
    changed: (from, to) => {
      const results = { win: "Sieg", tie: "Unentschieden", loss: "Niederlage" };
      return `, ${results[to]} statt ${results[from]}`;
    },
    better: (labels) => `Besser: ${or(labels)}.`,
    tryAnother: "Versuche einen anderen Zug.",
    accuracy: (name, share, { cost, stake, plies, unproven }) => {
      const counted = `${number(plies)} von ${movesDative(plies + unproven)}`;
      return `${name}: ${percent(share)} (kostete ${number(cost)} von ${seeds(stake)}, um die es in ${counted} ging)`;
    },
    accuracyUnknown: (name) => `${name}: noch nicht bekannt`,
    accuracyNoStake: (name) => `${name}: keine Genauigkeit, denn es ging um nichts`,
    accuracyFewMoves: (name, { plies, unproven }) =>
      `${name}: keine Genauigkeit, denn erst ${number(plies)} von ${movesDative(plies + unproven)} zählen`,
    accuracyTitle: "So wird die Genauigkeit berechnet",
    accuracyFormula:
      "Die Genauigkeit ist 100 × (1 − Kosten ÷ Einsatz). Die Kosten eines Zugs sind die Wertung des besten Zugs minus die des gespielten Zugs, und sein Einsatz ist die Wertung des besten Zugs minus die des schlechtesten. Es zählen nur Züge, bei denen die Wertungen aller Züge bewiesen sind. Eine Genauigkeit gibt es, wenn mindestens vier Fünftel der Züge zählen, damit sie sich mit mehr Zeit wenig ändert.",
    legend: (name) =>
      `\u25cf bewiesen, \u25cb und gestrichelt: nicht bewiesen. Die obere Hälfte ist gut für ${name === YOU ? "dich" : name}. Fehler haben die Zeichen ?!, ? und ??, schöne Züge !!.`,
    grades: {
      inaccuracy: "Ungenauigkeit",
      mistake: "Fehler",
      blunder: "grober Fehler",
      beautiful: "schön",
    },
    gradesPlural: { inaccuracy: "Ungenauigkeiten", mistake: "Fehler", blunder: "Grobe Fehler" },
    gradesTitle: "So werden Züge benotet",
    gradesText:
      "Ein Sieg ist einen Punkt wert und ein Unentschieden einen halben. Ein Zug kostet Punkte, wenn das Ergebnis bei bestem Spiel nach ihm schlechter ist, und Samen, wenn seine Wertung unter der des besten Zugs liegt. Diese Kosten sind bewiesen. Wo ein Ergebnis nicht bewiesen ist, zählen auch die Chancen vor und nach dem Zug.",
    thresholds: {
      inaccuracy:
        "Ungenauigkeit: kostet mindestens 4 Samen und keine Punkte, oder etwa 10 % eines Punkts.",
      mistake: "Fehler: kostet einen halben Punkt, mindestens 8 Samen oder etwa 20 % eines Punkts.",
      blunder:
        "Grober Fehler: kostet einen Punkt, einen halben Punkt und mindestens 8 Samen, oder etwa 30 % eines Punkts.",
    },
    reviewLine: "Rückblick auf diese Variante",
    previousMistake: "Voriger Fehler",
    nextMistake: "Nächster Fehler",
    noMoreMistakes: "In dieser Richtung gibt es keine Fehler mehr.",
    mistakesCount: (count) => `Fehler (${number(count)})`,
    player: "Spieler",
    accuracyColumn: "Genauigkeit",
    percent: (value) => percent(Math.floor(value) / 100),
    showBetter: "Besseren Zug zeigen",
    tryAgain: "Besseren Zug finden",
    tryAgainLabel: (name) => `Besseren Zug finden als ${name}`,
    playOn: "Ab hier weiterspielen",
    playOnLabel: (name) => `Ab hier weiterspielen, vor ${name}`,
    giveUp: "Aufgeben und zeigen",
    endRetry: "Zurück zum Rückblick",
    findBetter: (name, move) =>
      `Finde für ${name} einen besseren Zug als ${move}. Spiele ihn auf dem Brett.`,
    isBest: (move) => `Richtig: ${move} ist der beste Zug.`,
    isAmongBest: (move) => `Richtig: ${move} ist so gut wie die anderen besten Züge.`,
    isSame: (move, price) =>
      `${move} ist der Zug der Partie und kostet ${price}. Versuche einen anderen Zug.`,
    isBetter: (move, played, price) =>
      `${move} ist besser als ${played}, kostet aber immer noch ${price}. Versuche einen anderen Zug.`,
    isEqual: (move, played, price) =>
      `${move} ist so gut wie ${played} und kostet immer noch ${price}. Versuche einen anderen Zug.`,
    isWorse: (move, played, price) =>
      `${move} ist schlechter als ${played}: Der Zug kostet ${price}. Versuche einen anderen Zug.`,
    isUnknown: (move) =>
      `Ob ${move} besser ist, ist noch nicht bewiesen. Versuche einen anderen Zug.`,
    isImprovement: (move, played) =>
      `${move} ist besser als ${played}. Ob es der beste Zug ist, ist noch nicht bewiesen.`,
    scoresHidden: "Die Wertungen sind ausgeblendet, solange der Rückblick offen ist.",
    scoresHiddenInRetry:
      "Die Wertungen sind ausgeblendet, solange du im Rückblick einen besseren Zug suchst.",
    noneYet: "Noch keine.",
    noneProven: "Kein Fehler ist bewiesen.",
    none: "Keine: Kein Zug hat eine Note.",
  },

  reasons: {
    why: (sentences) => `Warum: ${sentences}`,
    byEstimate: (sentences) => `Nach Schätzung: ${sentences}`,
    gaveLastSeeds: (count) =>
      count === 1
        ? "Er verschenkte den letzten Samen."
        : `Er verschenkte die letzten ${seeds(count)}.`,
    missedACapture: (count) => `Der Zug verpasste es, ${seeds(count)} zu schlagen.`,
    missedCapture: (house, count) =>
      `Der Zug verpasste es, ${seeds(count)} mit ${house} zu schlagen.`,
    missedLaterCapture: (house, count, first) =>
      `Der Zug verpasste es, ${seeds(count)} mit ${house} zu schlagen, nach einem Bonuszug mit ${first}.`,
    leftCapture: (house, count) => `Danach kann der Gegner ${house} schlagen: ${seeds(count)}.`,
    missedABonusTurn: "Der Zug verpasste einen Bonuszug.",
    missedBonusTurn: (house) => `Der Zug verpasste einen Bonuszug mit ${house}.`,
    gaveBonusTurns: (count) =>
      `Er gab dem Gegner ${plural(count, "Bonuszug", "Bonuszüge")} in Folge.`,
    beautifulOverCapture: (house, count) =>
      `Schön: ${seeds(count)} mit ${house} zu schlagen ist schlechter.`,
    beautifulOverBonus: (house) => `Schön: Der Bonuszug mit ${house} ist schlechter.`,
    onlyWin: "Der einzige Zug, der gewinnt.",
    onlyTie: "Der einzige Zug, der das Unentschieden rettet.",
    starved: (count) =>
      count === 1
        ? "Der Gegner hatte keine Samen mehr, und der letzte kam in den eigenen Speicher."
        : `Der Gegner hatte keine Samen mehr, und die letzten ${seeds(count)} kamen in den eigenen Speicher.`,
    captured: (count) => `Er schlug ${seeds(count)}.`,
    bonusTurns: (count) => `Er brachte ${plural(count, "Bonuszug", "Bonuszüge")} in Folge.`,
    highlights: (count) => `Gute Züge (${number(count)})`,
    highlightsName: "Gute Züge",
    noHighlights: "Keiner ist bewiesen.",
    phasesTitle: "Genauigkeit in den Phasen der Partie, und Stufe",
    phase: "Phase",
    phases: { opening: "Eröffnung", middlegame: "Mittelspiel", endgame: "Endspiel" },
    phaseAccuracy: (share, { cost, stake }) =>
      `${share} (${number(cost)}\u00a0von\u00a0${number(stake)})`,
    level: "Stufe (geschätzt)",
    levelRange: (level, lowest, highest) =>
      lowest === highest ? number(level) : `${number(level)} (${lowest}\u2013${highest})`,
    levelText:
      "Die Eröffnung dauert, solange mehr als zwei Drittel aller Samen in den Mulden liegen, und das Endspiel beginnt bei einem Drittel. Hinter jeder Genauigkeit stehen ihre Kosten und ihr Einsatz in Samen. Die Stufe ist die des Computers mit ähnlichen Fehlern; mit einer Wahrscheinlichkeit von 80 % liegt sie im Bereich in Klammern. Die Seite schätzt sie auf Brettern mit 6 Mulden je Seite und 48 Samen unter den Standardregeln, aus mindestens acht Zügen, deren Fehler bewiesen sind.",
  },

  records: {
    title: "Links und Dateien",
    games: "Partien in der Datei",
    record: "Aufzeichnung zum Öffnen",
    copyLink: "Link kopieren",
    copyRecord: "Aufzeichnung kopieren",
    save: "Als .kgn speichern",
    openFile: "Datei öffnen\u2026",
    orDrop: "oder hier ablegen, oder eine Aufzeichnung einfügen:",
    open: "Aufzeichnung öffnen",
    opened: (title) => `Geöffnet: ${title}.`,
    only: (title) => `${title}.`,
    noGame: "Der Text enthält keine Partie.",
    selectGame: (count) => `${plural(count, "Partie", "Partien")}. Wähle eine:`,
    tooLarge: (name) => `${name} ist zu groß.`,
    moves,
    date,
    searching: "Suche nach Partien im Text",
    cancel: "Abbrechen",
    cancelled: "Abgebrochen.",
    numbered: (count, title) => `${number(count)}. ${title}`,
    unreadable: (count, reason) => `${number(count)}. Diese Partie ist nicht lesbar: ${reason}`,
    invalid: ({ line, column }, rest, reason) =>
      `Ungültige Aufzeichnung: Zeile ${number(line)}, Spalte ${number(column)}${rest ? `, ab „${rest}“` : ", am Ende der Zeile"}${reason ? `: ${reason}` : ""}`,
    notRecord: (rest, reason) =>
      `Dieser Text ist keine Aufzeichnung einer Partie; er beginnt mit „${rest}“${reason ? `: ${reason}` : ""}`,
    example: (reason, record) =>
      `${reason.replace(/\.$/, "")}. Eine Aufzeichnung hat die Züge einer Partie, zum Beispiel: ${record}`,
  },

  sharing: {
    title: "Teilen",
    open: "Partie teilen",
    link: "Link zur Partie",
    message: "Eine Partie Kalah",
    aboutLink: "Der Link enthält die ganze Partie mit Namen, Kommentaren und Noten.",
    aboutMoves: "Der Link enthält die Züge der Partie.",
    aboutPuzzle: "Der Link führt zu dieser Aufgabe.",
    aboutRunningGame: "Die Partie läuft: Dieser Link führt zu ihr.",
    withoutComments:
      "Die Partie mit ihren Kommentaren ist zu lang für einen Link. Dieser Link lässt die Kommentare weg; eine Datei behält sie.",
    tooLong:
      "Die Partie ist auch ohne ihre Kommentare zu lang für einen Link. Speichere sie als Datei.",
    shorten: "Kürzen",
    aboutShort: (days) =>
      `Ein kurzer Link speichert die Partie auf diesem Server, bis sie ${plural(days, "Tag", "Tage")} lang niemand geöffnet hat.`,
    shortForQrCode: "Dieser Link ist zu lang für einen QR-Code. Kürze ihn, dann bekommst du einen.",
    shortReady: "Der Server bewahrt die Partie unter diesem kurzen Link auf.",
    picture: "Bild",
    pictureOf: "Das Brett, wie es steht",
    playerAndSeeds: (name, count) => `${name}: ${number(count)}`,
    savePng: "PNG speichern",
    saveSvg: "SVG speichern",
    sharePicture: "Bild teilen",
    animation: "Animation speichern (GIF)",
    aboutAnimation: "Die Animation zeigt die Partie Zug für Zug.",
    embedTitle: "Brett für eine andere Seite",
    aboutFrame: "Dieses HTML zeigt die Partie in einem Blog oder einem Kurs.",
    frame: "HTML des Bretts",
    copyFrame: "Das HTML kopieren",
    frameTitle: "Eine Partie Kalah",
    openPage: "In Kalah öffnen",
  },

  position: {
    title: "Stellung aufbauen",
    text: "Text",
    textLabel: "Stellung als Text",
    houses: "Mulden",
    toMove: "Am Zug",
    use: "Diese Stellung verwenden",
    copy: "Stellung kopieren",
    clear: "Leeren",
    start: "Startaufstellung",
    edit: "Stellung bearbeiten",
    instructions:
      "Ein Klick auf eine Mulde oder einen Speicher legt einen Samen hinein. Ein Rechtsklick oder die Rücktaste nimmt einen heraus.",
    touchInstructions:
      "Tippe auf eine Mulde oder einen Speicher, um einen Samen hineinzulegen. Mit dem Schalter „Herausnehmen“ nimmst du einen heraus.",
    takeAway: "Herausnehmen",
    cancel: "Abbrechen",
    numbers: "Samen als Zahlen",
    changed: (pit, count, total) => `${pit}: ${seeds(count)}, insgesamt ${number(total)}`,
    store: "Speicher",
    seedsIn: (pit) => `Samen in ${pit}`,
    gameOver: "Die Partie ist in dieser Stellung zu Ende: Die Reihen kommen in die Speicher.",
    isOnBoard: "Die Stellung ist auf dem Brett.",
  },

  pages: {
    pages: "Seiten der Liste",
    page: "Seite",
    previous: "Vorige Seite",
    next: "Nächste Seite",
    of: (last) => `von ${number(last)}`,
    range: (first, end, total) => `${number(first)} bis ${number(end)} von ${number(total)}`,
  },

  history: {
    title: "Partien",
    list: "Partien auf diesem Gerät",
    intro: (count) =>
      `${plural(count, "Partie", "Partien")} auf diesem Gerät gespielt. ${count === 1 ? "Gespeichert ist sie" : "Gespeichert sind sie"} nur in diesem Browser.`,
    none: "Hier stehen die Partien, die du auf diesem Gerät spielst. Gespeichert sind sie nur in diesem Browser.",
    unfinished: "Nicht beendet",
    position: "eigene Stellung",
    damaged: "Dieser Eintrag ist beschädigt und nicht lesbar.",
    time,
    save: "Als .kgn speichern",
    continue: "Weiterspielen",
    continueLabel: (game) => `Weiterspielen: ${game}`,
    continued: (players) => `Die Partie geht weiter: ${players}.`,
    saveLabel: (game) => `Als .kgn speichern: ${game}`,
    saveAll: "Alle als .kgn speichern",
    saving: "Aufzeichnungen werden geschrieben",
    saved: (count) => `${plural(count, "Partie", "Partien")} gespeichert.`,
    delete: "Löschen",
    deleteLabel: (game) => `Löschen: ${game}`,
    deleteAll: "Alle löschen",
    deleteQuestion: "Diese Partie löschen?",
    deleteAllQuestion: (count) =>
      count === 1 ? "Die Partie löschen?" : `Alle ${number(count)} Partien löschen?`,
    deleteAllText: (count) =>
      `Sie ${count === 1 ? "lässt" : "lassen"} sich nicht wiederherstellen. Speichere sie vorher, um eine Kopie zu behalten.`,
    keep: "Behalten",
    deleted: (count) => `${plural(count, "Partie", "Partien")} gelöscht.`,
  },

  puzzles: {
    title: "Aufgaben",
    intro:
      "In einer Aufgabe gewinnt genau ein Zug, oder genau ein Zug sichert ein Unentschieden. Finde ihn.",
    difficulty: "Schwierigkeit",
    levels: {
      adaptive: "Nahe deiner Wertungszahl",
      easy: "Leicht (800 bis 1100)",
      medium: "Mittel (1100 bis 1500)",
      hard: "Schwer (1500 bis 1900)",
      expert: "Sehr schwer (1900 bis 2400)",
    },
    next: "Nächste Aufgabe",
    giveUp: "Aufgeben und zeigen",
    loading: "Eine Aufgabe wird gesucht\u2026",
    notFound:
      "Keine solche Aufgabe gefunden. Versuche es noch einmal oder wähle eine andere Schwierigkeit oder ein anderes Brett.",
    locked: "Tipps und Analyse sind aus, bis die Aufgabe gelöst ist",
    findWin: (side) => `${SIDE_NAMES[side]} ist am Zug: Finde den einzigen Zug, der gewinnt.`,
    findDraw: (side) =>
      `${SIDE_NAMES[side]} ist am Zug: Finde den einzigen Zug, der ein Unentschieden sichert.`,
    wrong: (move, value) =>
      value === "tie"
        ? `${move} führt nur zu einem Unentschieden. Versuche einen anderen Zug.`
        : value === "loss"
          ? `${move} verliert. Versuche einen anderen Zug.`
          : `${move} ist nicht die Lösung. Versuche einen anderen Zug.`,
    solved: (move) => `Gelöst: ${move} ist der einzige Zug.`,
    shown: (move) => `Die Lösung ist ${move}.`,
    ratingChange: (change) =>
      `Deine Wertungszahl: ${change < 0 ? "\u2212" : "+"}${number(Math.abs(change))}.`,
    details: (rating, rules) =>
      `Wertungszahl der Aufgabe: ${rating} (berechnet). Regeln: ${rules}.`,
    firstRating: (rating) => `Deine Wertungszahl beginnt bei ${rating} (eine Schätzung).`,
    progress: ({ rating, streak, bestStreak, solved, played }) =>
      `Deine Wertungszahl: ${rating} (eine Schätzung). In Folge: ${number(streak)}, Rekord ${number(bestStreak)}. Beim ersten Versuch gelöst: ${number(solved)} von ${number(played)}.`,
    ratingTitle: "So wird die Wertungszahl berechnet",
    ratingText:
      "Jede Aufgabe zählt einmal, mit dem ersten Versuch. Deine Wertungszahl ändert sich um 20 × (Ergebnis − Erwartung), gerundet: Das Ergebnis ist 1 oder 0, und die Erwartung ist 1 ÷ (1 + 10^((Aufgabe − du) ÷ 400)), die Formel von Elo. Sie ist eine Schätzung, denn die Wertungszahlen der Aufgaben sind aus ihrer Schwierigkeit für eine Suche berechnet und nicht mit Menschen gemessen. Wertungszahl und Ergebnisse sind nur in diesem Browser gespeichert.",
  },

  puzzleKinds: {
    ways: "Übungsarten",
    daily: "Aufgabe des Tages",
    dailyOpen: "Für alle dieselbe.",
    dailySolved: "Heute gelöst.",
    dailyShown: "Heute nicht gelöst.",
    daysInARow: (days) => `${plural(days, "Tag", "Tage")} in Folge.`,
    nextText: "Nach der Auswahl unten.",
    streak: "Serie",
    streakText: (best) => `Bis zum ersten Fehler.${best > 0 ? ` Rekord: ${number(best)}.` : ""}`,
    storm: "Sturm",
    stormText: (best) => `Drei Minuten.${best > 0 ? ` Rekord: ${number(best)}.` : ""}`,
    mistakes: "Aus deinen Partien",
    mistakesText: (count) =>
      count > 0
        ? `Noch ${plural(count, "Fehler", "Fehler")} zu lösen.`
        : "Fehler aus Rückblicken: noch keine.",
    noMistakes: "Es sind keine Fehler mehr übrig. Ein Rückblick auf eine Partie sammelt neue.",
    choices: "Auswahl",
    theme: "Thema",
    anyTheme: "Beliebig",
    moves: "Züge",
    atLeastMoves: (least) => (least === 1 ? "Einer oder mehr" : `Mindestens ${number(least)}`),
    themes: {
      capture: "Schlagen",
      "bonus-chain": "Mehrere Bonuszüge",
      starve: "Dem Gegner gehen die Samen aus",
      "save-seeds": "Samen retten",
      "last-seeds": "Letzte Samen",
      "only-move": "Alle anderen Züge verlieren",
    },
    hasThemes: (themes) => `Themen: ${themes}.`,
    movesToFind: (count) => `Es sind ${number(count)} Züge zu finden.`,
    findNext: (move, count) =>
      `Richtig. Finde den nächsten, Zug ${number(move)} von ${number(count)}.`,
    solvedAll: (names) => `Gelöst mit ${names}, jeweils dem einzigen Zug.`,
    shownAll: (names) => `Die Lösung lautet ${names}.`,
    timeLeft: "Übrige Zeit",
    skip: "Überspringen (10 Sekunden)",
    streakProgress: (solved, best) =>
      `In Folge gelöst: ${number(solved)}. Rekord: ${number(best)}.`,
    stormProgress: (solved, best) =>
      `Gelöst: ${number(solved)}. Rekord: ${number(best)}. Ein Fehler kostet 10 Sekunden.`,
    streakOver: "Die Serie ist zu Ende.",
    timeUp: "Die Zeit ist um.",
    result: (solved, best) => `Du hast ${number(solved)} gelöst. Dein Rekord: ${number(best)}.`,
    newBest: (solved) => `Du hast ${number(solved)} gelöst: dein neuer Rekord.`,
    shareText: "Kannst du diese Kalah-Aufgabe lösen?",
    checking: "Es wird geprüft, ob diese Stellung eine Aufgabe ist\u2026",
    refused: {
      "game-over": "Diese Stellung ist keine Aufgabe: Die Partie ist zu Ende.",
      "too-few-moves": "Diese Stellung ist keine Aufgabe: Es gibt weniger als drei Züge.",
      "not-proven":
        "Der Löser kann in seinen Grenzen nicht beweisen, dass diese Stellung eine Aufgabe ist. Du kannst sie spielen oder analysieren.",
      lost: "Diese Stellung ist keine Aufgabe: Jeder Zug verliert.",
      "no-unique-move":
        "Diese Stellung ist keine Aufgabe: Mehrere Züge führen zum besten Ergebnis. Du kannst sie spielen oder analysieren.",
      "too-deep":
        "Hier ist nur ein Zug der beste, aber für eine Aufgabe ist er zu schwer zu finden. Du kannst die Stellung spielen oder analysieren.",
    },
  },

  links: {
    advice: {
      game: "Dieser Link zu einer Partie ist unvollständig oder falsch. Bitte noch einmal um den Link, oder beginne eine neue Partie.",
      puzzle:
        "Dieser Link zu einer Aufgabe ist unvollständig oder falsch. Bitte noch einmal um den Link, oder öffne eine andere Aufgabe.",
      friend:
        "Dieser Link zu einer Partie mit einem Freund ist unvollständig. Bitte noch einmal um den Link, oder erstelle selbst eine Partie.",
      seat: "Dieser Link für ein anderes Gerät ist unvollständig. Kopiere ihn noch einmal auf dem Gerät mit deiner Partie.",
      room: "Dieser Link zu einem Raum ist unvollständig. Bitte noch einmal um den Link oder um den Code des Raums.",
      leader:
        "Dieser Link zum Leiten eines Raums ist unvollständig. Kopiere ihn noch einmal auf dem Gerät, das den Raum leitet.",
    },
    withReason: (advice, reason) => `${advice} Der Grund: ${reason.replace(/\.$/, "")}.`,
    tooLong: (most) => `Er ist länger als ${number(most)} Zeichen`,
    invalidPart: (part) => `„${part}“ ist kein gültiger Teil einer Adresse`,
    emptyPuzzle: "er enthält keine Stellung einer Aufgabe",
    noPuzzle: (text) => `„${text}“ ist keine Stellung einer Aufgabe`,
    noGame: (text) => `„${text}“ ist keine Partie`,
    variationFirst: "Eine Variante steht vor dem Zug, den sie ersetzt",
    variationsTooDeep: "Die Varianten sind zu tief verschachtelt",
    variationNotOpened: "Zu einer schließenden Klammer fehlt die öffnende",
    variationEmpty: "Eine Variante ist leer",
    variationNotClosed: "Eine Variante ist nicht abgeschlossen",
    noMove: (text) => `„${text}“ ist kein Zug`,
    recordIncomplete: "Die Aufzeichnung der Partie ist unvollständig",
    recordDamaged: "Die Aufzeichnung der Partie ist beschädigt",
    sharedMissing:
      "Der Server hat keine Partie unter diesem Link. Er löscht Partien, die ein Jahr lang niemand geöffnet hat: Bitte noch einmal um die Partie.",
    notInFrame:
      "Ein Brett auf einer anderen Seite zeigt keine Partien mit Freunden und keine Räume.",
    noServer: "Diese Kopie der Seite hat keinen Server für Partien mit Freunden.",
  },

  friends: {
    intro: "Erstelle eine Partie und schicke den Link weiter. Ein Konto ist nicht nötig.",
    yourName: "Dein Name (freiwillig)",
    saveName: "Namen speichern",
    nameSaved: "Dein Name ist gespeichert.",
    nameTooLong: (most) => `Ein Name hat höchstens ${most} Zeichen.`,
    clock: "Uhr",
    noClock: "Ohne Uhr",
    customClock: "Eigene Zeiten",
    customClockTimes: "Zeit für jeden Spieler",
    minutes: "Minuten",
    seconds: "Sekunden",
    secondsPerTurn: "Sekunden dazu pro Runde",
    clockRange:
      "Eine Uhr beginnt mit 1 Sekunde bis 24 Stunden, und eine Runde bringt höchstens 1 Stunde.",
    clockOption: (initial, increment) => `${initial} + ${increment} pro Runde`,
    clockSetting: (initial, increment) => `${initial}, dazu ${increment} pro Runde`,
    forEach: (times) => `Jeder Spieler: ${times}`,
    bySide: (south, north) => `${south}; ${north}`,
    timePerMove: (duration) => `${duration} für jeden Zug`,
    friendClockTimes: "Zeit für deinen Freund",
    unequalTimes: "Andere Zeit für meinen Freund",
    more: "Vorgabe, Zuschauer und Statistik",
    seedsAhead: "Vorsprung an Samen",
    seedsAheadYou: "Du",
    seedsAheadFriend: "Dein Freund",
    seedsAheadOf: (players) => `Vorsprung an Samen: ${players}`,
    shareOpenings:
      "Diese Partie und ihre Revanchen ohne Namen in der Eröffnungsstatistik des Servers zählen, wenn auch der andere Spieler zustimmt",
    agreeToShare:
      "Diese Partie und ihre Revanchen ohne Namen in der Eröffnungsstatistik des Servers zählen. Der andere Spieler hat zugestimmt.",
    sharesOpenings: "Diese Partie zählt ohne Namen in der Eröffnungsstatistik des Servers.",
    allowSpectatorScores: "Zuschauer dürfen während der Partie Bewertungen sehen",
    spectatorsSeeScores: "Zuschauer dürfen Bewertungen sehen",
    unit,
    daysAndHours: (days, hours) => `${days} T ${hours} h`,
    create: "Partie erstellen",
    board: (houses, rules) => `${houses} Mulden pro Seite, Regeln: ${rules}`,
    lowTime: "Du hast weniger als eine Minute.",
    rematchOffered: "Revanche angeboten",
    offersRematch: (name) => `${name} bietet eine Revanche an.`,
    rematchRequested: (name) =>
      `Du hast eine Revanche angeboten. ${name} hat noch nicht geantwortet.`,
    rematchDeclined: (name) => `${name} möchte jetzt keine Revanche.`,
    rematchBegins: "Die Revanche beginnt.",
    offerActions: {
      offer: "Um Rücknahme bitten",
      accept: "Annehmen",
      decline: "Ablehnen",
      withdraw: "Zurückziehen",
    },
    takebackOffered: (name, count) =>
      count === 1
        ? `${name} bittet darum, den letzten Zug zurückzunehmen.`
        : `${name} bittet darum, die letzten ${moves(count)} zurückzunehmen.`,
    takebackRequested: (name, count) =>
      count === 1
        ? `Du hast darum gebeten, den letzten Zug zurückzunehmen. ${name} hat noch nicht geantwortet.`
        : `Du hast darum gebeten, die letzten ${moves(count)} zurückzunehmen. ${name} hat noch nicht geantwortet.`,
    takebackDeclined: (name) => `${name} ist nicht einverstanden.`,
    asksTakeback: (name) => `${name} bittet um eine Rücknahme.`,
    takenBack: (count) => `Zurückgenommen: ${moves(count)}.`,
    notOver: (games) =>
      games === 1
        ? "Deine Partie mit einem Freund läuft noch."
        : `${games} deiner Partien mit Freunden laufen noch.`,
    backToYourGame: "Zurück zu deiner Partie",
    yourFriend: "Dein Freund",
    unnamedCreator: "Ein Freund",
    joined: (name) => `${name} ist jetzt dabei.`,
    here: (name) => `${name} ist da.`,
    left: (name) => `${name} ist gegangen.`,
    notJoined: "Dein Freund ist noch nicht da.",
    seatIsFree: "Ein Platz ist frei. Du schaust zu.",
    firstMove: (left) =>
      `Du bist am Zug: Nach deinem ersten Zug läuft deine Uhr. Ohne ihn endet die Partie in ${left}.`,
    friendsFirstMove: (name, left) =>
      `${name} ist am Zug. Ohne ersten Zug endet die Partie in ${left}.`,
    notConnected: (name) => `${name} ist nicht verbunden und kann jederzeit zurückkommen.`,
    myGames: "Meine Partien",
    gameWith: (name) => `Mit: ${name}`,
    gameDetails: (rules, count) => `${rules}, ${moves(count)}`,
    yourTurn: "Du bist am Zug.",
    turnOf: (name) => `${name} ist am Zug.`,
    premoveSet: (house) =>
      `Mulde ${house} wird gespielt, sobald du am Zug bist. Wähle sie noch einmal, um das aufzuheben.`,
    premoveRemoved: "Kein Zug ist vorgemerkt.",
    premoveIllegal: (house) => `Mulde ${house} kann jetzt nicht gespielt werden.`,
    say: "Etwas sagen",
    mutePhrases: "Nicht zeigen, was der andere sagt",
    says: (name, text) => `${name}: ${text}`,
    phrases: {
      hello: "Hallo!",
      "good-luck": "Viel Glück!",
      "nice-move": "Schöner Zug!",
      oops: "Ups!",
      "one-moment": "Einen Moment, bitte.",
      thanks: "Danke!",
      "good-game": "Gute Partie!",
      goodbye: "Tschüss!",
    },
    spectatorAlone: "Du bist Zuschauer. Kein Spieler ist verbunden.",
    spectator: (names) => `Du bist Zuschauer. Verbunden: ${and(names)}.`,
    connected: "Verbunden.",
    connecting: "Verbindung zur Partie wird aufgebaut\u2026",
    reconnecting: "Verbindung wird wiederhergestellt; deine Partie ist sicher",
    connectNow: "Jetzt verbinden",
    sendingMove: "Dein Zug wird gesendet\u2026",
    noConnection: "Keine Verbindung zum Server. Versuche es gleich noch einmal.",
    serverSays: (text) => `Der Server meldet: ${text}.`,
    noticeTitle: "Partie mit einem Freund",
    startAnother: "Andere Partie beginnen",
    keepsTrying: "Die Seite versucht es weiter.",
    refusals: {
      noSuchGame: "Diese Partie gibt es auf diesem Server nicht, oder sie wurde gelöscht.",
      noAccess: "Dieser Link gibt keinen Zugang zur Partie: Vielleicht ist er unvollständig.",
      replaced:
        "Die Partie ist an vielen anderen Stellen offen. Schließe einige und lade diese Seite neu.",
      gameFull: (limit) =>
        `Diese Partie hat ${connections(limit)}, wie der Server für eine Partie erlaubt.`,
      addressFull: (limit) =>
        `Deine Netzadresse hat ${connections(limit)}, wie der Server erlaubt. Schließe andere Partien.`,
      tooManyMessages: "Der Server hat zu viele Nachrichten von deiner Netzadresse erhalten.",
      restarting: "Der Server wird neu gestartet.",
      serverFailed: "Der Server ist ausgefallen und konnte die Partie nicht zeigen.",
      noLiveConnection:
        "Der Server ist erreichbar, öffnet aber keine Verbindung. Ein Proxy oder eine Erweiterung blockiert sie vielleicht.",
      unreachable: "Der Server ist nicht erreichbar.",
    },
    leave: "Diese Partie verlassen",
    invitationTitle: "Einladung",
    invitation: "Link für deinen Freund",
    sendLink: "Schicke diesen Link",
    sendLinkText:
      "Dein Freund öffnet ihn und spielt die andere Seite. Er ist nicht geheim: Alle anderen, die ihn öffnen, schauen zu.",
    share: "Teilen",
    shareText: "Spiel mit mir Kalah",
    onlyThisMachine:
      "Nur dieser Computer kann diesen Link öffnen. Für andere starte den Server mit: kalah serve --addr 0.0.0.0:8080",
    invitesYou: (name) => `${name} lädt dich zu einer Partie ein`,
    youBegin: "Du beginnst.",
    friendBegins: "Der andere Spieler beginnt.",
    takeSeat: "Mitspielen",
    orWatch: "oder nur zuschauen.",
    ownGameHint: "Deine eigene Partie? Spiele sie mit einem Link von deinem ersten Gerät weiter.",
    seatTaken: "Der andere Platz ist inzwischen besetzt. Du schaust zu.",
    seatCodeUsed:
      "Dieser Link wurde benutzt oder ist zu alt. Erstelle auf deinem ersten Gerät einen anderen.",
    gameLink: "Link zu dieser Partie",
    gameLinkText: "Jeder, der ihn hat, kann zuschauen.",
    otherDevice: "Auf einem anderen Gerät weiterspielen",
    otherDeviceLink: "Link für dein anderes Gerät",
    otherDeviceText: (seconds) =>
      `Öffne ihn dort innerhalb von ${unit(seconds / 60, "minute")}. Er gilt einmal und gibt deinen Platz auch diesem Gerät.`,
    copyLink: (name) => `Kopieren: ${name}`,
    closeLink: (name) => `Schließen: ${name}`,
    qrCode: "QR-Code",
    noQrCode: "Dieser Link ist für einen QR-Code zu lang.",
    qrCodeOf: (name) => `QR-Code: ${name}`,
  },

  rooms: {
    title: "Räume",
    intro:
      "Ein Raum ist für eine Klasse, einen Verein oder ein Turnier: Man betritt ihn mit Code und Namen, und die Seite setzt die Partien an. Ein Konto ist nicht nötig.",
    enterTitle: "Raum betreten",
    otherCode: "Anderen Code versuchen",
    code: "Code des Raums",
    codeProblem: "Ein Code hat 6 Buchstaben und Ziffern, zum Beispiel ABC DEF.",
    open: "Öffnen",
    lobby: "Offenen Raum betreten",
    lobbyText: "Der offene Raum steht allen auf diesem Server offen.",
    ownRooms: "Deine Räume",
    asLeader: "du leitest ihn",
    createTitle: "Raum erstellen",
    name: "Name des Raums",
    format: "Paarungen",
    formats: {
      free: "Freie Herausforderungen",
      "round-robin": "Jeder gegen jeden",
      swiss: "Schweizer System",
      ladder: "Rangleiter",
    },
    formatTexts: {
      free: "Alle fordern einander heraus, wann sie wollen.",
      "round-robin":
        "In jeder Runde gibt es einen anderen Gegner, bis alle gegen alle gespielt haben.",
      swiss:
        "In jeder Runde spielen Mitglieder mit ähnlich vielen Punkten, möglichst solche, die noch nicht gegeneinander gespielt haben.",
      ladder:
        "Mitglieder fordern andere über ihnen heraus und nehmen mit einem Sieg deren Platz ein.",
    },
    gamesPerPairing: "Partien je Paarung",
    oneGame: "Eine",
    twoGames: "Zwei, mit getauschten Seiten",
    openingPlies: "Züge der ausgelosten Eröffnung",
    openingPliesText: "Beide Partien einer Paarung beginnen mit derselben ausgelosten Stellung.",
    engineHelp: "Tipps, Wertungen und Analyse sind beim Spielen erlaubt",
    engineHelpText:
      "Ohne sie verweigern Seite und Server sie denen, die gerade spielen. Ein anderes Gerät lässt sich nicht verhindern.",
    create: "Raum erstellen",
    yourName: "Dein Name",
    nameMissing: "Gib einen Namen ein, unter dem die anderen dich kennen.",
    nameTaken: "Ein anderes Mitglied dieses Raums hat diesen Namen. Wähle einen anderen.",
    enter: "Betreten",
    enterAgain: "Wieder betreten",
    enterAsLeader: "Auch mitspielen",
    watching: "Du siehst zu. Betritt den Raum mit einem Namen, um mitzuspielen.",
    entered: (name) => `Du hast den Raum als ${name} betreten.`,
    closed: "Dieser Raum ist geschlossen. Die Ergebnisse bleiben hier.",
    closedShort: "Die Leitung hat den Raum geschlossen.",
    paused: "Die Leitung hat alle Partien angehalten. Die Uhren stehen.",
    pausedStatus: "Die Partien sind angehalten.",
    codeIs: (code) => `Code: ${code}`,
    link: "Link zum Raum",
    shareText: (name, code) => `Spiel Kalah mit im Raum ${name}, Code ${code}`,
    invite: "Einladen",
    inviteText: "Mit diesem Code oder dem Link betritt man den Raum.",
    twoGamesLine: "Zwei Partien je Paarung",
    noHelpLine: "Ohne Hilfe der Engine",
    helpLine: "Mit Hilfe der Engine",
    connecting: "Verbindung zum Raum wird aufgebaut\u2026",
    reconnecting: "Verbindung zum Raum wird wieder aufgebaut\u2026",
    refusals: {
      noSuchRoom: "Auf diesem Server gibt es keinen Raum mit diesem Code, oder er ist abgelaufen.",
      noAccess: "Der Server kennt dieses Mitglied nicht.",
      removed: "Die Leitung hat dich aus diesem Raum entfernt.",
      replaced: "Der Raum ist an vielen anderen Stellen offen. Schließe einige und verbinde neu.",
      roomFull: "Dieser Raum hat so viele Live-Verbindungen, wie der Server zulässt.",
      addressFull: (limit) =>
        `Deine Netzadresse hat ${connections(limit)}, wie der Server zulässt. Schließe andere Seiten.`,
      tooManyMessages: "Der Server hat zu viele Nachrichten von deiner Netzadresse erhalten.",
      restarting: "Der Server startet neu.",
      serverFailed: "Beim Server ist ein Fehler aufgetreten; er konnte den Raum nicht zeigen.",
      noLiveConnection:
        "Der Server ist erreichbar, öffnet aber keine Live-Verbindung. Vielleicht blockiert sie ein Proxy oder eine Erweiterung.",
      unreachable: "Der Server ist nicht erreichbar.",
    },
    round: (round) => `Runde ${number(round)}`,
    waitFirstRound: "Warte auf die erste Runde. Die Leitung startet sie.",
    youPlay: (name) => `Du spielst gegen ${name}`,
    play: "Spielen",
    playing: "Deine Partie ist auf dem Brett.",
    gameBegins: (name) => `Deine Partie gegen ${name} beginnt.`,
    bye: (round) =>
      `Du hast in Runde ${number(round)} spielfrei: Diesmal gibt es keine Partie für dich, und es zählt als Sieg.`,
    byeOf: (name) => `${name}: spielfrei`,
    ownGameOver: "Deine Partie dieser Runde ist zu Ende.",
    lateJoiner: "Du spielst ab der nächsten Runde mit.",
    goesOn: (count) =>
      `Die Runde läuft noch: ${count === 1 ? "1 Partie ist" : `${number(count)} Partien sind`} im Gang.`,
    roundOver: "Alle Partien der Runde sind zu Ende. Die Leitung startet die nächste.",
    freeToPlay: "Fordere ein anderes Mitglied heraus, oder nimm eine Herausforderung an.",
    standing: (rank, of, points) => `Du: Platz ${number(rank)} von ${number(of)}, ${points}`,
    points: (points) => plural(points, "Punkt", "Punkte"),
    leave: "Raum verlassen",
    leaveQuestion: "Den Raum verlassen?",
    leaveText:
      "Du verlierst eine laufende Partie und bekommst hier keine mehr. Mit dem Code kannst du wieder eintreten.",
    leaveYes: "Verlassen",
    stay: "Bleiben",
    close: "Ansicht schließen",
    left: "Du hast diesen Raum verlassen.",
    changeName: "Deinen Namen ändern",
    saveName: "Namen speichern",
    pairings: (round) => `Partien der Runde ${number(round)}`,
    games: "Partien",
    noGames: "Es gibt noch keine Partien.",
    versus: (one, other) => `${one} \u2013 ${other}`,
    running: "läuft",
    runningAt: (south, north) => `läuft, ${number(south)}:${number(north)}`,
    result: (one, other) => `${number(one)} : ${number(other)}`,
    void: "ohne Ergebnis",
    watchGame: (one, other) => `Zusehen: ${one} \u2013 ${other}`,
    backToRoom: "Zurück zum Raum",
    inTheRoom: (name) => `Dies ist eine Partie des Raums ${name}.`,
    yourGameRuns: (name) => `Deine Partie gegen ${name} läuft.`,
    inRoom: (room, game) => `${room}: ${game}`,
    challenges: "Herausforderungen",
    challengesAll: (name) => `${name} spielt gegen alle, die wollen`,
    challengesYou: (name) => `${name} fordert dich heraus`,
    youChallengeAll: "Du forderst alle heraus. Wer zuerst annimmt, spielt gegen dich.",
    youChallenge: (name) => `Du forderst ${name} heraus.`,
    challengeAll: "Alle herausfordern",
    challenge: "Herausfordern",
    challengeNamed: (name) => `${name} herausfordern`,
    accept: "Annehmen",
    acceptOf: (name) => `Herausforderung von ${name} annehmen`,
    decline: "Ablehnen",
    declineOf: (name) => `Herausforderung von ${name} ablehnen`,
    withdraw: "Zurückziehen",
    people: (count) => `Personen (${number(count)})`,
    noPeople: "Noch hat niemand den Raum betreten.",
    more: (count) => `und ${number(count)} weitere`,
    botName: (name) => `${name} (Bot)`,
    here: "da",
    notHere: "nicht verbunden",
    hasLeft: "gegangen",
    wasRemoved: "entfernt",
    you: "du",
    rename: "Umbenennen",
    renameNamed: (name) => `${name} umbenennen`,
    newName: (name) => `Name von ${name}`,
    save: "Speichern",
    cancel: "Abbrechen",
    remove: "Entfernen",
    removeNamed: (name) => `${name} entfernen`,
    removeQuestion: (name) => `${name} aus dem Raum entfernen?`,
    removeText:
      "Eine laufende Partie dieses Mitglieds ist verloren, und es kann nicht wieder eintreten.",
    removeYes: "Entfernen",
    leading: "Raum leiten",
    moreLeading: "Beamer, Ende und andere Geräte",
    secretHere:
      "Dieser Browser speichert das Geheimnis der Leitung, ohne das kein Gerät den Raum leiten kann. Lösche seine Daten nicht vor dem Ende.",
    leadElsewhere: "Auf einem anderen Gerät leiten",
    leadElsewhereLink: "Link zum Leiten auf einem anderen Gerät",
    leadElsewhereText: (seconds) =>
      `Öffne ihn dort innerhalb von ${unit(seconds / 60, "minute")}. Er gilt einmal, und wer ihn zuerst öffnet, leitet diesen Raum: Zeige ihn niemandem sonst.`,
    leaderCodeUsed:
      "Dieser Link wurde benutzt oder ist zu alt. Erstelle auf dem Gerät, das den Raum leitet, einen anderen.",
    startFirst: "Erste Runde starten",
    startRound: (round) => `Runde ${number(round)} starten`,
    startQuestion: (count) =>
      count === 1 ? "1 Partie läuft noch" : `${number(count)} Partien laufen noch`,
    startText: "Die nächste Runde macht sie ungültig: Sie enden ohne Ergebnis.",
    startYes: "Ungültig machen und starten",
    wait: "Warten",
    nextRound: {
      ready: "Die nächste Runde kann beginnen.",
      "running-games": "Partien dieser Runde laufen noch.",
      "too-few-members": "Eine Runde braucht zwei Mitglieder.",
      "all-met": "Alle Paarungen sind gespielt. Es gibt keine weitere Runde.",
    },
    pause: "Alle Partien anhalten",
    resume: "Alle Partien fortsetzen",
    closeRoom: "Raum schließen",
    closeQuestion: "Den Raum endgültig schließen?",
    closeText:
      "Danach kann niemand mehr eintreten, und keine Partie beginnt. Laufende Partien gehen weiter. Die Ergebnisse bleiben 30 Tage.",
    closeYes: "Raum schließen",
    keepOpen: "Offen lassen",
    boards: "Alle Bretter",
    openProjector: "Seite für den Beamer",
    projectorText:
      "Eine Seite für einen großen Bildschirm, mit Code, Paarungen und Stand. Sie hat keine Bedienelemente.",
    endGame: "Partie entscheiden",
    endGameOf: (one, other) => `Partie ${one} \u2013 ${other} entscheiden`,
    wins: (name) => `${name} gewinnt`,
    draw: "Remis",
    voidGame: "Partie ungültig machen",
    decideQuestion: (result) => `Partie beenden: ${result}?`,
    decideYes: "Partie beenden",
    goOn: "Weiterspielen lassen",
    boardOf: (name, store, row) => `${name}: Speicher ${number(store)}, Mulden ${row.join(" ")}`,
    toMove: (name) => `${name} ist am Zug`,
    moves,
    decimal: number,
    standings: "Stand",
    noStandings: "Noch hat niemand Punkte.",
    rank: "Platz",
    member: "Name",
    pointsHead: "Punkte",
    gamesHead: "Partien",
    record: "Gewonnen, remis, verloren",
    recordShort: "G/R/V",
    recordOf: (wins, ties, losses) => `${wins}/${ties}/${losses}`,
    buchholz: "BH",
    buchholzName: "Buchholz",
    sonneborn: "SB",
    sonnebornName: "Sonneborn-Berger",
    rating: "Leistung",
    ratingOf: (value, error) =>
      error === null ? value : `${value} \u00b1 ${number(Math.round(error))}`,
    standingsText:
      "Die Plätze richten sich nach Punkten, dann nach Buchholz (BH, den Punkten der Gegner), dann nach Sonneborn-Berger (SB, denen der besiegten Gegner). Die Leistung ist eine Elo-Zahl aus diesen Partien allein, gemessen am Mittel des Raums, mit ihrem Fehler von 95 %.",
    downloads: "Ergebnisse herunterladen",
    downloadAs: {
      csv: "Stand (CSV)",
      "games-csv": "Tabelle der Partien (CSV)",
      json: "Alle Daten (JSON)",
      kgn: "Partien (KGN)",
      html: "Bericht (HTML)",
    },
    enterAt: (address) => `Betreten unter ${address}`,
    projectorBack: "Zurück",
    voided: "Die Leitung hat die Partie ohne Ergebnis beendet.",
    adjudicated: "Die Leitung des Raums hat die Partie entschieden.",
    engineHelpOff:
      "In diesem Raum gibt es während einer Partie keine Tipps, Wertungen und Analyse.",
    firstMove: (left) =>
      `Du bist am Zug: Deine Uhr läuft nach deinem ersten Zug. Ohne ihn verlierst du in ${left}.`,
    othersFirstMove: (name, left) =>
      `${name} ist am Zug und verliert ohne einen ersten Zug in ${left}.`,
  },

  errors: {
    unreachable: "Der Server ist nicht erreichbar",
    noResponse: (seconds) => `keine Antwort nach ${unit(seconds, "second")}`,
    streamEnded: "Die Verbindung endete vor dem Ergebnis",
    checkNetwork: "Prüfe, ob der Server läuft und das Netz funktioniert",
    status: (status) => `Der Server hat mit dem Status ${status} geantwortet`,
    notJson: "Die Antwort ist kein JSON",
    engineStopped: "Die Engine wurde beendet",
    engineNotLoaded: "sie konnte nicht geladen werden",
    engineFailed: "Die Engine ist ausgefallen",
    problems: {
      "invalid-json": "Ungültiges JSON",
      "invalid-request": "Ungültige Anfrage",
      "unknown-request": "Unbekannte Anfrage",
      "invalid-rules": "Ungültige Regeln",
      "invalid-position": "Ungültige Stellung",
      "unplayable-position": "Unspielbare Stellung",
      "invalid-move": "Ungültiger Zug",
      "illegal-move": "Regelwidriger Zug",
      "invalid-time": "Ungültige Zeit",
      "too-much-time": "Zu lange Zeit",
      "unknown-opponent": "Unbekannter Gegner",
      "invalid-game": "Ungültige Partie",
      "invalid-analysis": "Ungültige Analyse",
      "too-many-plies": "Zu viele Züge",
      "engine-help-off": "In diesem Raum gibt es während einer Partie keine Hilfe der Engine",
      "name-taken": "Dieser Name ist vergeben",
      "member-removed": "Aus dem Raum entfernt",
      "too-many-games": "Zu viele Partien",
    },
    titles: {
      "bad-request": "Ungültige Anfrage",
      unauthorized: "Kein Zugang",
      forbidden: "Kein Zugang",
      "not-found": "Nicht gefunden",
      "method-not-allowed": "Nicht erlaubt",
      "request-timeout": "Die Anfrage dauerte zu lange",
      conflict: "Jetzt nicht möglich",
      "payload-too-large": "Die Anfrage ist zu groß",
      "unsupported-media-type": "Unbekannte Art von Inhalt",
      "unprocessable-entity": "Ungültige Anfrage",
      "too-many-requests": "Zu viele Anfragen",
      "internal-server-error": "Serverfehler",
      "service-unavailable": "Der Server ist nicht verfügbar",
      "the-engine-has-stopped": "Die Engine wurde beendet",
    },
    unexpected: (message) =>
      `Auf der Seite ist ein Fehler aufgetreten${message ? `: ${message}` : ". Lade sie neu"}.`,
    quoted: (text) => `„${text}“`,
  },
};
