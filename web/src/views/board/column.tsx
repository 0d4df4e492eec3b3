import { useComputed, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Status } from '../../api/types';
import { hasSingleKeys } from '../../commands';
import { CardList } from '../../components/card';
import { Button, StatusMark } from '../../components/controls';
import { hasFilter, noMatch } from '../../components/filters';
import { useFocusOnMore } from '../../components/show-more';
import { query } from '../../router';
import { report } from '../../state/announce';
import type { BoardStore } from '../../state/board/board-store';
import type { Card as Story } from '../../state/model';
import { sumOfPoints } from '../../state/model';
import { canWrite } from '../../state/session';
import { dropPlace, useDropList } from '../../util/drag';
import { formatNumber, plural } from '../../util/format';
import { dropIntoColumn, moveItems } from './moves';

/** The number of cards drawn at first, and added by Show more. */
const PAGE = 200;

interface ColumnProps {
  store: BoardStore;
  /** The id of the sprint. */
  sprint: number | undefined;
  status: Status;
  name: string;
  stories: readonly Story[];
  isLoaded: boolean;
  /** Whether the sprint is completed, so that its stories cannot be moved. */
  isFixed: boolean;
}

/** A column of the sprint board: the stories of one status. */
export function Column({ store, sprint, status, name, stories, isLoaded, isFixed }: ColumnProps) {
  const ref = useRef<HTMLElement>(null);
  const limit = useSignal(PAGE);
  const focusOnMore = useFocusOnMore(stories);
  const place = useComputed(() => (dropPlace.value?.list === status ? dropPlace.value.index : -1));
  const shown = stories.slice(0, limit.value);
  useDropList(
    ref,
    status,
    (id, index) => {
      const story = store.view.value?.stories.get(id);
      if (story && story.sprint_id === sprint) dropIntoColumn(store, story, status, shown, index);
      else report('Someone else has moved or deleted this story.');
    },
    [store, sprint, status, stories, limit.value],
  );
  return (
    <section ref={ref} class={`column ${place.value >= 0 ? 'over' : ''}`}>
      <h2 class="column-head">
        <StatusMark status={status} />
        {name}
        <span class="count">
          {formatNumber(stories.length)}
          <span class="hidden">{stories.length === 1 ? ' story' : ' stories'}</span>
        </span>
        <span class="spring" />
        <span class="column-points">{plural(sumOfPoints(stories), 'point')}</span>
      </h2>
      <CardList
        name={name}
        stories={shown}
        dropIndex={place.value}
        moves={(story) => moveItems(store, story, stories)}
        isFixed={isFixed}
      />
      {place.value >= shown.length && <div class="drop-line" />}
      {stories.length > limit.value && (
        <Button
          kind="quiet"
          onClick={() => {
            focusOnMore(limit.value);
            limit.value += PAGE;
          }}
        >
          Show more
        </Button>
      )}
      {isLoaded && stories.length === 0 && (
        <p class="empty">
          {hasFilter(query.value) ? noMatch() : <Empty status={status} isFixed={isFixed} />}
        </p>
      )}
    </section>
  );
}

const EMPTY: Record<Status, { text: string; hint: string }> = {
  todo: { text: 'No stories to do.', hint: 'Press c to create one.' },
  in_progress: { text: 'No stories in progress.', hint: 'Press 2 on a card to start it.' },
  done: { text: 'No stories done yet.', hint: 'Press 3 on a card to set it to Done.' },
};

function Empty({ status, isFixed }: Pick<ColumnProps, 'status' | 'isFixed'>) {
  const { text, hint } = EMPTY[status];
  return (
    <>
      {text}{' '}
      {canWrite.value && hasSingleKeys.value && !isFixed && <span class="key-hint">{hint}</span>}
    </>
  );
}
