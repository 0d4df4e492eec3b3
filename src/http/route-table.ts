import type { HTTPMethod } from 'find-my-way';
import findMyWay from 'find-my-way';
import type { FastifyInstance } from 'fastify';

/** A board's name may take 12 bytes of a URL for each of its 100 characters, and blanks around it. */
export const MAX_PARAMETER_LENGTH = 4096;

/** Which methods a path has: for 405, for `Allow`, and for OPTIONS. */
export class RouteTable {
  private readonly router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAMETER_LENGTH,
  });
  private readonly methods = new Set<HTTPMethod>();

  /** Notes every route that is added to the server from now on. */
  constructor(server: FastifyInstance) {
    server.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat() as HTTPMethod[]) {
        if (this.router.hasRoute(one, url)) continue;
        this.methods.add(one);
        this.router.on(one, url, () => undefined);
      }
    });
  }

  /** The methods of a URL's path, OPTIONS included; none where there is no such path. */
  methodsAt(url: string): string[] {
    const [path = '/'] = url.split('?');
    const found = [...this.methods].filter((method) => this.router.find(method, path));
    return found.length === 0 ? [] : [...new Set([...found, 'OPTIONS'])].sort();
  }
}
