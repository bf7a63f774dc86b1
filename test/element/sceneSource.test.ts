import { afterEach, expect, test, vi } from 'vitest';
import { findScene } from '../../src/element/sceneSource';

const element = { baseURI: 'http://packings.example/a/' } as Element;
const { signal } = new AbortController();
const serve = (text: string, status = 200) => vi.stubGlobal('fetch', async () => new Response(text, { status }));
const refusal = () => findScene(element, 'scene.json', signal).catch(({ faults }) => faults);

afterEach(() => vi.unstubAllGlobals());

test('a page that a server sends in place of a scene is told as one', async () => {
  serve('\n<!doctype html><title>Mine</title>');
  const message = 'the server sent a page in place of the scene: is there such a file?';
  expect(await refusal()).toEqual([{ path: 'scene.json', message }]);
  serve('nothing', 404);
  expect(await refusal()).toEqual([{ path: 'scene.json', message: expect.stringMatching(/^cannot read the scene: 404/) }]);
  serve('{ "format": 1 ');
  expect(await refusal()).toMatchObject([{ path: expect.stringMatching(/^scene\.json line 1, column /) }]);
  serve('{ "format": 1 }');
  expect(await findScene(element, 'scene.json', signal)).toMatchObject({ scene: { format: 1 } });
});
