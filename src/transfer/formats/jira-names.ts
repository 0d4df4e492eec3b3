import { comparable, lookup } from '../import/known-names';

// The names that Jira gives to columns and types in English, German, Spanish, French and Portuguese.

const NAMES = {
  external_id:
    'issue key, key, work item key, ticket key, vorgangsschlüssel, schlüssel, vorgang, clave de incidencia, clave,' +
    'clave de la incidencia, clave de actividad, clé de ticket, clé, clé de demande, clé du ticket,' +
    'chave da item, chave do item, chave, chave do ticket, chave da pendência, chave do problema',
  id:
    'issue id, work item id, vorgangs-id, vorgangs id, id de la incidencia, id de incidencia, id de actividad,' +
    'id de ticket, id du ticket, id de demande, identifiant du ticket, id da item, id do item, id do ticket,' +
    'id da pendência',
  title: 'summary, zusammenfassung, resumen, résumé, resumo, sumário',
  type:
    'issue type, work item type, work type, issuetype, vorgangstyp, typ, tipo de incidencia, tipo de actividad,' +
    'tipo de la incidencia, type de ticket, type de demande, type, tipo de item, tipo do item, tipo de ticket,' +
    'tipo de pendência, tipo de problema, tipo',
  description: 'description, beschreibung, descripción, descrição',
  status: 'status, state, estado, état, statut, situação',
  status_category:
    'status category, statuskategorie, categoría de estado, categoría del estado,' +
    "catégorie d'état, catégorie de l'état, catégorie de statut, catégorie du statut, catégorie d'état du ticket," +
    'categoria do status, categoria de status, categoria do estado, categoria de estado',
  priority: 'priority, priorität, prioridad, priorité, prioridade',
  points:
    'story points, story point, storypoints, story point estimate, story points estimate, points,' +
    'story point estimation, story-punkte, story-points, story point-schätzung, story-point-schätzung,' +
    'storypunkte, puntos de historia, puntos de la historia, estimación de puntos de historia,' +
    'estimación de story points, estimación de story point, puntos de historia estimados,' +
    "points d'histoire, points de story, points d'effort, estimation des story points," +
    "estimation de story points, estimation en story points, estimation des points d'histoire," +
    'pontos de história, pontos da história, pontos de story, estimativa de pontos de história,' +
    'estimativa de story points, estimativa de story point, estimativa de pontos da história',
  assignee:
    'assignee, zugewiesene person, bearbeiter, zugewiesen an, persona asignada, responsable, asignado a,' +
    'asignado, personne assignée, attribution, responsável, pessoa responsável, cessionário, atribuído a',
  labels: 'labels, label, stichwörter, etiketten, etiquetas, étiquettes, categorias, rótulos',
  sprint: 'sprint, sprints',
  parent:
    'parent, parent key, parent id, übergeordnet, übergeordneter vorgang, übergeordneter schlüssel,' +
    'übergeordnete id, parent-id, principal, clave principal, id principal, clave de la principal, padre,' +
    'id padre, clave padre, clé parent, clé parente, clé du parent, id parent, id du parent,' +
    'chave pai, chave do pai, id pai, id do pai, pai, item pai, chave do item pai',
  parent_title:
    'parent summary, übergeordnete zusammenfassung, zusammenfassung des übergeordneten vorgangs,' +
    'resumen principal, resumen de la principal, résumé du parent, résumé parent, resumo do pai, resumo pai',
  epic:
    'epic link, epic-link, epic-verknüpfung, epos-verknüpfung, epic verknüpfung, enlace de épica,' +
    "vínculo de las épicas, vínculo de épica, enlace épico, lien d'epic, lien epic, lien de l'epic," +
    "lien d'épopée, link do epic, link do épico, link de epic, vínculo do épico",
  epic_title: 'epic link summary, epic link zusammenfassung',
  epic_name:
    "epic name, epic-name, epos-name, epos name, nombre de épica, nombre de la épica, nom d'epic, nom de l'epic," +
    "nom d'épopée, nome do epic, nome do épico, nome de epic",
  done_at:
    'resolved, resolution date, resolutiondate, erledigt, gelöst, lösungsdatum, resuelta, resuelto,' +
    'fecha de resolución, résolu, résolue, résolu(e), résolution le, date de résolution, resolvido, resolvida,' +
    'resolvido(a), data de resolução',
  done_since:
    'status category changed, statuskategorie geändert, categoría de estado modificada,' +
    "categoría de estado cambiada, catégorie d'état modifiée, catégorie de statut modifiée," +
    'categoria do status alterada, categoria de status alterada',
  rank: 'rank, rang, rango, classement, classificação',
};
export type JiraField = keyof typeof NAMES;
export const JIRA_FIELDS = Object.keys(NAMES) as JiraField[];

const FIELDS = lookup(JIRA_FIELDS.map((field) => [field, NAMES[field]] as const));

const CUSTOM =
  /^(?:custom fields?|benutzerdefinierte felder|benutzerdefiniertes feld|campos? personalizados?|champs? personnalises?) ?\((.+)\)$/;

/** Names that a team may give to its points, such as `Story Points (SP)`, but not `Original Story Points`. */
const POINTS =
  /^(?!.*\b(original|initial|completed|remaining|actual|spent|total)\b).*\bstory ?points?\b/;

/** The fields that are custom fields in Jira; another custom field with the name of a field is a team's own. */
const CUSTOM_FIELDS = new Set<JiraField | null>([
  'points',
  'sprint',
  'epic',
  'epic_title',
  'epic_name',
  'rank',
]);

/** Returns the field of a Jira column; null if its name is unknown. */
export function jiraField(column: string): JiraField | null {
  const name = comparable(column);
  const custom = CUSTOM.exec(name)?.[1];
  const own = custom ?? name;
  const field = FIELDS.get(own) ?? (POINTS.test(own) ? 'points' : null);
  return custom === undefined || CUSTOM_FIELDS.has(field) ? field : null;
}

const DATE_COLUMNS = new Set(
  (
    'created, updated, resolved, due date, last viewed, erstellt, aktualisiert, erledigt, zuletzt angezeigt,' +
    'fälligkeitsdatum, creada, creado, actualizada, actualizado, resuelta, fecha de vencimiento, última visualización,' +
    "créé, création, mis à jour, mise à jour, résolu, date d'échéance, dernière consultation," +
    'criado, criado(a), atualizado, atualizado(a), resolvido, resolvido(a), data limite, última visualização'
  )
    .split(',')
    .map(comparable),
);

/** Whether Jira writes dates into a column, by its name. */
export const isDateColumn = (column: string): boolean => DATE_COLUMNS.has(comparable(column));

const EPIC = /^(epic|epica|epico|epopee|epos|initiative|iniciativa|theme|legend|capability)s?$/;
const SUBTASK =
  /\b(sub ?(task|bug|story|issue|item|defect|imp|tarea|tarefa|historia)|unter(aufgabe|vorgang)|teilaufgabe|sous tache|technical task)/;
const STORY =
  /^(story|user story|task|bug|improvement|new feature|spike|defect|incident|change|test|historia|historia de usuario|aufgabe|fehler|verbesserung|neue funktion|tarea|error|mejora|nueva funcion|recit|tache|bogue|amelioration|nouvelle fonctionnalite|tarefa|erro|falha|melhoria|novo recurso|nova funcionalidade)$/;

/** Returns the kind of issues of a Jira type; null if the name of the type is unknown. */
export function kindOf(type: string): 'epic' | 'story' | 'subtask' | null {
  const name = comparable(type);
  if (SUBTASK.test(name)) return 'subtask';
  if (EPIC.test(name)) return 'epic';
  return STORY.test(name) ? 'story' : null;
}
