import { STORY_FIELDS } from '../../../src/stories/story.dto';
import { CARD_FIELDS } from '../../../web/src/state/model';

test('CARD_FIELDS are STORY_FIELDS of the service without the description, in the same order', () => {
  expect(CARD_FIELDS).toEqual(STORY_FIELDS.filter((name) => name !== 'description'));
});
