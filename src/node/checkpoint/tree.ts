import type { Dataset, Group } from 'h5wasm/node';
import { MEMORY_STRIDE } from '../../cpu/memory';

type TypedArray = Float64Array | Float32Array | Uint32Array | Int32Array | Uint8Array;

/** What a checkpoint keeps: objects of arrays, numbers and truth values, nested as they like. */
export type Node = TypedArray | number | boolean | string | readonly Node[] | Tree | undefined;
export interface Tree {
  [key: string]: Node;
}

/** Marks groups and datasets that were lists. */
const LIST = 'list';

/** Values per row of arrays that have rows, for those who read the file otherwise. */
const ROWS: Record<string, number> = {
  positions: 3,
  remainders: 3,
  velocities: 3,
  angularVelocities: 3,
  spins: 3,
  orientations: 4,
  normals: 3,
  impulses: 3,
  torques: 3,
  memory: MEMORY_STRIDE,
  added: 2,
};

/**
 * Writes an object as an HDF5 group: typed arrays and lists of numbers as datasets, objects as groups, numbers, truth values
 * and texts as attributes. Nothing loses a bit.
 */
export function writeTree(group: Group, tree: Readonly<Tree>): void {
  for (const [name, value] of Object.entries(tree)) if (value !== undefined) writeNode(group, name, value);
}

function writeNode(group: Group, name: string, value: NonNullable<Node>): void {
  if (typeof value === 'number') group.create_attribute(name, value, null, '<d');
  else if (typeof value === 'boolean') group.create_attribute(name, value ? 1 : 0, null, '<B');
  else if (typeof value === 'string') group.create_attribute(name, JSON.stringify(value));
  else if (isTypedArray(value)) writeArray(group, name, value);
  else if (isNumbers(value)) markList(writeArray(group, name, Float64Array.from(value)));
  else {
    const child = group.create_group(name);
    if (Array.isArray(value)) markList(child);
    writeTree(child, value as Tree);
  }
}

function writeArray(group: Group, name: string, data: TypedArray): Dataset {
  const row = ROWS[name];
  const shape = row && data.length % row === 0 ? [data.length / row, row] : [data.length];
  return group.create_dataset({ name, data, shape });
}

const markList = (target: Dataset | Group) => target.create_attribute(LIST, 1, null, '<B');

/** More groups and arrays, or deeper ones, are none of writeTree: a link can lead back to where it is. */
const MOST_NODES = 100_000;
const DEEPEST = 10;

/** What a file can hold at most. */
interface Room {
  bytes: number;
  nodes: number;
}

/**
 * What writeTree wrote.
 * @param bytes of the file: nothing is made for arrays that claim more, all together
 * @throws RangeError for what writeTree does not write
 */
export function readTree(group: Group, bytes: number): Tree {
  return readGroup(group, { bytes, nodes: MOST_NODES }, DEEPEST);
}

function readGroup(group: Group, room: Room, depth: number): Tree {
  if (depth === 0) throw new RangeError('its groups are too deep');
  const tree: Tree = {};
  for (const [name, attribute] of Object.entries(group.attrs)) {
    if (name === LIST) continue;
    const { value, dtype } = attribute;
    checkName(name);
    if (typeof value === 'string') tree[name] = JSON.parse(value) as string;
    else tree[name] = dtype === '<B' ? value === 1 : (value as number);
  }
  for (const name of group.keys()) {
    checkName(name);
    if (isLink(group, `${group.path}/${name}`)) throw new RangeError(`"${name}" is a link`);
    const child = group.get(name);
    if (--room.nodes < 0) throw new RangeError('its groups are too many');
    if (!child || !('attrs' in child)) throw new RangeError(`"${name}" is neither a group nor an array`);
    const isList = LIST in (child as Group | Dataset).attrs;
    if (isDataset(child)) {
      const { total_size: count, size } = child.metadata;
      room.bytes -= count * size;
      if (room.bytes < 0) throw new RangeError('its arrays claim more bytes than it has');
      const values = child.value as TypedArray;
      if (!isTypedArray(values)) throw new RangeError(`"${name}" is no array of numbers`);
      tree[name] = isList ? Array.from(values) : values;
    } else {
      const nodes = readGroup(child as Group, room, depth - 1);
      tree[name] = isList ? listOf(nodes) : nodes;
    }
  }
  return tree;
}

/** @throws RangeError for what would not become a part of an object, but what all its parts are looked for in */
function checkName(name: string): void {
  if (name === '__proto__') throw new RangeError(`"${name}" is no name of a part`);
}

/** Whether something is a name for what lies elsewhere, in the file or in another one, which is not for a file to say. */
const isLink = (group: Group, path: string) => group.get_link(path) !== null || Boolean(group.get_external_link(path)?.filename);

function listOf(nodes: Tree): Node[] {
  const { length } = Object.keys(nodes);
  return Array.from({ length }, (_, index) => {
    if (!Object.hasOwn(nodes, index)) throw new RangeError(`a list of ${length} has no ${index}`);
    return nodes[index];
  });
}

const isDataset = (entity: object): entity is Dataset => 'dtype' in entity && 'shape' in entity;
const isTypedArray = (value: unknown): value is TypedArray => ArrayBuffer.isView(value);
const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number');
