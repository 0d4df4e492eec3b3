/** Escapes a control character as JSON does; clients send some, and a terminal would execute them. */
const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes the control characters in a line of JSON that JSON allows: DEL and C1. */
export const toJson = (line: string): string => line.replace(/[\x7f-\x9f]/g, escaped);

/** Formats a line of the log for a terminal, with the time in UTC. @param line one JSON object */
export function toText(line: string): string {
  const { level, time, msg, context, err, method, url, status, duration_ms, ...rest } = JSON.parse(
    line,
  ) as Record<string, unknown> & { level: string; time: string; context?: string };
  const isRequest = method !== undefined && status !== undefined && msg === undefined;
  const text = isRequest
    ? [method, url, status, `${Math.round(Number(duration_ms) * 10) / 10} ms`].join(' ')
    : [context && `${context}: `, msg].join('');
  const fields = Object.entries(isRequest ? {} : { method, url, status, ...rest })
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const stack = (err as { stack?: string } | undefined)?.stack;
  const first = [time.slice(11, 19), level.padEnd(5), text, ...fields].join(' ').trimEnd();
  const lines = [
    first.replace(/\p{Cc}/gu, escaped),
    ...(stack === undefined ? [] : [stack.replace(/(?!\n)\p{Cc}/gu, escaped).replace(/^/gm, '  ')]),
  ];
  return `${lines.join('\n')}\n`;
}
