import { jiraJson } from '../../../src/transfer/formats/jira-json';
import { jsonFile } from './files';
import { planOf } from './plan-of';

it('reads many issues of a page of Jira: the values of one issue are limited, not those of the page', async () => {
  const nulls = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [`customfield_${i}`, null]),
  );
  const issues = Array.from({ length: 1500 }, (_, i) => ({
    id: String(i),
    key: `A-${i}`,
    fields: {
      summary: `Issue ${i}`,
      issuetype: { name: 'Story', subtask: false, hierarchyLevel: 0 },
      status: { name: 'Open', statusCategory: { key: 'new' } },
      ...nulls,
    },
  }));
  for (const value of [{ issues }, [{ issues }], issues]) {
    const { stories } = await planOf(jiraJson, jsonFile(value, 65_536));
    expect(stories.length).toBe(1500);
  }
});
