import { distance } from 'fastest-levenshtein';

/** Characters of a name that is compared; no name is longer. */
const MAX_LENGTH = 40;

/** The known name that a misspelt one probably means: `startDate` is `start_date`, `pionts` is `points`. */
export function suggestion(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
  const most = name.length <= 4 ? 1 : 2;
  const [best] = known
    .map((each) => ({ each, edits: distance(plain(name), plain(each)) }))
    .filter(({ edits }) => edits <= most)
    .sort((a, b) => a.edits - b.edits);
  return best?.each;
}
