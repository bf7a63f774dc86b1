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

/** What writeTree wrote. */
export function readTree(group: Group): Tree {
  const tree: Tree = {};
  for (const [name, attribute] of Object.entries(group.attrs)) {
    if (name === LIST) continue;
    const { value, dtype } = attribute;
    if (typeof value === 'string') tree[name] = JSON.parse(value) as string;
    else tree[name] = dtype === '<B' ? value === 1 : (value as number);
  }
  for (const name of group.keys()) {
    const child = group.get(name);
    if (!child) continue;
    const isList = LIST in (child as Group | Dataset).attrs;
    if (isDataset(child)) {
      const values = child.value as TypedArray;
      tree[name] = isList ? Array.from(values) : values;
    } else {
      const nodes = readTree(child as Group);
      tree[name] = isList ? listOf(nodes) : nodes;
    }
  }
  return tree;
}

function listOf(nodes: Tree): Node[] {
  const list: Node[] = [];
  for (const [index, node] of Object.entries(nodes)) list[Number(index)] = node;
  return list;
}

const isDataset = (entity: object): entity is Dataset => 'dtype' in entity && 'shape' in entity;
const isTypedArray = (value: unknown): value is TypedArray => ArrayBuffer.isView(value);
const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number');
