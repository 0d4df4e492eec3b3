import type { Velocity as Data } from '../../api/types';
import { Figure } from '../../components/figure';
import { NoAnswer } from '../../components/no-answer';
import { Table } from '../../components/table';
import { sprintName } from '../../state/model';
import { useAnswer } from '../../util/answer';
import { formatNumber, plural } from '../../util/format';
import { velocityOf } from '../sprint/velocity';

/** The velocity: how much the last completed sprints completed. */
export function Velocity({ board, input }: { board: string; input: string }) {
  const answer = useAnswer(() => velocityOf(board), [board, input], board);
  const { data } = answer;
  if (data?.sprints.length === 0) {
    return (
      <section class="figure" aria-label="Velocity">
        <div class="figure-head">
          <h2>Velocity</h2>
        </div>
        <p class="empty">
          How much a sprint completes on average. Available after the first completed sprint.
        </p>
      </section>
    );
  }
  return (
    <Figure
      title="Velocity"
      name={`Velocity of ${board}`}
      href={`/api/boards/${encodeURIComponent(board)}/velocity`}
      file={`${board} velocity`}
      input={input}
      words={data && <Words data={data} />}
      table={() => (data ? <VelocityTable data={data} /> : <NoAnswer {...answer} />)}
    />
  );
}

/** Whether the velocity is shown in points, as the picture shows it: in stories only if none has points. */
const isInPoints = ({ sprints }: Data): boolean =>
  sprints.some((each) => each.committed_points + each.completed_points > 0);

function Words({ data }: { data: Data }) {
  const inPoints = isInPoints(data);
  const average = data[inPoints ? 'average_points' : 'average_count'] ?? 0;
  const median = data[inPoints ? 'median_points' : 'median_count'] ?? 0;
  const unit = inPoints ? plural(average, 'point') : plural(average, 'story', 'stories');
  return (
    <p class="words">
      A sprint completes <strong>{unit}</strong> on average; the median is {formatNumber(median)}.
    </p>
  );
}

function VelocityTable({ data }: { data: Data }) {
  const inPoints = isInPoints(data);
  const unit = inPoints ? 'points' : 'count';
  return (
    <Table
      name="Numbers of the velocity"
      head={[
        'Sprint',
        'Committed',
        'Completed',
        'Unfinished',
        ...(inPoints ? ['Stories completed'] : []),
      ]}
      rows={data.sprints.map((sprint) => ({
        key: sprint.id,
        cells: [
          sprintName(sprint),
          formatNumber(sprint[`committed_${unit}`]),
          formatNumber(sprint[`completed_${unit}`]),
          formatNumber(sprint[`unfinished_${unit}`]),
          ...(inPoints ? [formatNumber(sprint.completed_count)] : []),
        ],
      }))}
    />
  );
}
