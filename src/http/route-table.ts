import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { HTTPMethod } from 'find-my-way';
import findMyWay from 'find-my-way';

/** Characters of a path parameter: percent-encoded, each of the 100 characters of a board's name may have 12. */
export const MAX_PARAMETER_LENGTH = 4096;

/** The methods of each path, for 405, `Allow` and OPTIONS; Fastify does not offer them. */
@Injectable()
export class RouteTable {
  private readonly router = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAMETER_LENGTH,
  });
  private readonly methods = new Set<HTTPMethod>();

  /** Collects every route that is added to the server from now on. */
  watch(server: FastifyInstance): void {
    server.addHook('onRoute', ({ method, url }) => {
      // @fastify/cors answers preflights of every path.
      if (url === '*') return;
      for (const one of [method].flat() as HTTPMethod[]) {
        this.methods.add(one);
        this.router.on(one, url, () => undefined);
      }
    });
  }

  /** The methods of a URL's path, OPTIONS included; none if there is no such path. */
  methodsAt(url: string): string[] {
    const [path = '/'] = url.split('?');
    const found = [...this.methods].filter((method) => {
      const params = this.router.find(method, path)?.params;
      // No resource has an empty name or id.
      return params !== undefined && !Object.values(params).includes('');
    });
    return found.length === 0 ? [] : [...new Set([...found, 'OPTIONS'])].sort();
  }
}
