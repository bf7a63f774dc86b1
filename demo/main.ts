import { COLOURINGS } from '../src/viewer/index';
import { demos } from './demos/index';
import { Gallery } from './shell/gallery';
import { findMachine } from './shell/machine';
import { page, showList } from './shell/page';
import { type Action, listenToKeys, listKeys, showButtons } from './shell/toolbar';

const calm = matchMedia('(prefers-reduced-motion: reduce)');
const dark = matchMedia('(prefers-color-scheme: dark)');

declare global {
  interface Window {
    /** For scripts and for whoever plays with the console. */
    gallery?: Gallery;
  }
}

showList(demos);
const gallery = new Gallery(await findMachine());
window.gallery = gallery;

const actions: Action[] = [
  { id: 'play', label: 'Play', key: ' ', help: 'Run or pause', run: () => gallery.toggle() },
  { id: 'step', label: 'Step', key: '.', help: 'One step', run: () => gallery.step() },
  { id: 'reset', label: 'Reset', key: 'r', help: 'Begin anew with these settings', run: () => gallery.reset() },
  { id: 'defaults', label: 'Defaults', key: 'u', help: 'Begin anew with all settings as at first', run: () => gallery.forget() },
  { id: 'frame', label: 'Fit', key: 'f', help: 'See everything', run: () => gallery.frame() },
  { id: 'picture', label: 'Picture', key: 'p', help: 'Save a picture', run: () => gallery.picture() },
  { id: 'video', label: 'Video', key: 'v', help: 'Record a video', run: () => gallery.video() },
  { id: 'link', label: 'Link', key: 'l', help: 'Copy a link with all settings', run: () => gallery.copyLink() },
  { id: 'source', label: 'Scene', key: 's', help: 'See, change or download the scene file', run: () => gallery.openScene() },
  { id: 'force-chains', label: 'Chains', key: 'c', help: 'Force chains', run: toggleChains },
  { id: 'cut', label: 'Cut', key: 'x', help: 'Cut open, where the camera looks', run: cut },
  { id: 'next', label: '', key: 'n', help: 'Next demo', run: () => gallery.go(1), keyOnly: true },
  { id: 'back', label: '', key: 'b', help: 'Demo before', run: () => gallery.go(-1), keyOnly: true },
  { id: 'theme', label: '', key: 'd', help: 'Light or dark', run: switchTheme, keyOnly: true },
  { id: 'keys', label: '', key: '?', help: 'These keys', run: () => page.keys.showModal(), keyOnly: true },
];

function toggleChains(): void {
  gallery.setView({ forceChains: !gallery.viewState.forceChains });
  showView();
}

function cut(): void {
  gallery.cut();
  showView();
}

/** What each colouring tells, as the list has it. */
const COLOUR_NAMES: Record<(typeof COLOURINGS)[number], string> = {
  plain: 'one colour',
  speed: 'speed',
  force: 'force',
  coordination: 'contacts',
  rotation: 'rotation',
  size: 'size',
  material: 'material',
  contactState: 'stick or slide',
  group: 'group',
};

const colours = document.createElement('select');

function showColours(): void {
  const label = document.createElement('label');
  colours.id = 'colour';
  for (const name of COLOURINGS) colours.add(new Option(COLOUR_NAMES[name], name));
  colours.addEventListener('change', () => gallery.setView({ colourBy: colours.value }));
  label.append('Colour by', colours);
  page.toolbar.append(label);
}

/** The buttons as the link has them. */
function showView(): void {
  const { colourBy, forceChains, clip } = gallery.viewState;
  colours.value = colourBy;
  document.getElementById('force-chains')!.setAttribute('aria-pressed', String(forceChains));
  document.getElementById('cut')!.setAttribute('aria-pressed', String(clip !== null));
}

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === 'dark' : dark.matches;
}

function switchTheme(): void {
  document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
  showTheme();
  gallery.redraw();
}

function showTheme(): void {
  page.theme.textContent = isDark() ? 'Light' : 'Dark';
}

/** A click is no drag. */
const DRAG = 4;
let pressed = { x: 0, y: 0 };
page.screen.addEventListener('pointerdown', ({ clientX, clientY }) => {
  pressed = { x: clientX, y: clientY };
});
page.screen.addEventListener('click', ({ target, clientX, clientY, offsetX, offsetY }) => {
  const moved = Math.hypot(clientX - pressed.x, clientY - pressed.y);
  if (target instanceof HTMLCanvasElement && moved < DRAG) void gallery.pick(offsetX, offsetY);
});

showButtons(page.toolbar, actions);
document.getElementById('play')!.classList.add('main');
showColours();
listenToKeys(actions);
listKeys(page.keyList, actions);
// The part of the address after # names the demo: the link must not change it.
page.skip.addEventListener('click', (event) => {
  event.preventDefault();
  page.stage.focus();
});
page.theme.addEventListener('click', switchTheme);
page.help.addEventListener('click', () => page.keys.showModal());
page.sceneDownload.addEventListener('click', () => gallery.downloadScene());
page.sceneRun.addEventListener('click', () => void gallery.runScene());
dark.addEventListener('change', () => {
  showTheme();
  gallery.redraw();
});

/** Who wants little motion presses Play. */
async function readAddress(): Promise<void> {
  const opened = gallery.read(location.hash, !calm.matches);
  showView();
  await opened;
}

addEventListener('hashchange', () => void readAddress());
showTheme();
await readAddress();
