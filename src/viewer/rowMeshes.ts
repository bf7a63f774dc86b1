import { Group, Mesh, type NodeMaterial, type WebGPURenderer } from 'three/webgpu';
import { Instances, type RowPiece } from './instances';

/** Draws rows, with a mesh for each buffer that they lie in. Its `userData.first` is the number of its first row. */
export class RowMeshes {
  readonly group = new Group();
  private readonly pieces: { instances: Instances; mesh: Mesh }[] = [];

  /** @param columns where each column begins in a row */
  constructor(
    private readonly renderer: WebGPURenderer,
    private readonly stride: number,
    private readonly columns: Readonly<Record<string, number>>,
    private material: NodeMaterial,
  ) {}

  set(rows: readonly RowPiece[]): void {
    for (const piece of this.pieces.splice(rows.length)) this.remove(piece);
    let first = 0;
    rows.forEach(({ data, count }, k) => {
      const { pieces, renderer, stride, columns, material, group } = this;
      if (!pieces[k]?.instances.fits(data)) {
        if (pieces[k]) this.remove(pieces[k]);
        const instances = new Instances(renderer, data, stride, columns);
        const mesh = new Mesh(instances.geometry, material);
        // Where rows lie may be known to the GPU alone: all are drawn.
        mesh.frustumCulled = false;
        group.add(mesh);
        pieces[k] = { instances, mesh };
      }
      pieces[k].instances.set(data, count);
      pieces[k].mesh.userData.first = first;
      first += count;
    });
  }

  /** @param renderOrder what is drawn over what */
  show(material: NodeMaterial, renderOrder: number): void {
    this.material = material;
    for (const { mesh } of this.pieces) {
      mesh.material = material;
      mesh.renderOrder = renderOrder;
    }
  }

  private remove({ instances, mesh }: { instances: Instances; mesh: Mesh }): void {
    mesh.removeFromParent();
    instances.dispose();
  }

  dispose(): void {
    for (const piece of this.pieces.splice(0)) this.remove(piece);
  }
}
