// A client in a process of its own, so that reading large answers delays no measurement: sends what it is
// told by its parent, discards the answer, and reports the status.
import { request } from 'node:http';

process.on('message', ({ url, method = 'GET', body }) => {
  const headers = body ? { 'Content-Type': 'application/json' } : {};
  const sent = request(url, { method, headers }, (answer) => {
    answer.resume();
    answer.on('end', () => process.send(answer.statusCode));
  });
  sent.on('error', () => process.send(0));
  sent.end(body && JSON.stringify(body));
});
