const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A text as it stands between tags, or in an attribute in double quotes. */
export function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** The attributes of a tag, in quotes of either kind, as they were before they were escaped. */
export function attributesOf(tag: string): Record<string, string> {
  const found = tag.matchAll(/(?<![\w:])([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g);
  return Object.fromEntries([...found].map(([, key, double, single]) => [key, unescapeXml(double ?? single)]));
}

/** What is no escape stays as it is. */
function unescapeXml(content: string): string {
  return content.replace(/&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g, (whole, name, decimal, hex) => {
    if (name) return NAMED[name];
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** A text with blanks in the place of its comments and of what is no markup, line by line as long as before. */
export function withoutComments(text: string): string {
  return text.replace(/<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)/g, (comment) => comment.replace(/[^\n]/g, ' '));
}
