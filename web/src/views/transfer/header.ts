/** The number of bytes at the beginning of a file in which its header is searched. */
const BEGINNING = 256 * 1024;

/** Reads the names of the columns of a table, without duplicates; null if the file is not a table. */
export async function headerOf(file: Blob): Promise<string[] | null> {
  const bytes = new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer());
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  const isReversed = bytes[0] === 0xfe && bytes[1] === 0xff;
  const encoding = isUtf16 ? 'utf-16le' : isReversed ? 'utf-16be' : 'utf-8';
  const text = new TextDecoder(encoding).decode(bytes).replace(/^(sep=.\r?\n|\s)+/i, '');
  if (/^[[{]/.test(text) || text === '' || text.includes('\0')) return null;
  const rows = [',', ';', '\t'].map((separator) => firstRow(text, separator));
  const [row = []] = rows.sort((a, b) => b.length - a.length);
  return [...new Set(row.map((cell) => cell.trim()).filter(Boolean))];
}

/** The cells of the first row (RFC 4180). */
function firstRow(text: string, separator: string): string[] {
  const row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') cell += text[++i] ?? '';
      else isQuoted = false;
    } else if (char === '"') isQuoted = true;
    else if (char === separator) {
      row.push(cell);
      cell = '';
    } else if (char === '\n' || char === '\r') break;
    else cell += char;
  }
  return [...row, cell];
}
