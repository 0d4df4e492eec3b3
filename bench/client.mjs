// A client with its own process and address, so that reading large responses does not delay a measurement. It sends the
// requests of a message from its parent at once, discards the responses, and reports their statuses.
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, localAddress: '127.0.0.2' });

const send = ({ url, method = 'GET', body }) =>
  new Promise((resolve) => {
    const headers = body ? { 'Content-Type': 'application/json' } : {};
    const sent = request(url, { agent, method, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode));
    });
    sent.on('error', () => resolve(0));
    sent.end(body && JSON.stringify(body));
  });

process.on('message', async (requests) => {
  process.send(await Promise.all(requests.map(send)));
});
