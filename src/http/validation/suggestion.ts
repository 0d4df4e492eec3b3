/** Characters of a name that is compared; no name is longer. */
const MAX_LENGTH = 40;

/** The known name that a misspelt one probably means: `startDate` is `start_date`, `pionts` is `points`. */
export function suggestion(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
  const most = name.length <= 4 ? 1 : 2;
  const [best] = known
    .filter((each) => Math.abs(plain(each).length - plain(name).length) <= most)
    .map((each) => ({ each, distance: distanceOf(plain(name), plain(each)) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return best?.each;
}

/** The fewest characters to insert, delete, replace or swap with the next (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row: number[] = [i];
    const [before = [], twoBefore = []] = [rows[i - 1], rows[i - 2]];
    for (let j = 1; j <= b.length; j += 1) {
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
          (before[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          i > 1 && j > 1 && isSwapped ? (twoBefore[j - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? Infinity;
}
