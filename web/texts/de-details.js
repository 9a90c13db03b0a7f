/** The messages of the server in German: see `details.js`. */

/** @import { DetailTexts } from "./details.js" */

/** @type {DetailTexts} */
const WORDS = [
  ["South", "Süd"],
  ["North", "Nord"],
];

/** Moves and houses. @type {DetailTexts} */
const MOVES = [
  ["move {}: {*}", "Zug {0}: {1}"],
  ["ply {}: {*}", "Zug {0}: {1}"],
  ["ply {}, {}: {*}", "Zug {0}, {1}: {2}"],
  ["the game is over", "Die Partie ist zu Ende"],
  ["there is no move to choose: the game is over", "Die Partie ist zu Ende"],
  [
    "there is no house {} on a board of {} houses a side",
    "Es gibt keine Mulde {0} auf einem Brett mit {1} Mulden je Seite",
  ],
  ["house {} is empty", "Mulde {0} ist leer"],
  [
    "sides can be exchanged only instead of ply 2, and only under rules with a swap",
    "Die Seiten lassen sich nur statt des zweiten Zugs tauschen, und nur nach Regeln mit Seitentausch",
  ],
  [
    "an empty text is not a house: {}'s houses are {} to {}",
    "Der Name der Mulde fehlt: Die Mulden von {0} sind {1} bis {2}",
  ],
  [
    "{} is not a house: {}'s houses are {} to {}",
    "{0} ist keine Mulde: Die Mulden von {1} sind {2} bis {3}",
  ],
  [
    "there is no house {}: {}'s houses are {} to {}",
    "Es gibt keine Mulde {0}: Die Mulden von {1} sind {2} bis {3}",
  ],
  ["{} is a house of {}: {} is to move", "{0} ist eine Mulde von {1}, aber {2} ist am Zug"],
  ["there are more than {} plies", "Es sind mehr als {0} Züge"],
  ["there are more than {} games", "Es sind mehr als {0} Partien"],
];

/** Positions and rules. @type {DetailTexts} */
const POSITIONS = [
  ["position {}, character {}: {*}", "Stellung {0}, Zeichen {1}: {2}"],
  ["position {}: {*}", "Stellung {0}: {1}"],
  [
    "a row has no houses: it must have from 1 to 26",
    "Eine Reihe hat keine Mulden: Es müssen 1 bis 26 sein",
  ],
  [
    "{} houses a side are too many: at most 26 can be played",
    "{0} Mulden je Seite sind zu viele: Es dürfen höchstens 26 sein",
  ],
  [
    "South has {} houses and North {}: both rows must be of one length",
    "Süd hat {0} Mulden und Nord {1}: Beide Reihen müssen gleich lang sein",
  ],
  [
    "{} seeds are too many: at most 65535 can be played, stores included",
    "{0} Samen sind zu viele: Es dürfen mit den Speichern höchstens 65535 sein",
  ],
  [
    "expected a start such as 6x4, or '<m,south store,north store,south houses,north houses> s|n'",
    "Hier muss ein Anfang wie 6x4 stehen, oder <m,Speicher von Süd,Speicher von Nord,Mulden von Süd,Mulden von Nord> und dann s oder n",
  ],
  ["{} is not a number of houses or seeds", "{0} ist keine Anzahl von Mulden oder Samen"],
  ["a number of houses or seeds is missing", "Eine Anzahl von Mulden oder Samen fehlt"],
  ["{} is too large", "{0} ist zu groß"],
  ["the closing > is missing", "Das schließende > fehlt"],
  [
    "expected {} numbers after the first for {-} a side, found {}",
    "Nach der ersten Zahl müssen {0} Zahlen stehen, es sind aber {2}",
  ],
  [
    "{} is neither a side (s or n) nor ply=1 or ply=2, in this order",
    "{0} ist weder eine Seite (s oder n) noch ply=1 oder ply=2, in dieser Reihenfolge",
  ],
  ["no rules are called {}: {-}", "Regeln mit dem Namen {0} gibt es nicht"],
  ["unknown field {} in {}: {-}", "{1} enthält das unbekannte Feld {0}"],
  ["{} occurs more than once in {}", "{0} steht in {1} mehrmals"],
  ["{} is missing in {}", "{0} fehlt in {1}"],
];

/** Tags of records. @type {DetailTexts} */
const TAGS = [
  [
    "invalid tag name {}: expected letters, digits and underscores",
    "{0} ist kein Name eines Felds: Er besteht aus Buchstaben, Ziffern und Unterstrichen",
  ],
  ["the tag {} is repeated", "Das Feld {0} steht mehrmals da"],
  ["the tag Rules: {*}", "Feld Rules: {0}"],
  ["the tag Position {}, character {}: {*}", "Feld Position {0}, Zeichen {1}: {2}"],
  ["the tag Position: {*}", "Feld Position: {0}"],
  [
    "invalid result {}: expected `*`, or the seeds of South and North such as `25-23`",
    "{0} ist kein Ergebnis: Es ist `*`, oder die Samen von Süd und Nord wie `25-23`",
  ],
  [
    "the result {} contradicts the board: the game has {} seeds",
    "Das Ergebnis {0} widerspricht dem Brett: Die Partie hat {1} Samen",
  ],
  ["the result {} contradicts the board: {*}", "Das Ergebnis {0} widerspricht dem Brett: {1}"],
  ["it is {}", "Dort steht es {0}"],
  [
    "the game was neither played to its end nor adjudicated",
    "Die Partie wurde nicht zu Ende gespielt",
  ],
  [
    "the result {} contradicts the tag Result {}",
    "Das Ergebnis {0} widerspricht dem Feld Result {1}",
  ],
  ["the tag Termination: {*}", "Feld Termination: {0}"],
  ["invalid termination {}: {-}", "{0} ist kein Ende einer Partie"],
  [
    "the tag Termination says {}, but the game was {*}",
    "Nach dem Feld Termination endete die Partie mit {0}, sie wurde aber {1}",
  ],
  ["not played to its end", "nicht zu Ende gespielt"],
  ["played to its end, which is `normal`", "zu Ende gespielt, was `normal` ist"],
  [
    "the tag Winner: expected South, North or none, found {}",
    "Im Feld Winner muss South, North oder none stehen, nicht {0}",
  ],
  [
    "the tag Winner says {}, but the seeds are {}",
    "Nach dem Feld Winner hat {0} gewonnen, die Samen sind aber {1}",
  ],
  [
    "the tag Winner says {}, but the game is unfinished: {-}",
    "Nach dem Feld Winner hat {0} gewonnen, die Partie ist aber nicht zu Ende",
  ],
  [
    "the tags Rules and Position say another start than that of the game",
    "Die Felder Rules und Position nennen einen anderen Anfang als den der Partie",
  ],
  [
    "expected the name of a tag, of letters, digits and underscores, found {}",
    "Hier muss der Name eines Felds aus Buchstaben, Ziffern und Unterstrichen stehen, nicht {0}",
  ],
  [
    "expected the value of a tag in quotes, found {}",
    "Hier muss der Wert eines Felds in Anführungszeichen stehen, nicht {0}",
  ],
  [
    "unknown escape {}: a backslash is written `\\\\`",
    "Unbekanntes Zeichen {0}: Für einen Rückstrich steht `\\\\`",
  ],
  ["this tag is not closed: it lacks `]`", "Dieses Feld ist nicht geschlossen: Es fehlt `]`"],
  [
    "this quote is not closed on its line",
    "Dieses Anführungszeichen ist in seiner Zeile nicht geschlossen",
  ],
];

/** The moves of records. @type {DetailTexts} */
const MOVETEXT = [
  [
    "turn {}: sowing {}: it is {}'s turn",
    "In Zug {0} ist {2} am Zug, aber {1} ist eine Mulde der anderen Seite",
  ],
  ["turn {}: sowing {}: {*}", "Zug {0}, Mulde {1}: {2}"],
  ["turn {}: {}: {*}", "Zug {0}, {1}: {2}"],
  ["expected turn number {}, found {}", "Hier muss die Zugnummer {0} stehen, nicht {1}"],
  [
    "expected a turn number such as `3.` or `3...`, or a result such as `25-23`, found {}",
    "Hier muss eine Zugnummer wie `3.` oder `3...` stehen, oder ein Ergebnis wie `25-23`, nicht {0}",
  ],
  ["unexpected character {}", "Das Zeichen {0} gehört nicht hierher"],
  [
    "this comment is not closed: it lacks `}`",
    "Dieser Kommentar ist nicht geschlossen: Es fehlt `}`",
  ],
  [
    "this variation is not closed: it lacks `)`",
    "Diese Variante ist nicht geschlossen: Es fehlt `)`",
  ],
  ["this game has no plies and no closing `*`", "Diese Partie hat keine Züge und kein `*` am Ende"],
  ["there is no game here", "Hier steht keine Partie"],
  ["another game begins here", "Hier beginnt eine andere Partie"],
  ["a comment cannot hold `}`", "Ein Kommentar kann `}` nicht enthalten"],
  [
    "a variation must follow a ply of its line",
    "Eine Variante muss auf einen Zug ihrer Zugfolge folgen",
  ],
  [
    "this variation begins with a sowing of {}, which has not moved yet in the line around it",
    "Diese Variante beginnt mit einem Zug von {0}, die Zugfolge davor aber noch nicht",
  ],
  [
    "this variation cannot begin with turn {}: the line around it runs from {} to {} here",
    "Diese Variante kann nicht mit Zug {0} beginnen: Die Zugfolge geht hier von {1} bis {2}",
  ],
  ["variations go at most {} deep", "Varianten sind höchstens {0} tief"],
  ["this variation has no plies", "Diese Variante hat keine Züge"],
  ["there is no open variation to end here", "Hier ist keine Variante zu schließen"],
];

/** Games with friends, and names. @type {DetailTexts} */
const FRIENDS = [
  ["there is no game {}", "Die Partie {0} gibt es nicht"],
  [
    "there is no game {}, or it was deleted",
    "Die Partie {0} gibt es nicht, oder sie wurde gelöscht",
  ],
  [
    "the token belongs to neither player of this game",
    "Der Schlüssel gehört keinem der Spieler dieser Partie",
  ],
  [
    "the code of the seat is wrong, was used before, or is too old",
    "Der Code des Platzes ist falsch, benutzt oder zu alt",
  ],
  [
    "only players may do this: the request has no token",
    "Das dürfen nur die Spieler: Der Anfrage fehlt der Schlüssel",
  ],
  ["both seats of this game are taken", "Beide Plätze dieser Partie sind besetzt"],
  ["no other player has joined this game", "Es spielt noch niemand mit"],
  [
    "ply {} is out of order: expected ply {}",
    "Zug {0} ist nicht an der Reihe: Der nächste ist Zug {1}",
  ],
  ["it is {}'s turn", "{0} ist am Zug"],
  ["the game has ended", "Die Partie ist zu Ende"],
  ["the game has not ended yet", "Die Partie ist noch nicht zu Ende"],
  [
    "you have made no move that could be taken back",
    "Du hast keinen Zug gemacht, der sich zurücknehmen lässt",
  ],
  [
    "the other player has offered a takeback: accept or decline it first",
    "Der andere Spieler bittet um eine Rücknahme: Antworte zuerst darauf",
  ],
  ["there is no open offer to accept, decline or withdraw", "Es gibt kein Angebot, das offen ist"],
  ["the other player has declined this offer", "Der andere Spieler hat das Angebot abgelehnt"],
  ["a player may say one phrase a second", "Ein Spieler kann einmal in der Sekunde etwas sagen"],
  [
    "this game has {} live connections of spectators, the maximum",
    "Diese Partie hat {0} Verbindungen von Zuschauern, mehr sind nicht erlaubt",
  ],
  [
    "this address has {} live connections of spectators, the maximum",
    "Deine Netzadresse hat {0} Verbindungen von Zuschauern, mehr sind nicht erlaubt",
  ],
  ["{} games are too many: at most {}", "{0} Partien sind zu viele: Es dürfen höchstens {1} sein"],
  [
    "{} is not a name: a name has 1 to {} characters",
    "{0} ist kein Name: Ein Name hat 1 bis {1} Zeichen",
  ],
  [
    "{} is not a name: it has no visible character",
    "{0} ist kein Name: Er enthält kein sichtbares Zeichen",
  ],
  [
    "{} is not a name: it contains {}, a control or formatting character",
    "{0} ist kein Name: Er enthält {1}, ein Steuerzeichen",
  ],
];

/** Rooms. @type {DetailTexts} */
const ROOMS = [
  ["there is no room {}, or it was deleted", "Den Raum {0} gibt es nicht, oder er wurde gelöscht"],
  ["the token is not of this room", "Der Schlüssel gehört nicht zu diesem Raum"],
  [
    "only the leader and the members of this room may do this: the request has no token",
    "Das dürfen nur die Leitung und die Mitglieder dieses Raums",
  ],
  ["the leader has removed you from this room", "Die Leitung hat dich aus diesem Raum entfernt"],
  [
    "this is the token of the leader: enter with another one",
    "Das ist der Schlüssel der Leitung: Tritt mit einem anderen ein",
  ],
  [
    "the code of the leader is wrong, was used before, or is too old",
    "Der Code der Leitung ist falsch, wurde schon benutzt oder ist zu alt",
  ],
  ["only the leader of this room may do this", "Das darf nur die Leitung dieses Raums"],
  [
    "only a member of this room may do this: enter first",
    "Das dürfen nur die Mitglieder dieses Raums: Tritt zuerst ein",
  ],
  ["this room is closed", "Dieser Raum ist geschlossen"],
  ["the leader has paused this room", "Die Leitung hat diesen Raum angehalten"],
  [
    "this room has {} members, the maximum",
    "Dieser Raum hat {0} Mitglieder, mehr sind nicht erlaubt",
  ],
  [
    "{} members entered this room from your address, the maximum",
    "Aus deinem Netz sind {0} Mitglieder in diesem Raum, mehr sind nicht erlaubt",
  ],
  ["another member of this room is called {}", "Ein anderes Mitglied dieses Raums heißt {0}"],
  ["this room has no member {}", "Dieser Raum hat kein Mitglied {0}"],
  ["member {} has left this room", "Mitglied {0} hat diesen Raum verlassen"],
  [
    "member {} plays another game in this room",
    "Mitglied {0} spielt in diesem Raum eine andere Partie",
  ],
  ["this room has no game {}", "Dieser Raum hat keine Partie {0}"],
  [
    "this room has no rounds: its members challenge each other",
    "Dieser Raum hat keine Runden: Seine Mitglieder fordern einander heraus",
  ],
  [
    "this room has no challenges: its leader starts rounds",
    "Dieser Raum hat keine Herausforderungen: Die Leitung beginnt Runden",
  ],
  ["this challenge does not exist any more", "Diese Herausforderung gibt es nicht mehr"],
  ["you cannot challenge yourself", "Du kannst dich nicht selbst herausfordern"],
  [
    "a challenge on a ladder needs a member",
    "Auf einer Rangliste richtet sich eine Herausforderung an ein Mitglied",
  ],
  [
    "on this ladder you may challenge only members a few places above you",
    "Auf dieser Rangliste darfst du nur Mitglieder wenige Plätze über dir herausfordern",
  ],
  ["games of this round have not ended", "Partien dieser Runde sind nicht zu Ende"],
  ["a round needs at least two members", "Eine Runde braucht mindestens zwei Mitglieder"],
  ["all members have met each other", "Alle Mitglieder haben gegeneinander gespielt"],
  ["the leader of the room has paused the game", "Die Leitung des Raums hat die Partie angehalten"],
  ["the games of this room have no takebacks", "In diesem Raum werden keine Züge zurückgenommen"],
  [
    "the games of a room have no rematch: start or accept a game in the room",
    "In einem Raum gibt es keine Revanche: Beginne eine Partie im Raum oder nimm eine an",
  ],
  ["this server has {} rooms, the maximum", "Dieser Server hat {0} Räume, mehr sind nicht erlaubt"],
  [
    "too many rooms were created from this address",
    "Aus deinem Netz wurden zu viele Räume erstellt",
  ],
  [
    "too many codes without a room came from this address",
    "Aus deinem Netz kamen zu viele Codes, zu denen es keinen Raum gibt",
  ],
  [
    "this position is in the reach of a game that is played from your address in a room without engine help",
    "Diese Stellung kommt in einer Partie vor, die von deiner Netzadresse in einem Raum ohne Hilfe der Engine gespielt wird",
  ],
];

/** The limits and the state of the server. @type {DetailTexts} */
const SERVER = [
  ["too many requests came from this address", "Aus deinem Netz kamen zu viele Anfragen"],
  [
    "too many engine requests from this address are waiting: the maximum is {}",
    "Aus deinem Netz warten zu viele Anfragen an die Engine: Es dürfen höchstens {0} sein",
  ],
  [
    "too many engine requests are waiting: the maximum is {}",
    "Zu viele Anfragen an die Engine warten: Es dürfen höchstens {0} sein",
  ],
  ["too many connections are open", "Zu viele Verbindungen sind offen"],
  ["the server is shutting down", "Der Server wird beendet"],
  [
    "internal error; the cause is in the log of the server",
    "Interner Fehler; die Ursache steht im Protokoll des Servers",
  ],
  ["the body has more than {} bytes", "Die Anfrage hat mehr als {0} Bytes"],
  ["the body did not arrive within {}", "Die Anfrage kam nicht innerhalb von {0} an"],
  ["there is nothing at {}", "Unter {0} gibt es nichts"],
  ["the record has {} bytes, more than {}", "Die Partie hat {0} Bytes, mehr als {1}"],
  [
    "this server keeps as many games under short addresses as it can",
    "Dieser Server kann keine weiteren Partien unter kurzen Adressen aufbewahren",
  ],
  ["pages of other sites may not send requests here", "Andere Seiten dürfen hier nichts anfragen"],
  [
    "the server does not answer for the host {}; its option `--host` allows it",
    "Der Server antwortet nicht für den Namen {0}; seine Option `--host` erlaubt es",
  ],
];

export const DE_DETAILS = [
  ...WORDS,
  ...FRIENDS,
  ...ROOMS,
  ...SERVER,
  ...TAGS,
  ...MOVETEXT,
  ...POSITIONS,
  ...MOVES,
];
