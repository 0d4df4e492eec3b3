import { api } from '../../api/client';
import type { ApiError } from '../../api/problem';
import type { Forecast as Data } from '../../api/types';
import { FieldNote, TextField } from '../../components/controls';
import { Figure } from '../../components/figure';
import { NoAnswer } from '../../components/no-answer';
import { Table } from '../../components/table';
import { query, setQuery } from '../../router';
import { useAnswer, useSettled } from '../../util/answer';
import { parseNumber } from '../../util/number';
import { formatDate, formatDay, formatLongDay, formatNumber, plural } from '../../util/format';

/** Milliseconds after the last key until the forecast is requested. */
const TYPED_MS = 300;

const NAMES = ['points', 'stories', 'sprint_days'] as const;

/** The typed parameters of the forecast, which are in the URL. */
type Asked = Record<(typeof NAMES)[number], string>;

/** The number of completed sprints that a forecast needs. */
const MIN_COMPLETED = 3;

interface ForecastProps {
  board: string;
  input: string;
  /** The number of completed sprints. */
  completed: number;
}

/** The forecast: when the backlog is done, and what the next sprint completes at least. */
export function Forecast({ completed, ...props }: ForecastProps) {
  return completed < MIN_COMPLETED ? <NoForecast /> : <RequestedForecast {...props} />;
}

function NoForecast() {
  return (
    <section class="figure" aria-label="Forecast">
      <div class="figure-head">
        <h2>Forecast</h2>
      </div>
      <p class="empty">
        When the backlog will be done, and with how much confidence. The forecast is based on the
        completed sprints of the board and needs at least three.
      </p>
    </section>
  );
}

function RequestedForecast({ board, input }: Omit<ForecastProps, 'completed'>) {
  const asked: Asked = {
    points: query.value.get('points') ?? '',
    stories: query.value.get('stories') ?? '',
    sprint_days: query.value.get('sprint_days') ?? '',
  };
  const search = useSettled(searchOf(asked), TYPED_MS);
  const load = async () => {
    const query = Object.fromEntries(new URLSearchParams(search)) as Record<string, never>;
    const params = { path: { board_name: board }, query };
    const answer = await api.GET('/api/boards/{board_name}/forecast', { params });
    return { ...(answer.data as Data), search };
  };
  const answer = useAnswer(load, [board, input, search], board);
  const { data, error } = answer;

  // Someone else has reopened a sprint.
  if (error?.code === 'not_enough_history') return <NoForecast />;
  const href = `/api/boards/${encodeURIComponent(board)}/forecast`;
  // The picture uses the parameters of the last answer, not half-typed ones.
  const valid = data?.search ?? '';
  return (
    <Figure
      title="Forecast"
      name={`Forecast of ${board}`}
      href={valid ? `${href}?${valid}` : href}
      file={`${board} forecast`}
      input={input}
      words={
        <>
          {data && !error && <Words data={data} />}
          <Inputs asked={asked} data={data} error={error} />
        </>
      }
      table={() => (data ? <ForecastTable data={data} /> : <NoAnswer {...answer} />)}
    />
  );
}

function searchOf(asked: Asked): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) {
    // The service rejects NaN.
    if (value.trim()) params.set(name, String(parseNumber(value)));
  }
  return params.toString();
}

/** The confidence, in percent, that the text uses. */
const LIKELY = 85;

function Words({ data }: { data: Data }) {
  const when = data.when.find(({ percent }) => percent === LIKELY);
  const next = data.next_sprint.find(({ percent }) => percent === LIKELY);
  if (!when || !next) return null;
  const { points, stories } = data.asked;
  const work =
    points !== null
      ? `${plural(points, 'point')} of work`
      : stories !== null
        ? plural(stories, 'story', 'stories')
        : 'the backlog';
  const isPlural = (points ?? stories ?? 1) !== 1;
  const least =
    next.points > 0 ? plural(next.points, 'point') : plural(next.count, 'story', 'stories');
  return (
    <p class="words" role="status">
      {points === null && stories === null && data.backlog.count === 0 ? (
        <>The backlog is empty</>
      ) : (
        <>
          With <span class="whole">{formatNumber(LIKELY)} %</span> confidence {work}{' '}
          {isPlural ? 'are' : 'is'}{' '}
          {when.date !== null && when.sprints !== null ? (
            <>
              done by <strong class="whole">{formatLongDay(when.date)}</strong> (
              {plural(when.sprints, 'sprint')})
            </>
          ) : when.sprints !== null ? (
            <>
              done in <strong>{plural(when.sprints, 'sprint')}</strong>
            </>
          ) : (
            <>not done within {plural(1000, 'sprint')}</>
          )}
        </>
      )}
      , and the next sprint completes at least <strong class="whole">{least}</strong>.
    </p>
  );
}

interface InputsProps {
  asked: Asked;
  data: Data | null;
  error: ApiError | null;
}

/** The error of a text that is no number, which the service cannot describe: it receives NaN. */
function errorOf(name: keyof Asked, text: string): string | undefined {
  if (!text.trim() || !Number.isNaN(parseNumber(text))) return undefined;
  const digits = name === 'points' ? 'Digits with at most two decimals.' : 'Digits only.';
  return `${digits} Write 1000 without a separator.`;
}

/** The fields for the parameters of the forecast. */
function Inputs({ asked, data, error }: InputsProps) {
  const input = (name: keyof Asked, label: string, other?: keyof Asked) => (
    <TextField
      label={label}
      error={errorOf(name, asked[name]) ?? error?.detailOf(name)}
      inputMode={name === 'points' ? 'decimal' : 'numeric'}
      autocomplete="off"
      value={asked[name]}
      onText={(text) => setQuery({ [name]: text || null, ...(other && { [other]: null }) })}
    />
  );
  return (
    <form class="inputs" noValidate onSubmit={(event) => event.preventDefault()}>
      {input('points', 'Points', 'stories')}
      {input('stories', 'Stories', 'points')}
      {input('sprint_days', 'Sprint days')}
      {error && !NAMES.some((name) => error.detailOf(name)) && <FieldNote error={error.message} />}
      {data && (
        <p class="field-hint">
          Leave empty for the whole backlog: {plural(data.backlog.count, 'story', 'stories')} with{' '}
          {plural(data.backlog.points, 'point')}, without those in sprints. The next sprint begins
          on {formatDay(data.asked.from)} and has {plural(data.asked.sprint_days, 'day')}.
        </p>
      )}
    </form>
  );
}

function ForecastTable({ data }: { data: Data }) {
  return (
    <Table
      name="Numbers of the forecast"
      head={['Confidence', 'Done by', 'Sprints', 'Next sprint, points', 'Next sprint, stories']}
      rows={data.when.map(({ percent, sprints, date }, i) => {
        const next = data.next_sprint[i];
        return {
          key: percent,
          cells: [
            `${formatNumber(percent)} %`,
            date === null ? '–' : formatDate(date),
            sprints === null ? `over ${formatNumber(1000)}` : formatNumber(sprints),
            next ? formatNumber(next.points) : '–',
            next ? formatNumber(next.count) : '–',
          ],
        };
      })}
    />
  );
}
