import { expect, test } from 'vitest';
import { createSimulation } from '../../src/index';
import { chooseUnits } from '../../src/scene/units';
import { css, THEMES } from '../../src/viewer/colours';
import { Legends } from '../../src/viewer/legend';

test('a legend names the materials that grains have, each with the colour that they are painted with', async () => {
  const { problem } = await createSimulation(
    {
      format: 'contact-dynamics/1',
      timeStep: 0.01,
      steps: 1,
      materials: { wall: { density: 1 }, glass: { density: 1 }, unused: { density: 1 }, steel: { density: 1 } },
      grains: [
        { material: 'steel', list: [{ position: [0, 0, 1], radius: 0.5 }] },
        { material: 'glass', list: [{ position: [2, 0, 1], radius: 0.5 }] },
      ],
      walls: [{ name: 'floor', material: 'wall', plane: { point: [0, 0, 0], normal: [0, 0, 1] } }],
    },
    { backend: 'cpu' },
  );
  const legends = new Legends(() => problem, chooseUnits(problem));
  const { palette } = legends.paint('material', THEMES.light);
  expect(legends.of('material', THEMES.light)).toMatchObject({
    categories: ['glass', 'steel'],
    colours: [1, 3].map((material) => css(palette[material])),
  });
});
