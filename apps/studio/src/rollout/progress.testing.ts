import type { Execution, Stage } from './progress.ts'

/** A stage of ten minutes that has not begun. */
export const stage = (index: number, more: Partial<Stage> = {}): Stage => ({
  index,
  percent: 10,
  duration_s: 600,
  min_requests: 0,
  begun_at: null,
  ends_at: null,
  ended_at: null,
  requests: { canary: 0, stable: 0 },
  errors: { canary: 0, stable: 0 },
  ...more,
})

/** An execution in `prod` that is about to begin its first stage. */
export const execution = (more: Partial<Execution>): Execution => ({
  id: 'e',
  release_id: 'r',
  status: 'running',
  step: 'canary',
  environment: 'prod',
  stage: null,
  expected: [],
  servers: [],
  started_at: '2026-01-01T10:00:00Z',
  ended_at: null,
  error: null,
  ...more,
})
