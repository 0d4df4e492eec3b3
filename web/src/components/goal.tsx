import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './controls';

/** The goal of a sprint: the first three lines, and a button for the rest. Its key must be the text. */
export function Goal({ text }: { text: string }) {
  const element = useRef<HTMLParagraphElement>(null);
  const isCut = useSignal(false);
  const isWhole = useSignal(false);
  // Before the browser draws it, so that the button moves nothing.
  useLayoutEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = element.current ?? {};
    isCut.value = scrollHeight > clientHeight;
  }, []);
  return (
    <div class="goal">
      <p ref={element} class={isWhole.value ? 'whole' : ''}>
        {text}
      </p>
      {isCut.value && (
        <Button
          kind="quiet"
          aria-expanded={isWhole.value}
          onClick={() => (isWhole.value = !isWhole.value)}
        >
          {isWhole.value ? 'Show less' : 'Show more'}
        </Button>
      )}
    </div>
  );
}
