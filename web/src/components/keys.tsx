import { commands } from '../commands';
import { Dialog } from './dialog';

/** The keyboard shortcuts of the view. */
export function Keys({ onClose }: { onClose: () => void }) {
  const list = commands.value.flat().filter(({ key }) => key);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="keys">
        {list.map(({ name, key, shownKey }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <kbd>{shownKey ?? key}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
