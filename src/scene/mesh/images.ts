import { NONE, type TriangleMesh } from './triangleMesh';

/** Features that are images of each other: for each kind (facets, edges, corners) a list of their groups. */
export type ImageGroups = readonly [facets: number[][], edges: number[][], corners: number[][]];

/**
 * Finds which features of a mesh with images of its triangles are images of each other: those with an image of one triangle,
 * of one side or of one corner of it in common.
 * @param sources T, which triangle each is an image of
 */
export function groupImages(mesh: TriangleMesh, sources: ArrayLike<number>): ImageGroups {
  const { triangles, facetOf, facets, edges, corners } = mesh;
  const edgeAt = new Map<string, number>();
  for (let e = 0; e < edges.length; e += 2) edgeAt.set(sideKey(edges[e], edges[e + 1]), e / 2);
  const cornerAt = new Map(Array.from(corners, (vertex, k) => [vertex, k]));
  const [facetGroups, edgeGroups, cornerGroups] = [facets.length / 6, edges.length / 2, corners.length].map(
    (count) => new Groups(count),
  );
  for (let t = 0; t < facetOf.length; t++) {
    facetGroups.add(facetOf[t], sources[t]);
    for (let k = 0; k < 3; k++) {
      const from = triangles[3 * t + k];
      const edge = edgeAt.get(sideKey(from, triangles[3 * t + ((k + 1) % 3)]));
      const corner = cornerAt.get(from);
      if (edge !== undefined) edgeGroups.add(edge, 3 * sources[t] + k);
      if (corner !== undefined) cornerGroups.add(corner, 3 * sources[t] + k);
    }
  }
  return [facetGroups.list(), edgeGroups.list(), cornerGroups.list()];
}

const sideKey = (a: number, b: number) => `${Math.min(a, b)}-${Math.max(a, b)}`;

/** Members that have something in common belong together. */
class Groups {
  private readonly parents: number[];
  private readonly firstWith = new Map<number, number>();

  constructor(count: number) {
    this.parents = Array.from({ length: count }, (_, k) => k);
  }

  /** @param what the member has */
  add(member: number, what: number): void {
    const other = this.firstWith.get(what);
    if (other === undefined) this.firstWith.set(what, member);
    else this.join(member, other);
  }

  /** Members by group, in the order of the lowest of each. */
  list(): number[][] {
    const groups = new Map<number, number[]>();
    this.parents.forEach((_, member) => {
      const root = this.root(member);
      const group = groups.get(root);
      if (group) group.push(member);
      else groups.set(root, [member]);
    });
    return [...groups.values()];
  }

  private join(a: number, b: number): void {
    const [low, high] = [this.root(a), this.root(b)].sort((x, y) => x - y);
    this.parents[high] = low;
  }

  private root(member: number): number {
    let root = member;
    while (this.parents[root] !== root) root = this.parents[root];
    for (let next = member; next !== root; ) [next, this.parents[next]] = [this.parents[next], root];
    return root;
  }
}

/** The most images that a feature has. */
export function imagesOf(groups: ImageGroups): number {
  return groups.flat().reduce((most, { length }) => Math.max(most, length), 1);
}

/**
 * Renumbers features so that those which are images of each other follow each other, in rows of `images` that share the whole
 * part of number/images. What a row has too few of repeats its first.
 */
export function numberImages(mesh: TriangleMesh, groups: ImageGroups, images: number): TriangleMesh {
  const rows = groups.map((list) =>
    list.flatMap((group) => Array.from({ length: images }, (_, k) => group[k < group.length ? k : 0])),
  );
  const [facets, edges, corners] = rows;
  const [facetAt, edgeAt, cornerAt] = groups.map((list) => {
    const places: number[] = [];
    list.forEach((group, row) => {
      group.forEach((feature, k) => {
        places[feature] = row * images + k;
      });
    });
    return places;
  });
  const firstCorner = mesh.edges.length / 2;
  const surrounded = [...edges, ...corners.map((corner) => firstCorner + corner)];
  const around: number[] = [];
  const aroundStarts = [0];
  for (const feature of surrounded) {
    for (let k = mesh.aroundStarts[feature]; k < mesh.aroundStarts[feature + 1]; k++) around.push(mesh.around[k]);
    aroundStarts.push(around.length);
  }
  const renumbered = (owned: Uint32Array, places: readonly number[]) => owned.map((k) => (k === NONE ? NONE : places[k]));
  return {
    ...mesh,
    facetOf: mesh.facetOf.map((facet) => facetAt[facet]),
    facets: Float64Array.from(facets.flatMap((f) => Array.from(mesh.facets.subarray(6 * f, 6 * f + 6)))),
    edges: Uint32Array.from(edges.flatMap((e) => [mesh.edges[2 * e], mesh.edges[2 * e + 1]])),
    corners: Uint32Array.from(corners, (corner) => mesh.corners[corner]),
    aroundStarts: Uint32Array.from(aroundStarts),
    around: Uint32Array.from(around),
    ownedEdges: renumbered(mesh.ownedEdges, edgeAt),
    ownedCorners: renumbered(mesh.ownedCorners, cornerAt),
    images,
  };
}
