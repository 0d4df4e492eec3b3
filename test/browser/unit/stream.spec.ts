import { EventParser } from '../../../web/src/api/stream';

const EVENTS =
  'retry: 2000\n\nid: 3\nevent: ready\ndata: {"revision":3}\n\n: comment\n\nid: 4\r\nevent: story.moved\r\ndata: a\r\ndata: b\r\n\r\n';

test('parses a stream that is cut anywhere', () => {
  for (let cut = 0; cut <= EVENTS.length; cut++) {
    const parser = new EventParser();
    const events = [...parser.push(EVENTS.slice(0, cut)), ...parser.push(EVENTS.slice(cut))];
    expect(events).toEqual([
      { type: 'ready', id: 3, data: '{"revision":3}' },
      { type: 'story.moved', id: 4, data: 'a\nb' },
    ]);
  }
});

test('gives no event that has not ended', () => {
  expect(new EventParser().push('id: 4\ndata: a\n')).toEqual([]);
});
