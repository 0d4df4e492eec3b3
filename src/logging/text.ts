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
  return [first, ...(stack === undefined ? [] : [stack.replace(/^/gm, '  ')]), ''].join('\n');
}
