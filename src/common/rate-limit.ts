import { LRUCache } from 'lru-cache';

/** Callers that are remembered at once; whoever is forgotten begins anew. */
const MOST_CALLERS = 10_000;

interface Bucket {
  /** Requests that may be made at once. */
  left: number;
  /** When that was so (epoch milliseconds). */
  at: number;
}

/** What a caller is told (draft-ietf-httpapi-ratelimit-headers). */
export interface Quota {
  allowed: boolean;
  headers: Record<string, string>;
}

/**
 * So many requests a minute for each caller: a bucket that is full at first, and fills up again evenly.
 * Each process counts for itself.
 */
export class RateLimit {
  private readonly buckets = new LRUCache<string, Bucket>({ max: MOST_CALLERS });

  /** @param perMinute 0: no limit */
  constructor(private readonly perMinute: number) {}

  get isOn(): boolean {
    return this.perMinute > 0;
  }

  /** Counts a request. */
  take(caller: string, now: number): Quota {
    const bucket = this.bucketOf(caller, now);
    const allowed = bucket.left >= 1;
    if (allowed) bucket.left -= 1;
    return { allowed, headers: this.describe(bucket, allowed) };
  }

  /** Takes a request back that did not count. */
  giveBack(caller: string, now: number): Quota {
    const bucket = this.bucketOf(caller, now);
    bucket.left = Math.min(this.perMinute, bucket.left + 1);
    return { allowed: true, headers: this.describe(bucket, true) };
  }

  private bucketOf(caller: string, now: number): Bucket {
    const bucket = this.buckets.get(caller) ?? { left: this.perMinute, at: now };
    const filled = (Math.max(0, now - bucket.at) / 60_000) * this.perMinute;
    bucket.left = Math.min(this.perMinute, bucket.left + filled);
    bucket.at = now;
    this.buckets.set(caller, bucket);
    return bucket;
  }

  private describe({ left }: Bucket, allowed: boolean): Record<string, string> {
    const secondsFor = (requests: number): number => Math.ceil((requests * 60) / this.perMinute);
    const headers: Record<string, string> = {
      'RateLimit-Policy': `"default";q=${this.perMinute};w=60`,
      RateLimit: `"default";r=${Math.floor(left)};t=${secondsFor(this.perMinute - left)}`,
    };
    if (!allowed) headers['Retry-After'] = String(Math.max(1, secondsFor(1 - left)));
    return headers;
  }
}

/**
 * Who an address belongs to: of IPv6 everybody has a network of 64 bits, and may use any part of it. A
 * client that has hung up has no address any more.
 */
export function networkOf(address = ''): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  if (tail !== undefined) groups.push(...Array<string>(8 - groups.length - rest.length).fill('0'));
  return `${[...groups, ...rest].slice(0, 4).join(':')}::/64`;
}
