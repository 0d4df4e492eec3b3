import { useSignal } from '@preact/signals';
import { api } from '../../api/client';
import type { Board } from '../../api/types';
import { TextField } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { DialogForm } from '../../components/dialog-form';
import { navigate, url } from '../../router';
import { report } from '../../state/announce';
import { readBoard } from '../../state/board/connection';
import { failureText } from '../../util/failure';
import { isolated } from '../../util/names';
import { useSubmit } from '../../util/submit';
import { listed } from '../boards/listed';

interface DeleteBoardProps {
  board: Board;
  onDeleted: () => void;
  onClose: () => void;
}

/** A name as the page shows it: with one space in place of several. */
const asShown = (name: string): string => name.trim().replace(/\s+/g, ' ');

/** Asks for the name of the board before it is deleted with everything on it. */
export function DeleteBoard({ board, onDeleted, onClose }: DeleteBoardProps) {
  const typed = useSignal('');
  const isConfirmed = asShown(typed.value) === asShown(board.name);
  const { isBusy, error, submit } = useSubmit(failureText);
  const remove = async (): Promise<void> => {
    if (!isConfirmed) {
      error.value = `Type ${board.name}.`;
      return;
    }
    const here = url.value;
    const [{ name }, etag] = await readBoard(board);
    await api.DELETE('/api/boards/{board_name}', {
      params: {
        path: { board_name: name },
        query: { force: true },
        header: { 'If-Match': etag },
      },
    });
    onDeleted();
    // It still contains the board.
    listed.value = null;
    // The live stream may have closed the dialog, so it does not show whether the user has gone elsewhere.
    if (url.value === here) navigate('/');
    report(`Deleted ${isolated(board.name)}`);
  };
  return (
    <Dialog title={`Delete ${isolated(board.name)}?`} onClose={onClose}>
      <DialogForm
        action="Delete"
        kind="danger"
        isDisabled={!isConfirmed}
        isBusy={isBusy.value}
        onSubmit={() => submit(remove)}
        onCancel={onClose}
      >
        <p>
          All sprints, stories and their history are deleted. This cannot be undone. To confirm,
          type the name of the board: <strong>{board.name}</strong>
        </p>
        <TextField
          label="Name of the board"
          error={error.value}
          autoFocus
          autocomplete="off"
          value={typed.value}
          onText={(text) => (typed.value = text)}
        />
      </DialogForm>
    </Dialog>
  );
}
