/** The header of a response that asks for a token, or for another one (RFC 6750, section 3). */
export function challenge(error?: string, scope?: string): Record<string, string> {
  const parameters = Object.entries({ realm: 'sprintline', error, scope })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}="${value}"`);
  return { 'WWW-Authenticate': `Bearer ${parameters.join(', ')}` };
}
