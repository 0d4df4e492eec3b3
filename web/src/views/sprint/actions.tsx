import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Sprint } from '../../api/types';
import { useCommands } from '../../commands';
import { Button, Icon } from '../../components/controls';
import { Menu } from '../../components/menu';
import { openDialog } from '../../state/dialogs';
import { recoverFocus } from '../../state/focus';
import { sprintInText, sprintName, sprintsOf } from '../../state/model';
import { canWrite } from '../../state/session';
import { store } from '../../state/stores';

/**
 * The actions for a sprint: its next step as a button, the others in a menu. A planned sprint can be started by a
 * button if no other has to be completed before.
 */
export function SprintActions({ sprint }: { sprint: Sprint }) {
  const { id, state } = sprint;
  const open = (action: 'edit' | 'delete' | 'start' | 'reopen' | 'complete') => (): void =>
    openDialog({ kind: 'sprint', action, id });
  const isRunning = state === 'active' || state === 'ended';
  const board = store.value?.view.value;
  const isNext = board && sprintsOf(board).find((each) => each.state !== 'completed')?.id === id;
  const canStart = !sprint.started_at && (state === 'active' || (isNext && state === 'planned'));
  const name = sprintInText(sprint);
  useCommands(
    [
      ...(canStart ? [{ name: `Start sprint: ${name}`, run: open('start') }] : []),
      ...(isRunning ? [{ name: `Complete sprint: ${name}`, run: open('complete') }] : []),
      ...(state === 'completed' ? [{ name: `Reopen sprint: ${name}`, run: open('reopen') }] : []),
    ].filter(() => canWrite.value),
    [sprint, canStart, canWrite.value],
  );
  const actions = useRef<HTMLDivElement>(null);
  // Read before the next render, which may remove the focused button.
  const hadFocus = actions.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    if (hadFocus) recoverFocus();
  });
  if (!canWrite.value) return null;
  return (
    <div ref={actions} class="sprint-actions">
      {canStart && <Button onClick={open('start')}>Start sprint</Button>}
      {isRunning && <Button onClick={open('complete')}>Complete sprint</Button>}
      <Menu
        name={`Change ${sprintName(sprint)}`}
        class="button quiet more"
        items={() => [
          { name: 'Edit sprint', run: open('edit') },
          ...(state !== 'completed' && !canStart
            ? [
                {
                  name: sprint.started_at ? 'Start sprint again' : 'Start sprint',
                  run: open('start'),
                },
              ]
            : []),
          ...(state === 'completed' ? [{ name: 'Reopen sprint', run: open('reopen') }] : []),
          { name: 'Delete sprint', run: open('delete'), isFirst: true },
        ]}
      >
        <Icon name="move" />
      </Menu>
    </div>
  );
}
