import { createSimulation } from '../contact-dynamics.bundle.js';

const once = (element, type) => new Promise((resolve) => element.addEventListener(type, resolve, { once: true }));

/** Puts an element into the page and waits until it is ready or says what is wrong. */
async function put(attributes, scene) {
  const element = document.createElement('contact-dynamics');
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (scene) element.scene = scene;
  const settled = Promise.race([once(element, 'ready'), once(element, 'error')]);
  document.body.append(element);
  await settled;
  return element;
}

/** Text of what is to be seen of the element beside the packing, and of what kinds its parts are. */
function said({ shadowRoot }) {
  const parts = [...shadowRoot.querySelectorAll('.message, .notice')].filter(({ hidden }) => !hidden);
  return parts.map(({ textContent }) => textContent).join('\n');
}

/** What the legend says as its attributes change: by force, after a run, by contacts, hidden, and without colours. */
window.explain = async (scene) => {
  const element = await put({ backend: 'cpu', colour: 'force' }, scene);
  const legend = element.shadowRoot.querySelector('.legend');
  const texts = (nodes) => [...nodes].map(({ textContent }) => textContent);
  const text = () => (legend.hidden ? null : [legend.firstChild.textContent, ...texts(legend.querySelectorAll('.ends span'))]);
  const atStart = text();
  const end = once(element, 'end');
  element.play();
  await end;
  const said = [atStart, text()];
  element.setAttribute('colour', 'coordination');
  said.push(text());
  const { left, top, width } = legend.getBoundingClientRect();
  const whole = element.getBoundingClientRect();
  const inside = left >= whole.left && top >= whole.top && left + width <= whole.right;
  const stripe = getComputedStyle(legend.querySelector('.bar')).backgroundImage;
  element.toggleAttribute('hide-legend', true);
  said.push(text());
  element.toggleAttribute('hide-legend', false);
  element.setAttribute('colour', 'plain');
  said.push(text());
  element.remove();
  return { said, inside, stripe };
};

/** How many colours the picture has, and which share of it the most frequent one, the background. */
async function colours({ show }) {
  const bitmap = await createImageBitmap(await show.viewer.picture());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  return { kinds: counts.size, background: Math.max(...counts.values()) / pixels.length };
}

const places = async (simulation) => [...(await simulation.read()).positions];

/** A run on the GPU whose device is lost twice: first another one is to be had, then none. */
window.lose = async (scene, [first, last]) => {
  const element = await put({ backend: 'webgpu', theme: 'dark' }, scene);
  const { player } = element.show;
  const steps = [];
  const recovered = [];
  element.addEventListener('report', ({ detail: { step } }) => {
    steps.push(step);
    if (step === last) navigator.gpu.requestAdapter = async () => null;
    if (step !== first && step !== last) return;
    void player.between(async (source) => source.gpuState().device.destroy());
  });
  element.addEventListener('recover', async () => {
    const notice = said(element);
    recovered.push({ step: steps.length, backend: player.source.backend, notice, picture: await colours(element) });
  });
  const end = once(element, 'end');
  element.play();
  await end;
  const reference = await createSimulation(scene, { backend: 'cpu' });
  await reference.step(scene.steps);
  const expected = await places(reference);
  const distances = (await player.between(places)).map((x, k) => Math.abs(x - expected[k]));
  reference.dispose();
  element.remove();
  return { steps, recovered, distance: Math.max(...distances) };
};

/** What the element says of scenes and attributes. */
window.tell = async (attributes, scene) => {
  const element = await put(attributes, scene);
  const { backend } = element.show?.player.source ?? {};
  const outcome = { backend, text: said(element), images: element.shadowRoot.querySelectorAll('img').length };
  element.remove();
  return outcome;
};

/** What becomes of a notice: its place, and what is said once its button was pressed, and in another element after a while. */
window.notices = async (scene) => {
  const closed = await put({ style: 'width: 480px' }, scene);
  const [over, whole] = [closed.shadowRoot.querySelector('.notice'), closed].map((part) => part.getBoundingClientRect());
  const share = (over.width * over.height) / (whole.width * whole.height);
  const place = { share, end: (over.bottom - whole.top) / whole.height };
  const before = said(closed);
  closed.shadowRoot.querySelector('[aria-label="Close this notice"]').click();
  const after = said(closed);
  closed.remove();
  const left = await put({}, scene);
  while (window.late.length === 0) await new Promise(requestAnimationFrame);
  left.show.player.source.step = async () => {
    throw new Error('nothing moves');
  };
  const passBy = () => {
    for (const timer of window.late.splice(0)) timer();
    return said(left);
  };
  const passed = passBy();
  const outcomes = [await outcome(left.step()), passBy(), await outcome(left.step())];
  left.remove();
  return { place, before, after, passed, outcomes };
};

const outcome = (promise) =>
  promise.then(
    () => 'done',
    ({ message }) => message,
  );

/** What becomes of steps: out of a page, before the grains are there, of a faulty scene, of a wrong attribute, and once it is right. */
window.tries = async (scene) => {
  const element = document.createElement('contact-dynamics');
  element.setAttribute('backend', 'cpu');
  element.scene = scene;
  const outcomes = [await outcome(element.step())];
  document.body.append(element);
  outcomes.push(await outcome(element.step(2)), element.show.player.source.steps);
  element.scene = { ...scene, timeStep: -1 };
  outcomes.push(await outcome(element.step()), await outcome(element.step()), await outcome(element.reset()));
  element.scene = scene;
  element.setAttribute('quality', 'best');
  outcomes.push(await outcome(element.step()));
  element.setAttribute('quality', 'low');
  outcomes.push(await outcome(element.step()), said(element));
  element.scene = { ...scene, steps: 7 };
  const step = outcome(element.step());
  element.remove();
  outcomes.push(await step);
  return outcomes;
};

/** A packing that plays to its end on whatever there is. */
window.play = async (attributes, scene) => {
  const element = await put({ ...attributes, playing: '' }, scene);
  const { player } = element.show;
  if (!player.ended) await once(element, 'end');
  const outcome = { steps: player.source.steps, text: said(element), picture: await colours(element) };
  element.remove();
  return outcome;
};

/** What an element does once a faulty scene was put right, at its end, and with wrong attributes. */
window.mend = async (scene) => {
  const element = await put({ backend: 'cpu', playing: '' }, { ...scene, timeStep: -1 });
  const end = once(element, 'end');
  element.scene = scene;
  await new Promise((go) => setTimeout(go));
  element.setAttribute('colour', 'group');
  await end;
  const { player, viewer } = element.show;
  element.play();
  const outcome = { steps: player.source.steps, text: said(element), plays: element.playing, colour: viewer.options.colourBy };
  element.setAttribute('colour', 'pink');
  element.setAttribute('steps-per-frame', '0');
  element.setAttribute('colour', 'size');
  outcome.wrong = said(element);
  element.setAttribute('steps-per-frame', '2');
  outcome.right = said(element);
  outcome.goesOn = element.show.player === player;
  element.remove();
  return outcome;
};

/** So many pictures at a time by WebGL, then one more, which takes it from one of them. @returns how many say so, before and after */
window.crowd = async (scene, most) => {
  const elements = await Promise.all(Array.from({ length: most }, () => put({ quality: 'low' }, scene)));
  const lost = () => elements.filter((element) => /taken WebGL/.test(said(element)));
  const counts = [lost().length];
  const taken = Promise.race(elements.map(({ show }) => once(show.viewer.canvas, 'webglcontextlost')));
  const another = await put({ quality: 'low' }, scene);
  await taken;
  window.without = lost()[0];
  counts.push(lost().length);
  await without.step();
  another.remove();
  for (const element of elements) if (element !== without) element.remove();
  return counts;
};

/** What the one that lost its picture says and shows. */
window.regained = async () => ({
  text: said(without),
  steps: without.show.player.source.steps,
  picture: await colours(without),
});

/** An element that is moved into the document of a frame, which is taken away then. */
window.adopt = async (scene) => {
  const frame = document.createElement('iframe');
  document.body.append(frame);
  const element = await put({ backend: 'cpu', endless: '', playing: '' }, scene);
  const ready = once(element, 'ready');
  frame.contentDocument.body.append(element);
  await ready;
  for (let k = 0; k < 3; k++) await once(element, 'report');
  const { display } = frame.contentWindow.getComputedStyle(element.shadowRoot.querySelector('canvas'));
  const picture = await colours(element);
  frame.remove();
  return { display, picture, runs: element.show !== null };
};

/** Makes and takes away so many elements, some at a time. */
window.churn = async (attributes, scene, times, together) => {
  for (let k = 0; k < times; k += together) {
    const elements = await Promise.all(Array.from({ length: together }, () => put(attributes, scene)));
    for (const element of elements) element.remove();
    await new Promise((resolve) => setTimeout(resolve));
  }
};

/** Devices that were made and not destroyed. */
window.devices = 0;
const { requestDevice } = GPUAdapter.prototype;
GPUAdapter.prototype.requestDevice = async function (...given) {
  const device = await requestDevice.apply(this, given);
  window.devices++;
  // Not by `device.lost`: where a destroyed device is collected as garbage at once, Chrome never tells of it.
  const { destroy } = device;
  device.destroy = () => {
    window.devices--;
    device.destroy = destroy;
    device.destroy();
  };
  return device;
};
