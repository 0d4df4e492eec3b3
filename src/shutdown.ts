import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from './config/config';
import { Database } from './database/database';
import { StreamsService } from './events/streams.service';
import { Lifecycle } from './health/lifecycle';
import { SHUTTING_DOWN } from './http/adapter';

/** Milliseconds for clients to read complete responses before the server is closed. */
const FLUSH_MS = 2000;
/** Milliseconds for partly received requests to arrive, after the server is closed. */
const ARRIVAL_MS = 5000;
/** Milliseconds for all requests in progress to finish. */
const FINISH_MS = 8000;

/**
 * Stops on SIGTERM and SIGINT without failing a request: readiness becomes 503, requests are served for
 * SHUTDOWN_DELAY_MS, the server is closed, requests in progress finish, the database is closed. Further
 * signals are ignored: with bash as the shell, npm sends each signal twice (close-with-grace would exit).
 */
export function stopOnSignal(app: NestFastifyApplication, config: Config, pino: Logger): void {
  const connections = new Connections(app.getHttpServer());
  const database = app.get(Database);
  const stop = async (signal: string): Promise<void> => {
    const lifecycle = app.get(Lifecycle);
    if (lifecycle.stopping) return;
    lifecycle.stopping = true;
    pino.info(`${signal}: stopping`);
    await sleep(config.shutdownDelayMs);
    setTimeout(() => {
      pino.warn('stopped before every request was finished');
      database.warnOfLog();
      process.exit(0);
    }, FINISH_MS).unref();
    app.get(StreamsService).close();
    await connections.flushed();
    await connections.close();
    await app.close();
    pino.info('stopped');
    database.warnOfLog();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => {
        pino.error({ err: error }, 'stopped with an error');
        process.exit(1);
      });
    });
  }
}

/** The open connections of a server, each with its unfinished response. */
class Connections {
  private readonly open = new Map<Socket, ServerResponse | undefined>();

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.set(socket, undefined);
      socket.once('close', () => this.open.delete(socket));
    });
    server.on('request', ({ socket }: IncomingMessage, response) => {
      this.open.set(socket, response);
      // Otherwise each idle connection would keep its last response in memory.
      response.once('close', () => {
        if (this.open.get(socket) === response) this.open.set(socket, undefined);
      });
    });
  }

  /**
   * Waits until clients have read the responses that are complete: `server.close()` would treat
   * such a connection as idle, and cut the response off.
   */
  async flushed(): Promise<void> {
    const isUnread = (): boolean =>
      [...this.open.keys()].some((socket) => socket.writableLength > 0);
    for (const end = performance.now() + FLUSH_MS; isUnread() && performance.now() < end;) {
      await sleep(20);
    }
  }

  /**
   * Closes the server, and resolves when every connection has ended. Node.js itself closes only
   * connections that are idle at this moment. It does not close connections without a request or connections
   * that become idle later, and it stops applying the timeouts for incomplete requests.
   */
  close(): Promise<void> {
    for (const socket of this.open.keys()) if (socket.bytesRead === 0) socket.destroy();
    this.server.keepAliveTimeout = 1;
    setTimeout(() => {
      for (const [socket, response] of this.open) {
        if (isInProgress(response)) continue;
        // The service has not read the body of an upload that waits for others.
        const isWaiting = response && !response.writableFinished && !response.req.readableDidRead;
        const code = isWaiting ? SHUTTING_DOWN : 'ERR_HTTP_REQUEST_TIMEOUT';
        this.server.emit('clientError', Object.assign(new Error(), { code }), socket);
      }
    }, ARRIVAL_MS).unref();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

/** Whether a request is complete or its response has begun, and the response is not finished. */
function isInProgress(response: ServerResponse | undefined): boolean {
  if (!response || response.writableFinished) return false;
  return response.req.complete || response.headersSent;
}
