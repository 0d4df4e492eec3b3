import {
  announce,
  announcement,
  announceOther,
  announceView,
} from '../../../web/src/state/announce';

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

  it('has the title of a view after a recent change of the user, and for 2 s before changes of others', () => {
    announce('Deleted rocket.');
    announceView('Boards – Sprintline');
    expect(announcement.value).toBe('Deleted rocket. Boards – Sprintline');
    jest.advanceTimersByTime(2000);
    announceView('Sprint 1 – comet');
    announceOther('Someone deleted “Bee”');
    jest.advanceTimersByTime(1000);
    expect(announcement.value).toBe('Sprint 1 – comet');
    jest.advanceTimersByTime(1000);
    expect(announcement.value).toBe('Someone deleted “Bee”');
  });
});
