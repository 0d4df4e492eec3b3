import type { Status } from '../../stories/story.entity';

/** No known or mapped name is longer. */
export const MAX_NAME = 255;

/** How names of statuses, priorities and columns are compared. */
export const comparable = (name: string): string =>
  name
    // The time of normalization is quadratic in the length of a run of combining marks.
    .slice(0, MAX_NAME)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('’', "'")
    // Many teams decorate the names of their columns: "✅ Done!".
    .replace(/[^\p{L}\p{N}'()]+/gu, ' ')
    .trim();

/** Normalizes a name of a mapping or of the file for comparison: case and outer spaces are ignored. */
export const inLowerCase = (name: string): string => name.trim().toLowerCase();

/** The entries of a mapping, by the lower-case names to look them up with. */
export const byName = <Value>(names: Readonly<Record<string, Value>> = {}): Map<string, Value> =>
  new Map(Object.entries(names).map(([name, value]) => [inLowerCase(name), value]));

export const lookup = <Value>(names: readonly (readonly [Value, string])[]): Map<string, Value> =>
  new Map(
    names.flatMap(([value, list]) =>
      list.split(',').map((name) => [comparable(name), value] as const),
    ),
  );

/** In English, German, Spanish, French and Portuguese, as the tools name the statuses of a new project. */
const STATUSES = lookup<Status>([
  [
    'todo',
    'to do, todo, open, reopened, new, backlog, product backlog, icebox, triage, ready, ready for dev,' +
      'ready for development, selected, selected for development, planned, unstarted, not started, draft,' +
      'zu erledigen, offen, erneut geöffnet, neu, bereit, geplant, ausgewählt, aufgaben,' +
      'ausgewählt für entwicklung, zur entwicklung ausgewählt, nicht begonnen,' +
      'por hacer, tareas por hacer, pendiente, abierto, abierta, reabierto, nuevo, nueva, listo para desarrollo,' +
      'seleccionado para desarrollo, planificado,' +
      'à faire, ouvert, ouverte, rouvert, réouvert, nouveau, nouvelle, prêt, planifié, en attente de traitement,' +
      'sélectionné pour le développement, non commencé,' +
      'a fazer, tarefas pendentes, pendente, aberto, aberta, reaberto, novo, nova, pronto para desenvolvimento,' +
      'selecionado para desenvolvimento, itens pendentes, planejado, planeado, não iniciado',
  ],
  [
    'in_progress',
    'in progress, doing, started, in development, development, in review, review, code review,' +
      'under review, in testing, testing, in test, in qa, qa, ready for review, ready for test,' +
      'ready for testing, wip, work in progress, implementing,' +
      'in arbeit, in bearbeitung, in entwicklung, in prüfung, wird überprüft, im test, in überprüfung,' +
      'en curso, en progreso, en proceso, en desarrollo, en revisión, revisión, haciendo, en pruebas,' +
      'en cours, en cours de revue, en revue, revue en cours, en développement, en révision, en test,' +
      'em andamento, em progresso, em curso, em desenvolvimento, em revisão, em análise, fazendo, em teste, em testes',
  ],
  [
    'done',
    'done, closed, resolved, completed, complete, finished, canceled, cancelled, duplicate, released,' +
      "deployed, won't do, won't fix, wontfix, archived," +
      'fertig, erledigt, geschlossen, gelöst, abgeschlossen, abgebrochen, beendet,' +
      'hecho, hecha, listo, terminado, terminada, finalizado, finalizada, cerrado, cerrada, resuelto, resuelta,' +
      'cancelado, cancelada, completado, completada, acabado, acabada,' +
      'terminé, terminée, terminé(e), fini, fermé, fermée, résolu, résolue, annulé, annulée, achevé, clos,' +
      'feito, concluído, concluída, itens concluídos, fechado, fechada, resolvido, resolvida, pronto, finalizados',
  ],
]);

export const statusOf = (name: string): Status | undefined => STATUSES.get(comparable(name));

const PRIORITIES = lookup<number | null>([
  [
    1,
    'highest, blocker, urgent, immediate,' +
      'höchste, höchster, sehr hoch, dringend, am höchsten,' +
      'la más alta, más alta, el más alto, muy alta, urgente, bloqueante, bloqueador, bloqueadora, máxima,' +
      'la plus élevée, le plus élevé, le plus haut, la plus haute, plus élevée, très élevée, très haute, bloquant, bloquante, urgente, maximale,' +
      'mais alta, mais alto, a mais alta, altíssima, muito alta, mais elevada, impeditivo',
  ],
  [
    2,
    'high, critical, hoch, kritisch, alta, alto, crítica, crítico, élevée, élevé, haute, haut, critique, elevada',
  ],
  [
    3,
    'medium, normal, major, mittel, schwer, media, medio, normal, mayor, moyenne, moyen, normale, majeur, majeure, média, médio, maior',
  ],
  [
    4,
    'low, minor, niedrig, gering, leicht, baja, bajo, menor, faible, basse, bas, mineur, mineure, baixa, baixo',
  ],
  [
    5,
    'lowest, trivial, niedrigste, niedrigster, sehr niedrig, am niedrigsten, unwesentlich,' +
      'la más baja, más baja, el más bajo, muy baja, mínima,' +
      'la plus faible, le plus faible, la plus basse, le plus bas, plus faible, très faible, très basse, triviale,' +
      'mais baixa, mais baixo, a mais baixa, baixíssima, muito baixa',
  ],
  [
    null,
    'none, no priority, not set, unset, undefined, keine, keine priorität, ninguna, sin prioridad, aucune, aucun, nenhuma, sem prioridade',
  ],
]);

/** Returns the number of a priority, where 1 is the most urgent; null for names that mean no priority. */
export const priorityOf = (name: string): number | null | undefined =>
  PRIORITIES.get(comparable(name));
