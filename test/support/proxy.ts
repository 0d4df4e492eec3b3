import type { Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** A TCP proxy that can stop forwarding without closing a connection. */
export class Proxy {
  private readonly pairs = new Set<[Socket, Socket]>();
  private isStopped = false;
  /** Called with each chunk that a client sends, before it is forwarded. */
  onData: (data: Buffer) => void = () => undefined;

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {}

  /** Starts a proxy that forwards connections to a port on loopback. */
  static async to(target: number): Promise<Proxy> {
    const server = createServer({ noDelay: true });
    const proxy = new Proxy(server, target);
    server.on('connection', (socket) => proxy.join(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  /** Stops forwarding and closes nothing; new connections are accepted and never answered. */
  stopForwarding(): void {
    this.isStopped = true;
    for (const pair of this.pairs) for (const socket of pair) socket.pause();
  }

  /** Forwards new connections again; earlier ones stay stopped. */
  forwardAgain(): void {
    this.isStopped = false;
  }

  close(): void {
    this.server.close();
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  private join(near: Socket): void {
    if (this.isStopped) {
      near.pause();
      const silent: [Socket, Socket] = [near, near];
      this.pairs.add(silent);
      near.on('error', () => undefined).once('close', () => this.pairs.delete(silent));
      return;
    }
    const far = connect({ port: this.target, host: '127.0.0.1', noDelay: true });
    const pair: [Socket, Socket] = [near, far];
    this.pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on('error', () => undefined);
      from.on('data', (data) => {
        if (from === near) this.onData(data);
        to.write(data);
      });
      from.once('close', () => {
        this.pairs.delete(pair);
        to.destroy();
      });
    }
  }
}
