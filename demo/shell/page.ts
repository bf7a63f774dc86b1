/** The elements of index.html that the gallery fills. */
export const page = {
  skip: element('skip'),
  list: element('list'),
  stage: element('stage'),
  screen: element('screen'),
  canvas: element<HTMLCanvasElement>('view'),
  legend: element('legend'),
  note: element('note'),
  picked: element('picked'),
  faults: element('faults'),
  toolbar: element('toolbar'),
  title: element('title'),
  teaser: element('teaser'),
  readings: element('readings'),
  plots: element('plots'),
  controls: element('controls'),
  look: element('look'),
  theme: element<HTMLButtonElement>('theme'),
  help: element<HTMLButtonElement>('help'),
  keys: element<HTMLDialogElement>('keys'),
  keyList: element('key-list'),
  scene: element<HTMLDialogElement>('scene'),
  sceneText: element<HTMLTextAreaElement>('scene-text'),
  sceneRun: element<HTMLButtonElement>('scene-run'),
  sceneDownload: element<HTMLButtonElement>('scene-download'),
};

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** The text of a demo: what to look at, and where it comes from. */
export function showText({
  title,
  teaser,
  look,
  sources,
}: {
  title: string;
  teaser: string;
  look: readonly string[];
  sources: readonly string[];
}) {
  page.title.textContent = title;
  page.teaser.textContent = teaser;
  const paragraphs = look.map((text) => {
    const paragraph = document.createElement('p');
    paragraph.textContent = text;
    return paragraph;
  });
  const list = document.createElement('ul');
  for (const source of sources) {
    const item = document.createElement('li');
    item.textContent = source;
    list.append(item);
  }
  page.look.replaceChildren(...paragraphs, list);
  document.title = `${title} · Contact Dynamics`;
}

/** The list of demos; links, so that each can be opened in a tab of its own. */
export function showList(demos: readonly { id: string; title: string; teaser: string }[]): void {
  page.list.replaceChildren(
    ...demos.map(({ id, title, teaser }) => {
      const link = document.createElement('a');
      link.href = `#${id}`;
      link.dataset.demo = id;
      const line = document.createElement('small');
      line.textContent = teaser;
      link.append(title, line);
      return link;
    }),
  );
}

export function markCurrent(id: string): void {
  for (const link of page.list.querySelectorAll('a')) {
    if (link.dataset.demo === id) {
      link.setAttribute('aria-current', 'page');
      // The list alone scrolls, not the page.
      const { list } = page;
      list.scrollTo({ left: link.offsetLeft - list.offsetLeft - (list.clientWidth - link.offsetWidth) / 2 });
    } else link.removeAttribute('aria-current');
  }
}
