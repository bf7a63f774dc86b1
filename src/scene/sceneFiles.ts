import type { Scene, SceneGroup } from './schema';

type SceneWall = Scene['walls'][number];

/** A scene in which each file that it names, of grains and of meshes, bears the name that `rename` gives. */
export function renameFiles(scene: Scene, rename: (file: string) => string): Scene {
  const groups = (list: SceneGroup[]) =>
    list.map((group) => (group.file === undefined ? group : { ...group, file: rename(group.file) }));
  const walls = (list: SceneWall[]) =>
    list.map((wall) => (wall.mesh === undefined ? wall : { ...wall, mesh: { ...wall.mesh, file: rename(wall.mesh.file) } }));
  return {
    ...scene,
    grains: groups(scene.grains),
    walls: walls(scene.walls),
    events: scene.events.map((event) => ({
      ...event,
      ...(event.insert && { insert: groups(event.insert) }),
      ...(event.addWalls && { addWalls: walls(event.addWalls) }),
    })),
  };
}

/** All files that a scene names. */
export function filesOf(scene: Scene): string[] {
  const files: string[] = [];
  renameFiles(scene, (file) => {
    files.push(file);
    return file;
  });
  return files;
}
