import { announce, announcement, announceOther } from '../../../web/src/state/announce';

describe('the live region', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('keeps what the user did before it tells what others did', () => {
    announceOther('Someone moved “Cat” to Done');
    announceOther('Someone deleted “Bee”');
    announce('Change “Dog”');
    jest.advanceTimersByTime(1000);
    expect(announcement.value).toBe('Change “Dog”');
    jest.advanceTimersByTime(1000);
    expect(announcement.value).toBe('Someone moved “Cat” to Done, and 1 more');
  });
});
