import { fieldsOf, listOf, textOf } from '../files/json';

/**
 * The most characters that are read of a document, and of each list item and each cell in it, because each level of
 * lists searches its text once more. A description has 32,767.
 */
const MAX_TEXT = 200_000;

/** The text of a document in the Atlassian Document Format, one paragraph or list item on a line. */
export function textOfDocument(document: unknown): string {
  return blocks(listOf(fieldsOf(document).content), '')
    .slice(0, MAX_TEXT)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function blocks(nodes: readonly unknown[], indent: string): string {
  return nodes.map((node) => block(node, indent)).join('');
}

function block(node: unknown, indent: string): string {
  const { type, content, attrs } = fieldsOf(node);
  const children = listOf(content);
  switch (type) {
    case 'bulletList':
    case 'orderedList':
    case 'taskList':
    case 'decisionList': {
      const { order } = fieldsOf(attrs);
      const first = typeof order === 'number' ? order : 1;
      return `${children.map((item, i) => listItem(item, first + i, type, indent)).join('')}\n`;
    }
    case 'table':
      return `${children.map((row) => `${indent}${cells(row)}\n`).join('')}\n`;
    case 'rule':
      return `${indent}----\n\n`;
    case 'codeBlock':
    case 'paragraph':
    case 'heading':
      return `${indent}${inline(children)}\n\n`;
    case 'expand':
    case 'nestedExpand': {
      const title = textOf(fieldsOf(attrs).title);
      return `${title === null ? '' : `${indent}${title}\n\n`}${blocks(children, indent)}`;
    }
    default:
      // A panel, a quote, a column of a layout; or a node of text where a block is expected.
      return children.length > 0 ? blocks(children, indent) : inline([node]);
  }
}

function listItem(item: unknown, number: number, list: string, indent: string): string {
  const { content, attrs } = fieldsOf(item);
  const bullets: Record<string, string> = {
    orderedList: `${number}. `,
    taskList: fieldsOf(attrs).state === 'DONE' ? '[x] ' : '[ ] ',
  };
  const children = listOf(content);
  const isInline = children.some((child) => fieldsOf(child).type === 'text');
  const text = isInline ? inline(children) : blocks(children, `${indent}  `);
  const lines = text
    .slice(0, MAX_TEXT)
    .replace(/\n{2,}/g, '\n')
    .trim();
  return `${indent}${bullets[list] ?? '- '}${lines}\n`;
}

const cells = (row: unknown): string =>
  listOf(fieldsOf(row).content)
    .map((cell) =>
      blocks(listOf(fieldsOf(cell).content), '')
        .slice(0, MAX_TEXT)
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .join(' | ');

function inline(nodes: readonly unknown[]): string {
  return nodes
    .map((node) => {
      const { type, text, attrs, content, marks } = fieldsOf(node);
      const about = fieldsOf(attrs);
      if (type === 'hardBreak') return '\n';
      if (type === 'text') return withAddress(textOf(text) ?? '', marks);
      if (type === 'date') return dayOf(about.timestamp);
      if (Array.isArray(content)) return inline(content);
      return textOf(about.text) ?? textOf(about.shortName) ?? textOf(about.url) ?? '';
    })
    .join('');
}

/** The text of a link, with the address if that is not the text. */
function withAddress(text: string, marks: unknown): string {
  const link = listOf(marks)
    .map(fieldsOf)
    .find(({ type }) => type === 'link');
  const href = textOf(fieldsOf(link?.attrs).href);
  return href === null || href === text ? text : `${text} (${href})`;
}

/** The day of an instant, in milliseconds, that a document has as a string or a number. */
function dayOf(timestamp: unknown): string {
  const day = new Date(Number(timestamp));
  return Number.isNaN(day.getTime()) ? '' : day.toISOString().slice(0, 10);
}
