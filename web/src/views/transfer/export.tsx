/** The links that export a board. */
export function Exports({ board }: { board: string }) {
  const path = `/api/boards/${encodeURIComponent(board)}`;
  const file = board.replace(/[^\p{L}\p{N}._ -]/gu, '_');
  const links = [
    { name: 'Export board', href: `${path}/export`, as: `${file}.ndjson` },
    {
      name: 'Export board with its history',
      href: `${path}/export?log=true`,
      as: `${file}-with-history.ndjson`,
    },
    {
      name: 'Export stories as CSV',
      href: `${path}/stories?format=csv`,
      as: `${file}-stories.csv`,
    },
    { name: 'Export events as CSV', href: `${path}/events?format=csv`, as: `${file}-events.csv` },
  ];
  return (
    <section class="setting" aria-label="Export">
      <h2>Export</h2>
      <p class="note">
        Another Sprintline can import an exported board; with its history, the reports stay the
        same. CSV files open in a spreadsheet.
      </p>
      <div class="actions">
        {links.map(({ name, href, as }) => (
          <a key={name} class="button" href={href} download={as}>
            {name}
          </a>
        ))}
      </div>
    </section>
  );
}
