import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections beyond the limit that are still told so; those beyond them are closed at once. */
const TOLD = 100;

/** How many connections may be open at once, so that no crowd of them uses up the process. */
export class ConnectionLimit {
  private open = 0;
  private readonly surplus = new WeakSet<Socket>();

  constructor(server: Server, limit: number) {
    server.maxConnections = limit + TOLD;
    server.on('connection', (socket: Socket) => {
      this.open += 1;
      if (this.open > limit) this.surplus.add(socket);
      socket.once('close', () => (this.open -= 1));
    });
  }

  /** Whether a connection is one too many, whose request is to be refused, and itself to be closed. */
  exceeds(socket: Socket): boolean {
    return this.surplus.has(socket);
  }
}
