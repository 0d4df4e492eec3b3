/** Returns an issue in the form of `gh issue list --json`. */
export const ghIssue = (number: number, more: object = {}): object => ({
  assignees: [],
  body: '',
  closedAt: null,
  labels: [],
  milestone: null,
  number,
  state: 'OPEN',
  title: `Issue ${number}`,
  ...more,
});
