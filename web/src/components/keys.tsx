import { commands, hasSingleKeys, keyOf, setSingleKeys } from '../commands';
import { Dialog } from './dialog';

/** The keyboard shortcuts of the view. */
export function Keys({ onClose }: { onClose: () => void }) {
  const list = commands.value.flat().filter((each) => each.name && keyOf(each));
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="keys">
        {list.map((command) => (
          <div key={keyOf(command)}>
            <dt>{command.name}</dt>
            <dd>
              <kbd>{keyOf(command)}</kbd>
            </dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={hasSingleKeys.value}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
        Single-character shortcuts
      </label>
    </Dialog>
  );
}
