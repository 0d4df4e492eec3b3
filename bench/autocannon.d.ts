// autocannon has no types; these declare the parts that the benchmark uses.
declare module 'autocannon' {
  interface Options {
    url: string;
    connections: number;
    duration?: number;
    amount?: number;
    sampleInt?: number;
    timeout?: number;
    setupClient?: (client: { setRequests(requests: object[]): void }) => void;
  }
  interface Result {
    duration: number;
    errors: number;
    timeouts: number;
  }
  interface Run extends Promise<Result> {
    on(
      event: 'response',
      listener: (client: object, status: number, bytes: number, ms: number) => void,
    ): void;
  }
  export default function autocannon(options: Options): Run;
}
