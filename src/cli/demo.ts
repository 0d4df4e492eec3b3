/** A story of the demo board. Days count from the start of its sprint. */
export interface DemoStory {
  title: string;
  description?: string;
  points?: number;
  priority?: number;
  assignee?: string;
  labels?: string[];
  tasks?: string[];
  /** The day on which it was added to the running sprint; without one it was planned. */
  added?: number;
  started?: number;
  done?: number;
}

export interface DemoSprint {
  name: string;
  goal: string;
  /** The day of its start, counted from the start of the current sprint; each takes two weeks. */
  day: number;
  stories: DemoStory[];
}

/** The sprints of a team of four that builds a ticket shop. */
export const SPRINTS: DemoSprint[] = [
  {
    name: 'Sprint 11',
    goal: 'Visitors can buy a ticket without an account.',
    day: -14,
    stories: [
      {
        title: 'Buy a ticket as a guest',
        description: 'Name and mail address are enough. The order is found again by its number.',
        points: 8,
        priority: 1,
        assignee: 'Amira',
        labels: ['checkout'],
        tasks: ['Order form', 'Order number in the mail', 'Keep the cart for a day'],
        started: 0,
        done: 4,
      },
      {
        title: 'Pay by card',
        points: 5,
        priority: 1,
        assignee: 'Jonas',
        labels: ['checkout', 'payment'],
        tasks: ['Sandbox account', 'Webhook of the provider'],
        started: 0,
        done: 7,
      },
      {
        title: 'Send the ticket as a PDF',
        points: 3,
        priority: 2,
        assignee: 'Mei',
        labels: ['mail'],
        started: 1,
        done: 3,
      },
      {
        title: 'Show how many seats are left',
        points: 3,
        priority: 3,
        assignee: 'Mei',
        labels: ['event page'],
        started: 4,
        done: 8,
      },
      {
        title: 'Refund an order from the back office',
        points: 5,
        priority: 3,
        assignee: 'Tomás',
        labels: ['payment', 'back office'],
        started: 9,
      },
      {
        title: 'Card payments fail for amounts with cents',
        points: 2,
        priority: 1,
        assignee: 'Jonas',
        labels: ['bug', 'payment'],
        added: 8,
        started: 8,
        done: 9,
      },
    ],
  },
  {
    name: 'Sprint 12',
    goal: 'The doors open: tickets are checked with a phone.',
    day: 0,
    stories: [
      {
        title: 'Scan a ticket at the door',
        description: 'Works without a network for an hour; a second scan of a ticket is refused.',
        points: 8,
        priority: 1,
        assignee: 'Amira',
        labels: ['door'],
        tasks: ['Read the code with the camera', 'Keep scans on the phone', 'Second scan'],
        started: 0,
      },
      {
        title: 'List of guests for the door',
        points: 3,
        priority: 2,
        assignee: 'Mei',
        labels: ['door'],
        started: 0,
        done: 2,
      },
      {
        title: 'Reserve seats for ten minutes',
        points: 5,
        priority: 2,
        assignee: 'Jonas',
        labels: ['checkout'],
        tasks: ['Count down in the cart', 'Give back what has run out'],
        started: 1,
        done: 4,
      },
      {
        title: 'Discount codes',
        points: 5,
        priority: 3,
        assignee: 'Tomás',
        labels: ['checkout'],
        started: 3,
      },
      {
        title: 'Event pages load in under a second',
        points: 3,
        priority: 3,
        labels: ['event page'],
      },
      {
        title: 'Mails to some providers land in spam',
        points: 2,
        priority: 1,
        assignee: 'Mei',
        labels: ['bug', 'mail'],
        added: 3,
        started: 3,
        done: 4,
      },
    ],
  },
  {
    name: 'Sprint 13',
    goal: 'Organisers see what sells.',
    day: 14,
    stories: [
      { title: 'Sales by day and category', points: 5, priority: 2, labels: ['back office'] },
      { title: 'Export orders as CSV', points: 2, priority: 2, labels: ['back office'] },
      { title: 'Waiting list for sold-out events', points: 8, priority: 3, labels: ['checkout'] },
    ],
  },
];

export const BACKLOG: DemoStory[] = [
  { title: 'Pay by bank transfer', points: 5, priority: 3, labels: ['payment'] },
  { title: 'Tickets in the wallet of the phone', points: 8, priority: 4, labels: ['mail'] },
  { title: 'Event pages in French', points: 3, priority: 4, labels: ['event page'] },
  { title: 'Choose a seat on a plan', points: 13, priority: 5, labels: ['checkout'] },
  {
    title: 'Remind visitors the day before',
    description: 'With the way to the venue and the opening times.',
    points: 2,
    priority: 4,
    labels: ['mail'],
  },
  { title: 'Which reports does accounting need?', labels: ['back office', 'question'] },
];
