const { default: createClient } = jest.requireActual('openapi-fetch');

/** Replaces `openapi-fetch` in Node.js, where a URL needs a host. */
export default (options: object) => createClient({ ...options, baseUrl: 'http://localhost' });
