import { fieldsOf, listOf, textOf } from '../files/json';

/** The text of a document in the Atlassian Document Format, one paragraph or list item on a line. */
export function textOfDocument(document: unknown): string {
  return blocks(listOf(fieldsOf(document).content), '')
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
    case 'decisionList':
      return `${children.map((item, i) => listItem(item, i, type, indent)).join('')}\n`;
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

function listItem(item: unknown, index: number, list: string, indent: string): string {
  const { content, attrs } = fieldsOf(item);
  const bullets: Record<string, string> = {
    orderedList: `${index + 1}. `,
    taskList: fieldsOf(attrs).state === 'DONE' ? '[x] ' : '[ ] ',
  };
  const children = listOf(content);
  const isInline = children.some((child) => fieldsOf(child).type === 'text');
  const text = isInline ? inline(children) : blocks(children, `${indent}  `);
  const lines = text.replace(/\n{2,}/g, '\n').trim();
  return `${indent}${bullets[list] ?? '- '}${lines}\n`;
}

const cells = (row: unknown): string =>
  listOf(fieldsOf(row).content)
    .map((cell) =>
      blocks(listOf(fieldsOf(cell).content), '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .join(' | ');

function inline(nodes: readonly unknown[]): string {
  return nodes
    .map((node) => {
      const { type, text, attrs, content } = fieldsOf(node);
      const about = fieldsOf(attrs);
      if (type === 'hardBreak') return '\n';
      if (type === 'text') return textOf(text) ?? '';
      if (Array.isArray(content)) return inline(content);
      return textOf(about.text) ?? textOf(about.shortName) ?? textOf(about.url) ?? '';
    })
    .join('');
}
