import { useSignal } from '@preact/signals';
import { api } from '../../api/client';
import { ApiError } from '../../api/problem';
import { TextField } from '../../components/controls';
import { Dialog } from '../../components/dialog';
import { DialogForm } from '../../components/dialog-form';
import { navigate, pathOf } from '../../router';
import { report } from '../../state/announce';
import { failureText } from '../../util/failure';
import { isolated } from '../../util/names';
import { useIsShown, useKeys, useSubmit } from '../../util/submit';

/** Creates a board in the time zone of the browser. */
export function NewBoard({ onClose }: { onClose: () => void }) {
  const name = useSignal('');
  const key = useKeys();
  const isShown = useIsShown();
  const { isBusy, error, submit } = useSubmit((failure) => {
    const detail = failure instanceof ApiError ? failure.detailOf('name') : undefined;
    return detail ?? failureText(failure);
  });
  const create = async (): Promise<void> => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const body = { name: name.value, time_zone: timeZone };
    const { data } = await api.POST('/api/boards', {
      params: { header: { 'Idempotency-Key': key(body) } },
      body,
    });
    if (!data) return;
    report(`Created ${isolated(data.name)}`);
    if (!isShown()) return;
    onClose();
    navigate(pathOf(data.name, 'backlog'));
  };
  return (
    <Dialog title="New board" onClose={onClose}>
      <DialogForm
        action="Create"
        isBusy={isBusy.value}
        onSubmit={() => submit(create)}
        onCancel={onClose}
      >
        <TextField
          label="Name"
          error={error.value}
          autoFocus
          value={name.value}
          onText={(text) => (name.value = text)}
        />
      </DialogForm>
    </Dialog>
  );
}
