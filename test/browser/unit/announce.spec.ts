import { announce, announcement, announceOther } from '../../../web/src/state/announce';

describe('the live region', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('changes if the same text is announced again, so that a screen reader reads it again', () => {
    announce('Undone');
    const first = announcement.value;
    announce('Undone');
    expect(announcement.value).not.toBe(first);
    expect(announcement.value.trim()).toBe('Undone');
  });

  it('keeps the announcement of the user’s own change for 2 s before it announces changes of others', () => {
    announceOther('Someone moved “Cat” to Done');
    announceOther('Someone deleted “Bee”');
    announce('Change “Dog”');
    jest.advanceTimersByTime(1000);
    expect(announcement.value).toBe('Change “Dog”');
    jest.advanceTimersByTime(1000);
    expect(announcement.value).toBe('Someone moved “Cat” to Done, and 1 more');
  });
});
