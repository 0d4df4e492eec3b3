import type { NewStory } from '../../api/types';
import { clearFilters, filtered } from '../../components/filters';
import { query } from '../../router';
import { report } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import { temporaryId } from '../../state/changes/change';
import type { ListId } from '../../state/model';
import { quoted } from '../../util/names';

/**
 * Creates a story in a list, and shows a message if the filters of the view hide it.
 * @param options.isQuiet whether no message is needed, because the user sees the story
 * @returns its temporary id
 */
export function createStory(
  store: BoardStore,
  list: ListId,
  body: NewStory,
  options: { isQuiet?: boolean } = {},
): number {
  const id = temporaryId();
  store.change([{ kind: 'story.create', id, list, body }], options);
  const story = store.view.value?.stories.get(id);
  if (story && filtered([story], query.value).length === 0) {
    const action = { name: 'Clear filters', run: clearFilters };
    report(`Created ${quoted(body.title)}. The filters hide it.`, action);
  }
  return id;
}
