/**
 * A game as a tree of plies with a current node.
 *
 * Trees are immutable: each function returns a new tree that shares the unchanged nodes. The engine
 * determines legal moves and their results.
 *
 * A path identifies a node: it lists the index of each ply among its siblings, from the start; `[]`
 * is the start.
 */

/** @import { BySide, Game, Move, MoveResult, PlyInput, Position, Side } from "../types/api.d.ts" */

/**
 * A ply. Its first child continues the main line.
 *
 * @typedef {{ moveResult: MoveResult, comments: string[], children: GameNode[] }} GameNode
 */

/**
 * A game with its current line. `depth` plies of `line` lead to the current node; redo follows the
 * rest of `line`.
 *
 * @typedef {Omit<Game, "plies"> & { children: GameNode[], line: number[], depth: number }} GameTree
 */

/** The termination of a game that has not ended, or that the seeds have ended. */
export const UNFINISHED = "unfinished";

/**
 * The termination of a game with a friend that has ended without a result. A record calls it
 * unfinished.
 */
export const ABORTED = "aborted";

/** The termination of a game that the leader of its room has voided. A record calls it unfinished. */
export const VOIDED = "voided";

/**
 * Returns whether a game has ended without a result.
 *
 * @param {Pick<GameTree, "termination">} game
 */
export const hasNoResult = ({ termination }) => termination === ABORTED || termination === VOIDED;

/**
 * Returns a game without plies.
 *
 * @param {Position} start
 * @returns {GameTree}
 */
export function newTree(start) {
  return {
    tags: [],
    start,
    comments: [],
    children: [],
    termination: UNFINISHED,
    winner: null,
    line: [],
    depth: 0,
  };
}

/**
 * Returns the tree of a game, at its start, with the main line as its line.
 *
 * @param {Game} game
 * @returns {GameTree}
 */
export function fromGame({ plies: list, ...game }) {
  /** @type {GameNode[]} */
  const nodes = list.map(({ result, comments }) => ({
    moveResult: result,
    comments,
    children: [],
  }));
  /** @type {GameNode[]} */
  const children = [];
  list.forEach(({ parent }, index) => {
    const siblings = parent === null ? children : nodes[parent]?.children;
    siblings?.push(/** @type {GameNode} */ (nodes[index]));
  });
  return { ...game, children, line: mainLine(children), depth: 0 };
}

/**
 * Returns a game with one line of plies, at its end.
 *
 * @param {Position} start
 * @param {MoveResult[]} results
 * @returns {GameTree}
 */
export function fromLine(start, results) {
  return results.reduce(addMove, newTree(start));
}

/** @param {GameTree} tree */
export function path(tree) {
  return tree.line.slice(0, tree.depth);
}

/**
 * Returns the node at a path; `null` at the start, or if there is no such node.
 *
 * @param {Pick<GameTree, "children">} game
 * @param {number[]} at
 * @returns {GameNode | null}
 */
export function nodeAt(game, at) {
  /** @type {GameNode | null} */
  let node = null;
  let siblings = game.children;
  for (const index of at) {
    node = siblings[index] ?? null;
    if (!node) {
      return null;
    }
    siblings = node.children;
  }
  return node;
}

/**
 * Returns the current node; `null` at the start.
 *
 * @param {GameTree} tree
 */
export function currentNode(tree) {
  return nodeAt(tree, path(tree));
}

/**
 * Returns the current position.
 *
 * @param {GameTree} tree
 * @returns {Position}
 */
export function position(tree) {
  return currentNode(tree)?.moveResult.after ?? tree.start;
}

/**
 * Returns the results of the moves along a path. The default is the path of the current node.
 *
 * @param {GameTree} tree
 * @param {number[]} [at]
 * @returns {MoveResult[]}
 */
export function moveResultsTo(tree, at = path(tree)) {
  const results = [];
  let siblings = tree.children;
  for (const index of at) {
    const node = siblings[index];
    if (!node) {
      break;
    }
    results.push(node.moveResult);
    siblings = node.children;
  }
  return results;
}

/**
 * Returns the moves along a path. The default is the path of the current node.
 *
 * @param {GameTree} tree
 * @param {number[]} [at]
 * @returns {Move[]}
 */
export function movesTo(tree, at) {
  return moveResultsTo(tree, at).map((moveResult) => moveResult.move);
}

/**
 * Returns the game after a move at the current node. The move becomes a new branch unless there is
 * one for it.
 *
 * A new branch makes the game unfinished.
 *
 * @param {GameTree} tree
 * @param {MoveResult} moveResult
 * @returns {GameTree}
 */
export function addMove(tree, moveResult) {
  const at = path(tree);
  const siblings = childrenAt(tree, at);
  const existing = siblings.findIndex((node) => node.moveResult.move === moveResult.move);
  if (existing >= 0) {
    const follows = tree.line[tree.depth] === existing;
    return { ...tree, line: follows ? tree.line : [...at, existing], depth: tree.depth + 1 };
  }
  const grown = withChildren(tree, at, [...siblings, { moveResult, comments: [], children: [] }]);
  return {
    ...grown,
    termination: UNFINISHED,
    winner: null,
    line: [...at, siblings.length],
    depth: tree.depth + 1,
  };
}

/**
 * Returns the game at another node. The line stays if the path lies on it. The game is unchanged if
 * there is no such node.
 *
 * @param {GameTree} tree
 * @param {number[]} at
 * @returns {GameTree}
 */
export function goTo(tree, at) {
  if (at.length > 0 && !nodeAt(tree, at)) {
    return tree;
  }
  const onLine = at.every((index, ply) => tree.line[ply] === index);
  const line = onLine ? tree.line : [...at, ...mainLine(childrenAt(tree, at))];
  return { ...tree, line, depth: at.length };
}

/** @param {GameTree} tree */
export function canUndo(tree) {
  return tree.depth > 0;
}

/**
 * Returns the game at the parent of the current node.
 *
 * @param {GameTree} tree
 * @returns {GameTree}
 */
export function undo(tree) {
  return canUndo(tree) ? { ...tree, depth: tree.depth - 1 } : tree;
}

/** @param {GameTree} tree */
export function canRedo(tree) {
  return childrenAt(tree, path(tree)).length > 0;
}

/**
 * Returns the game one ply further along its line, or along the main line at the end of its line.
 *
 * @param {GameTree} tree
 * @returns {GameTree}
 */
export function redo(tree) {
  if (!canRedo(tree)) {
    return tree;
  }
  const at = path(tree);
  return goTo(tree, [...at, tree.line[tree.depth] ?? 0]);
}

/**
 * Returns the game without the plies after the current node.
 *
 * @param {GameTree} tree
 * @returns {GameTree}
 */
export function truncate(tree) {
  const at = path(tree);
  return { ...withChildren(tree, at, []), termination: UNFINISHED, winner: null, line: at };
}

/**
 * Returns the game without the branch at a path. If the current node was in that branch, the
 * branch's parent becomes current.
 *
 * @param {GameTree} tree
 * @param {number[]} at
 * @returns {GameTree}
 */
export function removeBranch(tree, at) {
  const parent = at.slice(0, -1);
  const siblings = childrenAt(tree, parent);
  const index = at.at(-1);
  if (index === undefined || !siblings[index]) {
    return tree;
  }
  const rest = siblings.filter((_, place) => place !== index);
  const pruned = withReindexedLine(withChildren(tree, parent, rest), parent, (place) => {
    if (place === index) {
      return null;
    }
    return place > index ? place - 1 : place;
  });
  return pruned.depth <= parent.length ? goTo(pruned, path(pruned)) : pruned;
}

/**
 * Returns the game with the branch at a path as the first of its siblings, which makes it the main
 * line.
 *
 * @param {GameTree} tree
 * @param {number[]} at
 * @returns {GameTree}
 */
export function promoteBranch(tree, at) {
  const parent = at.slice(0, -1);
  const siblings = childrenAt(tree, parent);
  const index = at.at(-1);
  const branch = index === undefined ? undefined : siblings[index];
  if (index === undefined || !branch) {
    return tree;
  }
  const rest = siblings.filter((_, place) => place !== index);
  return withReindexedLine(withChildren(tree, parent, [branch, ...rest]), parent, (place) => {
    if (place === index) {
      return 0;
    }
    return place < index ? place + 1 : place;
  });
}

/**
 * Returns the game with other comments at a path.
 *
 * @param {GameTree} tree
 * @param {number[]} at
 * @param {string[]} comments
 * @returns {GameTree}
 */
export function setComments(tree, at, comments) {
  if (at.length === 0) {
    return { ...tree, comments };
  }
  return updateNode(tree, at, (node) => ({ ...node, comments }));
}

/**
 * Returns the game without its comments.
 *
 * @param {GameTree} tree
 * @returns {GameTree}
 */
export function withoutComments(tree) {
  /** @param {GameNode} node @returns {GameNode} */
  const bare = (node) => ({ ...node, comments: [], children: node.children.map(bare) });
  return { ...tree, comments: [], children: tree.children.map(bare) };
}

/**
 * Returns the game with a termination other than by its seeds, such as `resign`.
 *
 * @param {GameTree} tree
 * @param {string} termination
 * @param {GameTree["winner"]} winner
 * @returns {GameTree}
 */
export function endGame(tree, termination, winner) {
  return { ...tree, termination, winner };
}

/**
 * Returns the plies of a game for a request to `write`. Each ply follows its parent, and the main
 * line comes first among siblings.
 *
 * @param {Pick<GameTree, "children">} tree
 * @returns {(PlyInput & { parent: number | null })[]}
 */
export function pliesToWrite(tree) {
  /** @type {ReturnType<typeof pliesToWrite>} */
  const list = [];
  /** @type {{ node: GameNode, parent: number | null }[]} */
  const queue = tree.children.map((node) => ({ node, parent: null }));
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { node, parent } = next;
    const place = list.length;
    list.push({
      parent,
      move: node.moveResult.move,
      ...(node.comments.length > 0 && { comments: node.comments }),
    });
    queue.push(...node.children.map((child) => ({ node: child, parent: place })));
  }
  return list;
}

/**
 * Returns the path of first children.
 *
 * @param {GameNode[]} nodes
 * @returns {number[]}
 */
function mainLine(nodes) {
  const line = [];
  for (let node = nodes[0]; node; node = node.children[0]) {
    line.push(0);
  }
  return line;
}

/**
 * Returns the children of the node at a path.
 *
 * @param {Pick<GameTree, "children">} game
 * @param {number[]} at
 * @returns {GameNode[]}
 */
export function childrenAt(game, at) {
  return at.length === 0 ? game.children : (nodeAt(game, at)?.children ?? []);
}

/**
 * @param {GameTree} tree
 * @param {number[]} at
 * @param {GameNode[]} children
 * @returns {GameTree}
 */
function withChildren(tree, at, children) {
  return at.length === 0
    ? { ...tree, children }
    : updateNode(tree, at, (node) => ({ ...node, children }));
}

/**
 * @param {GameTree} tree
 * @param {number[]} at
 * @param {(node: GameNode) => GameNode} change
 * @returns {GameTree}
 */
function updateNode(tree, at, change) {
  /**
   * @param {GameNode[]} siblings
   * @param {number} ply
   * @returns {GameNode[]}
   */
  const updateSiblings = (siblings, ply) =>
    siblings.map((node, index) => {
      if (index !== at[ply]) {
        return node;
      }
      return ply === at.length - 1
        ? change(node)
        : { ...node, children: updateSiblings(node.children, ply + 1) };
    });
  return { ...tree, children: updateSiblings(tree.children, 0) };
}

/**
 * Returns the tree with a line that fits the new order of siblings.
 *
 * @param {GameTree} tree
 * @param {number[]} parent
 * @param {(place: number) => number | null} newIndexOf returns `null` for a removed sibling
 */
function withReindexedLine(tree, parent, newIndexOf) {
  const passes = parent.every((index, ply) => tree.line[ply] === index);
  const place = tree.line[parent.length];
  if (!passes || place === undefined) {
    return tree;
  }
  const moved = newIndexOf(place);
  if (moved === null) {
    return { ...tree, line: parent, depth: Math.min(tree.depth, parent.length) };
  }
  return { ...tree, line: [...parent, moved, ...tree.line.slice(parent.length + 1)] };
}

/**
 * @typedef {object} GameResult
 * @property {Side | null} winner `null` for a tie, or if the record names no winner
 * @property {BySide<number>} stores
 * @property {string} termination `normal` if the seeds decided the game
 */

/**
 * Returns the result at the current node, or `null` if the game is not over there.
 *
 * @param {GameTree} tree
 * @returns {GameResult | null}
 */
export function gameResult(tree) {
  const { is_over: over, stores } = position(tree);
  if (over) {
    return { winner: leader(stores), stores, termination: "normal" };
  }
  if (tree.termination !== UNFINISHED && !canRedo(tree)) {
    return { winner: tree.winner, stores, termination: tree.termination };
  }
  return null;
}

/**
 * @param {BySide<number>} stores
 * @returns {Side | null}
 */
function leader({ south, north }) {
  if (south === north) {
    return null;
  }
  return south > north ? "south" : "north";
}

/**
 * Returns whether two trees are at the same ply of the same  Comments and other branches may
 * differ.
 *
 * @param {GameTree | null} one
 * @param {GameTree | null} other
 */
export function isAtSamePly(one, other) {
  return (
    one !== null &&
    other !== null &&
    one.start === other.start &&
    one.termination === other.termination &&
    currentNode(one)?.moveResult === currentNode(other)?.moveResult
  );
}
