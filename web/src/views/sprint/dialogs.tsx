import type { SprintRequest } from '../../state/dialogs';
import { CompleteSprint } from './complete';
import { EditSprint, NewSprint } from './form';
import { DeleteSprint, ReopenSprint, StartSprint } from './questions';
import type { SprintDialogProps } from './request';

/** The open dialog about a sprint. */
export function SprintDialog({
  request,
  ...rest
}: Omit<SprintDialogProps, 'id'> & { request: SprintRequest }) {
  switch (request.action) {
    case 'new':
      return <NewSprint {...rest} completing={request.completing} />;
    case 'edit':
      return <EditSprint {...rest} id={request.id} />;
    case 'start':
      return <StartSprint {...rest} id={request.id} />;
    case 'complete':
      return <CompleteSprint {...rest} id={request.id} to={request.to} />;
    case 'reopen':
      return <ReopenSprint {...rest} id={request.id} />;
    case 'delete':
      return <DeleteSprint {...rest} id={request.id} />;
  }
}
