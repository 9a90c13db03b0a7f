// The functions of games.yml and analyses.yml. A virtual user of games.yml creates a game, opens a WebSocket connection for
// each player and plays random moves. The histogram `sowing` in Artillery's summary is the time from sending a move to
// receiving its result, in milliseconds.

const SOWINGS = 24;
const EVERY = 10_000;

let games = 0;

/** Creates a game and sets the address of its WebSocket connections. */
async function makeGame(wsArgs, context, connected) {
  games += 1;
  const [third, last] = [Math.floor(games / 250), 1 + (games % 250)];
  const headers = { "x-forwarded-for": `10.${process.pid % 250}.${third}.${last}` };
  try {
    const answer = await fetch(`${wsArgs.target}/api/v1/games`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ clock: { initial: "10m", increment: "5s" } }),
    });
    const made = await answer.json();
    if (answer.status !== 201) {
      throw new Error(`no game: ${made.detail}`);
    }
    wsArgs.target = `${wsArgs.target.replace("http", "ws")}/api/v1/games/${made.game}/live`;
    wsArgs.options = { ...wsArgs.options, headers };
    Object.assign(context, { made, target: wsArgs.target, headers });
    connected();
  } catch (error) {
    connected(error);
  }
}

/** Plays `SOWINGS` moves, or until the end of the game. */
function play(context, events, done) {
  const { made, target, headers } = context;
  const sockets = { south: context.ws, north: new context.ws.constructor(target, { headers }) };
  let position = made.state.position;
  let ply = 0;
  let asked = 0;
  let timer;

  const end = (problem) => {
    clearTimeout(timer);
    for (const socket of Object.values(sockets)) {
      socket.removeAllListeners();
      socket.on("error", () => {});
      socket.close();
    }
    done(problem && new Error(problem));
  };

  const playMove = () => {
    timer = setTimeout(playMove, EVERY);
    const moves = position.legal_moves;
    const move = moves[Math.floor(Math.random() * moves.length)];
    asked = performance.now();
    sockets[position.to_move].send(JSON.stringify({ type: "move", ply: ply + 1, move }));
  };

  const hear = (side) => (data) => {
    // Both players receive the result; measure the time of the one who moved.
    if (side !== position.side) {
      return;
    }
    const message = JSON.parse(data);
    if (message.type === "problem") {
      end(message.problem.detail);
    } else if (message.type === "move" && message.ply === ply + 1) {
      events.emit("histogram", "sowing", performance.now() - asked);
      events.emit("counter", "sowings", 1);
      ply += 1;
      position = message.result.after;
      if (ply === SOWINGS || position.over) {
        end();
      }
    }
  };

  for (const [side, socket] of Object.entries(sockets)) {
    const token = side === "south" ? made.token : made.friend_token;
    const hello = () => socket.send(JSON.stringify({ type: "hello", token }));
    socket.on("message", hear(side));
    socket.on("close", (code) => end(`closed with ${code}`));
    socket.on("error", (error) => end(error.message));
    if (socket.readyState === socket.OPEN) {
      hello();
    } else {
      socket.on("open", hello);
    }
  }
  timer = setTimeout(playMove, 1_000 + Math.random() * EVERY);
}

/** Chooses a random 6x4 position with about as many seeds as at the start, and a client address. */
function choosePosition(context, _events, done) {
  const row = () => Array.from({ length: 6 }, () => 2 + Math.floor(Math.random() * 5)).join();
  context.vars.position = `<6,0,0,${row()},${row()}> s`;
  context.vars.address ??= `11.${process.pid % 250}.0.${1 + Math.floor(Math.random() * 250)}`;
  done();
}

module.exports = { choosePosition, makeGame, play };
