// What a player of games.yml does: makes a game, opens both of its live connections, and lets both people sow in turn. And
// what the people of analyses.yml ask about. Artillery's summary has how long it took from asking until being told that the
// sowing is made, in milliseconds, as `sowing`.

const SOWINGS = 24;
const EVERY = 10_000;

let games = 0;

/** Makes a game, and says where to connect. */
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

/** Plays until so many sowings are made, or the game is over. */
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

  const sow = () => {
    timer = setTimeout(sow, EVERY);
    const choices = position.choices;
    const choice = choices[Math.floor(Math.random() * choices.length)];
    asked = performance.now();
    sockets[position.side].send(JSON.stringify({ type: "sow", ply: ply + 1, choice }));
  };

  const hear = (side) => (data) => {
    // Both are told; who has asked is measured.
    if (side !== position.side) {
      return;
    }
    const message = JSON.parse(data);
    if (message.type === "problem") {
      end(message.problem.detail);
    } else if (message.type === "sown" && message.ply === ply + 1) {
      events.emit("histogram", "sowing", performance.now() - asked);
      events.emit("counter", "sowings", 1);
      ply += 1;
      position = message.sown.after;
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
  timer = setTimeout(sow, 1_000 + Math.random() * EVERY);
}

/** A position of 6x4 with as many seeds as at the start, more or less, and who asks about it. */
function choosePosition(context, _events, done) {
  const row = () => Array.from({ length: 6 }, () => 2 + Math.floor(Math.random() * 5)).join();
  context.vars.position = `<6,0,0,${row()},${row()}> s`;
  context.vars.address ??= `11.${process.pid % 250}.0.${1 + Math.floor(Math.random() * 250)}`;
  done();
}

module.exports = { choosePosition, makeGame, play };
