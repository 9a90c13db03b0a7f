/**
 * A game as a tree of plies with one current node. Values, never changed: each function returns a new tree
 * that shares what did not change. What is legal, and what a ply does, comes from the engine as `Sown`.
 *
 * A place in the tree is a path: the index among its siblings of each ply from the start, `[]` the start itself.
 */

/** @import { BySide, Move, Game, PlyToWrite, Position, Side, MoveResult } from "../types/api.d.ts" */

/**
 * @typedef {{ moveResult: MoveResult, comments: string[], children: GameNode[] }} GameNode a ply; its first child is the main line
 */

/**
 * @typedef {Omit<Game, "plies"> & { children: GameNode[], line: number[], depth: number }} GameTree a game, the line last
 *   walked in it, and how many plies of that line are made: the current node. What follows is what redo goes back to.
 */

/** How a game stands that has not ended by anything but its seeds. */
export const UNFINISHED = "unfinished";

/**
 * A game without plies.
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
 * A game that was read, at its start, with the main line ahead.
 *
 * @param {Game} game
 * @returns {GameTree}
 */
export function fromGame({ plies: list, ...game }) {
  /** @type {GameNode[]} */
  const nodes = list.map(({ sown, comments }) => ({ moveResult: sown, comments, children: [] }));
  /** @type {GameNode[]} */
  const children = [];
  list.forEach(({ parent }, index) => {
    const siblings = parent === null ? children : nodes[parent]?.children;
    siblings?.push(/** @type {GameNode} */ (nodes[index]));
  });
  return { ...game, children, line: mainLine(children), depth: 0 };
}

/**
 * A line of plies as a game, at its end.
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
 * The node at a path; `null` at the start, or where there is none.
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
 * The current node; `null` at the start.
 *
 * @param {GameTree} tree
 */
export function currentNode(tree) {
  return nodeAt(tree, path(tree));
}

/**
 * The current position.
 *
 * @param {GameTree} tree
 * @returns {Position}
 */
export function position(tree) {
  return currentNode(tree)?.moveResult.after ?? tree.start;
}

/**
 * The plies from the start along a path, the current one if it is left out.
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
 * The moves of {@link moveResultsTo}.
 *
 * @param {GameTree} tree
 * @param {number[]} [at]
 * @returns {Move[]}
 */
export function movesTo(tree, at) {
  return moveResultsTo(tree, at).map((moveResult) => moveResult.move);
}

/**
 * The game after a ply at the current node: an old branch if it was made before, else a new one.
 *
 * A ply that was never made before makes the game unfinished again: whatever ended it came later.
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
 * The game at another node, its line ahead pruned where the path lies on the line last walked; the same game
 * where the path leads nowhere.
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
 * The game at the parent of the current node.
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
 * The game one ply further along the line last walked, or along the main line where none was.
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
 * The game without what follows the current node.
 *
 * @param {GameTree} tree
 * @returns {GameTree}
 */
export function truncate(tree) {
  const at = path(tree);
  return { ...withChildren(tree, at, []), termination: UNFINISHED, winner: null, line: at };
}

/**
 * The game without the branch at a path; at its parent if the current node was in it.
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
 * The game with the branch at a path made the first among its siblings: the main line there.
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
 * The game with other comments at a path.
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
 * The game with an end that its seeds do not tell, such as `resign`.
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
 * What `write` is told of a game's plies: each after its parent, the main one of siblings first.
 *
 * @param {Pick<GameTree, "children">} tree
 * @returns {PlyToWrite[]}
 */
export function pliesToWrite(tree) {
  /** @type {PlyToWrite[]} */
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
 * The path of first children.
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
 * The children of the node at a path.
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
 * The tree with its line mended after siblings changed places; `null` for one that is gone.
 *
 * @param {GameTree} tree
 * @param {number[]} parent
 * @param {(place: number) => number | null} newIndexOf
 * @returns {GameTree}
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
 * @property {Side | null} winner `null` for a tie, or where nobody is said to have won
 * @property {BySide<number>} stores
 * @property {string} termination `normal` where the seeds tell it
 */

/**
 * The result at the current node, or `null` while the game goes on there.
 *
 * @param {GameTree} tree
 * @returns {GameResult | null}
 */
export function gameResult(tree) {
  const { over, stores } = position(tree);
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
