import { STORY_FIELDS } from '../../../src/stories/story.dto';
import { CARD_FIELDS } from '../../../web/src/state/model';

test('a list requests the fields that the service preloads, in the same order', () => {
  expect(CARD_FIELDS).toEqual(STORY_FIELDS.filter((name) => name !== 'description'));
});
