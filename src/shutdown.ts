import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from './config/config';
import { Lifecycle } from './health/lifecycle';

/** Milliseconds for answers that are complete to be taken, before the door is closed. */
const LONGEST_FLUSH = 2000;
/** Milliseconds for requests that have not arrived whole to do so, once the door is closed. */
const LONGEST_ARRIVAL = 5000;
/** Milliseconds for everything that is in flight to finish. */
const LONGEST_FINISH = 8000;

/**
 * Goes down without a failed request: says that it is not ready any more, answers as before while
 * that gets around, closes the door, finishes what is in flight, closes the database.
 */
export function stopOnSignal(app: NestFastifyApplication, config: Config, pino: Logger): void {
  const connections = new Connections(app.getHttpServer());
  const stop = async (signal: string): Promise<void> => {
    const lifecycle = app.get(Lifecycle);
    if (lifecycle.stopping) return;
    lifecycle.stopping = true;
    pino.info(`${signal}: going down`);
    await sleep(config.shutdownDelayMs);
    setTimeout(() => {
      pino.warn('what is still in flight is cut off');
      process.exit(0);
    }, LONGEST_FINISH).unref();
    await connections.flushed();
    await connections.finish();
    await app.close();
    pino.info('down');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => {
        pino.error({ err: error }, 'could not go down in order');
        process.exit(1);
      });
    });
  }
}

/** The connections of a server, so that it can be closed without leaving anybody unanswered. */
class Connections {
  private readonly open = new Set<Socket>();

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /**
   * Waits until no complete answer is on its way: a server that is closed takes a connection with one
   * for idle, and would cut it off.
   */
  async flushed(): Promise<void> {
    const unsent = (): boolean => [...this.open].some((socket) => socket.writableLength > 0);
    for (const end = Date.now() + LONGEST_FLUSH; unsent() && Date.now() < end;) await sleep(20);
  }

  /**
   * Closes the door, and lets each connection end with the answer that it waits for. A server that is
   * closed closes the connections that are idle at that moment; it keeps those on which nothing ever
   * came, and those that become idle later, and looks no more at requests that do not arrive.
   */
  finish(): Promise<void> {
    for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
    this.server.keepAliveTimeout = 1;
    setTimeout(() => {
      const error = Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      for (const socket of this.open) {
        const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse };
        if (!answer?.headersSent) this.server.emit('clientError', error, socket);
      }
    }, LONGEST_ARRIVAL).unref();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
