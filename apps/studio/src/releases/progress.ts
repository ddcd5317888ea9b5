import type { components } from '../api/schema.ts'

type Release = components['schemas']['Release']

/** The progress of a release in an environment. */
export interface EnvironmentProgress {
  readonly environment: string
  readonly state: 'live' | 'running' | 'next'
}

/**
 * The environments of a release in order, each with the state of the release in it. @param at the environment in which
 * it is currently running
 */
export function progressOf(
  { environments, status }: Pick<Release, 'environments' | 'status'>,
  at: string | null | undefined,
): readonly EnvironmentProgress[] {
  const current = at === null || at === undefined ? -1 : environments.indexOf(at)
  return environments.map((environment, index) => ({
    environment,
    state: status === 'completed' || index < current ? 'live' : index === current ? 'running' : 'next',
  }))
}

type Waiting =
  | { readonly kind: 'approval'; readonly missing: number; readonly roles: readonly string[] }
  | { readonly kind: 'you' | 'start' | 'decision' }

/** The approval, start or decision that a release waits for, if any. */
export function waitingFor({
  status,
  requirements,
  allowed,
}: Pick<Release, 'status' | 'requirements' | 'allowed'>): Waiting | undefined {
  if (status === 'approved') return { kind: 'start' }
  if (status === 'paused') return { kind: 'decision' }
  if (status !== 'pending_approval') return undefined
  if (allowed.includes('approve')) return { kind: 'you' }
  const open = requirements.find(({ satisfied }) => !satisfied)
  if (open === undefined) return undefined
  const { min_count: count, approved_by: by, roles } = open
  return { kind: 'approval', missing: Math.max(1, count - by.length), roles }
}
