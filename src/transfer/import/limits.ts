import type { Type } from '@nestjs/common';
import { schemasOf } from '../../http/validation/property';
import { CreateSprint } from '../../sprints/sprint.dto';
import { CreateStory } from '../../stories/story.dto';

// The limits of requests, so that each is written once. Imports shorten longer texts.

interface Limits {
  maxLength: number;
  maxItems: number;
  maximum: number;
  items: Limits;
}

/** The limits of the fields of a request, by name. */
const limitsOf = <T extends object>(Dto: Type<T>): Record<keyof T, Limits> =>
  schemasOf(Dto) as unknown as Record<keyof T, Limits>;

export const STORY_LIMITS = limitsOf(CreateStory);
export const SPRINT_LIMITS = limitsOf(CreateSprint);
