// Where there is no wrk: the same in JavaScript, in a process of its own.
import autocannon from 'autocannon';
import { readFileSync } from 'node:fs';

const [url, file, connections, seconds] = process.argv.slice(2);
const requests = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [method, path, tag, body] = line.split('\t');
    return {
      method,
      path,
      headers: {
        ...(tag && { 'If-None-Match': tag }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body }),
    };
  });

let client = 0;
const result = await autocannon({
  url,
  connections: Number(connections),
  duration: Number(seconds),
  // Each connection has every sixteenth request, so that together they send them in turn.
  setupClient: (one) => {
    const own = requests.filter((_, i) => i % Number(connections) === client % requests.length);
    one.setRequests(own.length > 0 ? own : requests);
    client += 1;
  },
});
process.stdout.write(
  `RESULT ${JSON.stringify({
    requests: result.requests.total,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.errors + result.timeouts + result['4xx'] + result['5xx'],
  })}\n`,
);
