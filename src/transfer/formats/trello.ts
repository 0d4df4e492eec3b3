import { withPauses } from '../../time/time-slice';
import { requireFields } from '../files/columns';
import { InvalidFile } from '../files/invalid-file';
import { fieldsOf, listOf, readJson, textOf, textsOf } from '../files/json';
import { sorted } from '../files/sorted';
import {
  Warnings,
  type SourceFile,
  type SourceReader,
  type SourceStory,
  type SourceTask,
} from '../files/source';
import { IgnoredFields } from '../import/ignored';
import type { Mapping, SkippedRow } from '../import/import.dto';
import { TrelloFields, type CardValues, type TrelloCard } from './trello-fields';

/**
 * A board as Trello exports it (JSON). Its lists are statuses: Trello has no sprints, and a list that is
 * named after one has no dates.
 */
export const trello: SourceReader = async (file, mapping) => {
  requireFields(mapping, 'points', 'priority');
  const board = new TrelloBoard(mapping);
  await readJson(file, {
    '$.lists.*': (list) => board.addList(fieldsOf(list)),
    '$.cards.*': (card, number) => board.addCard(fieldsOf(card), number),
    '$.members.*': (member) => board.addMember(fieldsOf(member)),
    '$.labels.*': (label) => board.addLabel(fieldsOf(label)),
    '$.checklists.*': (checklist) => board.addChecklist(fieldsOf(checklist)),
    '$.customFields.*': (field) => board.fields.add(fieldsOf(field)),
    '$.actions.*': (action) => board.addAction(fieldsOf(action)),
  });
  return board.source();
};

/** The actions by which a card comes into a list of the board. */
const CREATIONS: readonly unknown[] = [
  'createCard',
  'copyCard',
  'moveCardToBoard',
  'convertToCardFromCheckItem',
  'emailCard',
];

/** The characters of the name of a member that are kept: any number of cards may name the member. */
const MAX_NAME = 500;

interface List {
  name: string;
  closed: boolean;
  position: number;
}

interface Card extends TrelloCard {
  line: number;
  id: string | null;
  description: string | null;
  closed: boolean;
  list: string;
  position: number;
  members: string[];
  labels: string[];
  labelIds: string[];
}

interface CardTask {
  position: number;
  member: string | null;
  task: SourceTask;
}

class TrelloBoard {
  private readonly lists = new Map<string, List>();
  private readonly cards: Card[] = [];
  private readonly members = new Map<string, string>();
  private readonly labels = new Map<string, string>();
  /** By the id of the card. */
  private readonly tasks = new Map<string, CardTask[]>();
  private readonly items = new Set<string>();
  readonly fields = new TrelloFields();
  /** When a card entered a list, by the ids of the card and the list. */
  private readonly arrivals = new Map<string, string>();
  /** When an item of a checklist was completed. */
  private readonly completions = new Map<string, string>();
  private readonly skipped: SkippedRow[] = [];
  private readonly warnings = new Warnings('entry');
  private readonly ignored = new IgnoredFields();

  constructor(private readonly mapping: Mapping) {}

  addList(list: Record<string, unknown>): void {
    const id = textOf(list.id);
    if (id === null) return;
    const closed = list.closed === true;
    this.lists.set(id, { name: textOf(list.name) ?? '', closed, position: numberOf(list.pos) });
  }

  addMember(member: Record<string, unknown>): void {
    const name = textOf(member.fullName) ?? textOf(member.username);
    if (name) this.members.set(textOf(member.id) ?? '', name.slice(0, MAX_NAME));
  }

  addLabel(label: Record<string, unknown>): void {
    this.labels.set(textOf(label.id) ?? '', textOf(label.name) ?? '');
  }

  addCard(card: Record<string, unknown>, line: number): void {
    const id = textOf(card.id);
    const title = textOf(card.name) ?? '';
    if (textOf(card.cardRole) === 'separator') {
      this.skipped.push({ line, code: 'separator', detail: 'the card is a separator' });
      return;
    }
    // Templates are imported, because they are cards of a list like others.
    if (card.isTemplate === true) this.warnings.at('template', line, `"${title.slice(0, 100)}"`);
    const badges = fieldsOf(card.badges);
    this.ignored.count('due', card.due ? 1 : 0);
    this.ignored.count('start', card.start ? 1 : 0);
    this.ignored.count('dueComplete', card.dueComplete === true ? 1 : 0);
    this.ignored.count('comments', countOf(badges.comments));
    this.ignored.count('attachments', countOf(badges.attachments));
    this.cards.push({
      line,
      id,
      title,
      description: textOf(card.desc),
      closed: card.closed === true,
      list: textOf(card.idList) ?? '',
      position: numberOf(card.pos),
      members: textsOf(card.idMembers),
      labels: listOf(card.labels).flatMap((label) => textOf(fieldsOf(label).name) ?? []),
      labelIds: textsOf(card.idLabels),
      values: new Map(
        listOf(card.customFieldItems).map((item) => {
          const fields = fieldsOf(item);
          return [textOf(fields.idCustomField) ?? '', fields];
        }),
      ),
    });
    // In an export by the API, cards may contain their checklists.
    for (const checklist of listOf(card.checklists)) {
      this.addChecklist({ idCard: id, ...fieldsOf(checklist) });
    }
  }

  addChecklist(checklist: Record<string, unknown>): void {
    const card = textOf(checklist.idCard) ?? '';
    const tasks = this.tasks.get(card) ?? [];
    const items = listOf(checklist.checkItems).map(fieldsOf);
    for (const item of items.toSorted((a, b) => numberOf(a.pos) - numberOf(b.pos))) {
      const id = textOf(item.id);
      if (id !== null && this.items.has(id)) continue;
      if (id !== null) this.items.add(id);
      const isDone = item.state === 'complete';
      this.ignored.count('due of checklist items', item.due ? 1 : 0);
      tasks.push({
        position: numberOf(checklist.pos),
        member: textOf(item.idMember),
        task: {
          line: 0,
          external_id: id === null ? null : `trello:${id}`,
          title: textOf(item.name) ?? '',
          status: {
            name: isDone ? 'checked item' : 'unchecked item',
            category: isDone ? 'done' : 'todo',
          },
          assignee: null,
          done: null,
        },
      });
    }
    this.tasks.set(card, tasks);
  }

  /** Adds an entry of the board's history; an export has the latest 1,000 or so. */
  addAction(action: Record<string, unknown>): void {
    const { type, date } = action;
    const data = fieldsOf(action.data);
    const at = textOf(date);
    if (at === null) return;
    const card = textOf(fieldsOf(data.card).id) ?? '';
    const latest = (times: Map<string, string>, key: string): void => {
      if (at > (times.get(key) ?? '')) times.set(key, at);
    };
    if (type === 'updateCard' && data.listAfter) {
      latest(this.arrivals, `${card} ${textOf(fieldsOf(data.listAfter).id) ?? ''}`);
    } else if (CREATIONS.includes(type)) {
      latest(this.arrivals, `${card} ${textOf(fieldsOf(data.list).id) ?? ''}`);
    } else if (type === 'updateCheckItemStateOnCard') {
      const item = fieldsOf(data.checkItem);
      if (item.state === 'complete') latest(this.completions, textOf(item.id) ?? '');
    }
  }

  /** @throws InvalidFile if the file is not a board, or the board is empty */
  async source(): Promise<SourceFile> {
    if (this.cards.length + this.skipped.length === 0) {
      throw new InvalidFile(
        this.lists.size === 0
          ? 'The file has neither cards nor lists, so it is not a Trello board.'
          : 'The board has no cards.',
      );
    }
    const cards = await sorted(
      this.cards,
      (a, b) => this.listPosition(a) - this.listPosition(b) || a.position - b.position,
    );
    const points = await this.fields.points(cards, this.mapping.columns?.points);
    const priorities = this.fields.priorities(this.mapping.columns?.priority);
    const stories: SourceStory[] = [];
    for await (const card of withPauses(cards)) {
      stories.push(this.story(card, points, priorities));
      for (const name of this.fields.unread(card, [points, priorities])) this.ignored.count(name);
    }
    this.ignored.addTo(this.warnings);
    const { skipped, warnings } = this;
    const lacks = {
      sprints: true,
      points: !points,
      priority: !priorities,
      // An export of the API has the names of members only if they were requested.
      assignee: this.members.size === 0,
      tasks: this.mapping.subtasks === 'skip',
    };
    return { sprints: [], stories, skipped, warnings, lacks };
  }

  private story(card: Card, points: CardValues | null, priorities: CardValues | null): SourceStory {
    const { line, id, title, description, list } = card;
    const inList = this.lists.get(list);
    const labels =
      card.labels.length > 0
        ? card.labels
        : card.labelIds.map((label) => this.labels.get(label) ?? '');
    return {
      line,
      external_id: id === null ? null : `trello:${id}`,
      title: points?.titles?.get(card) ?? title,
      description,
      status: inList ? { name: inList.name } : null,
      priority: priorities?.of(card) ?? null,
      points: points?.of(card) ?? null,
      assignee: this.assignee(card),
      labels: labels.filter((label) => label !== ''),
      epic: null,
      sprints: [],
      done: this.arrivals.get(`${id ?? ''} ${list}`) ?? null,
      archived: card.closed || inList?.closed === true,
      parent: null,
      tasks: this.mapping.subtasks === 'skip' ? [] : this.tasksOf(card),
    };
  }

  private assignee({ line, members }: Card): string | null {
    const names = members.flatMap((id) => this.members.get(id) ?? []);
    if (names.length < members.length) {
      // The export lists only current members, but cards keep the ids of former members.
      this.ignored.count('members who are not in the file', members.length - names.length);
    }
    const [first = null, ...others] = new Set(names);
    if (others.length > 0) {
      this.warnings.at('other_assignees', line, others.join(', '));
    }
    return first;
  }

  /** Removes and returns the tasks of a card: another card with the same id, or without one, must not get them. */
  private tasksOf({ line, id }: Card): SourceTask[] {
    const tasks = this.tasks.get(id ?? '') ?? [];
    this.tasks.delete(id ?? '');
    return tasks
      .toSorted((a, b) => a.position - b.position)
      .map(({ member, task }) => ({
        ...task,
        line,
        assignee: member === null ? null : (this.members.get(member) ?? null),
        done: this.completions.get(task.external_id?.slice('trello:'.length) ?? '') ?? null,
      }));
  }

  /** Cards of lists that are not in the file come last. */
  private listPosition({ list }: Card): number {
    return this.lists.get(list)?.position ?? Number.MAX_VALUE;
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.MAX_VALUE);

const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value < 10_000 ? value : 0;
