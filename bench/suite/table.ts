import { escapeXml } from '../../src/io/xml';

/** A part of a report; first as data, since it is shown as Markdown and as HTML. */
export interface Section {
  title: string;
  text?: string;
  header: readonly string[];
  rows: readonly (readonly string[])[];
}

export function toMarkdown({ title, text, header, rows }: Section): string {
  const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const table = [row(header), row(header.map(() => '---')), ...rows.map(row)].join('\n');
  return `## ${title}\n\n${text ? `${text}\n\n` : ''}${rows.length > 0 ? `${table}\n` : ''}`;
}

export function toHtml({ title, text, header, rows }: Section): string {
  const line = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeXml(cell)}</${tag}>`).join('')}</tr>`;
  const table = `<div class="scroll" tabindex="0" role="region" aria-label="${escapeXml(title)}"><table><thead>${line(header, 'th')}</thead><tbody>${rows.map((cells) => line(cells, 'td')).join('')}</tbody></table></div>`;
  return `<section><h2>${escapeXml(title)}</h2>${text ? `<p>${escapeXml(text)}</p>` : ''}${rows.length > 0 ? table : ''}</section>`;
}

/** Three digits, as briefly as they go; nothing for what was not measured. */
export const figure = (value: number | null): string => (value === null ? '' : String(Number(value.toPrecision(3))));
