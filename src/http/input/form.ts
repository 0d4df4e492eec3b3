const FORM = Symbol('form');

/** Whether an object was read from a form or a query, in which every value is a string. */
export const isForm = (value: object): boolean => FORM in value;

/** Marks an object as a form: its values are strings, arrays of strings or null. */
export function asForm<T extends object>(value: T): T {
  return Object.defineProperty(value, FORM, { value: true });
}

/**
 * Parses application/x-www-form-urlencoded strictly: malformed percent-encoding is an error, while
 * @fastify/formbody and URLSearchParams keep it. A repeated name gets an array of its values.
 * @param emptyIsNull whether an empty value means null, as in a body
 * @throws URIError
 */
export function parseForm(
  text: string,
  { emptyIsNull }: { emptyIsNull: boolean },
): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const [name = '', ...rest] = pair.replaceAll('+', ' ').split('=');
    const value = decodeURIComponent(rest.join('='));
    const parsed = emptyIsNull && value === '' ? null : value;
    const key = decodeURIComponent(name);
    const previous = fields.get(key);
    // Appends in place: copying the array for each value took minutes for a name that a body repeats.
    if (Array.isArray(previous)) previous.push(parsed);
    else fields.set(key, previous === undefined ? parsed : [previous, parsed]);
  }
  // Not by assignment: a name may be __proto__.
  return asForm(Object.fromEntries(fields));
}

/** Replaces a query that cannot be parsed; the `InputGuard` rejects it. */
export const MALFORMED_QUERY = asForm({});

const NO_QUERY = Object.freeze(asForm({}));

/** Parses the query of a URL. It never throws, because the router cannot handle an error. */
export function parseQuery(text: string): Record<string, unknown> {
  if (text === '') return NO_QUERY;
  try {
    return parseForm(text, { emptyIsNull: false });
  } catch {
    return MALFORMED_QUERY;
  }
}
