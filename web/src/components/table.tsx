interface TableProps {
  name: string;
  head: readonly string[];
  rows: readonly {
    key: string | number;
    /** The first cell is the header of the row. */
    cells: readonly string[];
    isSoft?: boolean;
  }[];
  /** Whether the cells are words, not numbers. */
  isText?: boolean;
}

/** A table that can also be scrolled by keyboard. */
export function Table({ name, head, rows, isText }: TableProps) {
  return (
    <div class="table-wrap" tabIndex={0} role="region" aria-label={name}>
      <table class={isText ? 'text' : undefined}>
        <thead>
          <tr>
            {head.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...rest], isSoft }) => (
            <tr key={key} class={isSoft ? 'soft' : undefined}>
              <th scope="row">{first}</th>
              {rest.map((cell, i) => (
                <td key={head[i + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
