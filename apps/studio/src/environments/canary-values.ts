import type { components } from '../api/schema.ts'

type Canary = components['schemas']['Canary']
export type StagePlan = Canary['stages'][number]

/** A stage in the form: number fields hold text. */
export interface StageFields {
  readonly percent: string
  readonly minutes: string
  readonly requests: string
}

const SECONDS = 60

/** The form fields of stored stages. */
export const stageFields = (stages: readonly StagePlan[]): readonly StageFields[] =>
  stages.map(({ percent, duration_s: seconds, min_requests: requests }) => ({
    percent: String(percent),
    minutes: String(seconds / SECONDS),
    requests: requests === undefined || requests === 0 ? '' : String(requests),
  }))

/** The stages of a request. */
export const stagesOf = (fields: readonly StageFields[]): StagePlan[] =>
  fields.map(({ percent, minutes, requests }) => ({
    percent: Number(percent),
    duration_s: Math.round(Number(minutes) * SECONDS),
    ...(requests !== '' && { min_requests: Number(requests) }),
  }))

/** Adds a stage with twice the share of the last one and the same duration. */
export function nextStage(fields: readonly StageFields[]): StageFields {
  const last = fields.at(-1)
  if (last === undefined) return { percent: '5', minutes: '30', requests: '' }
  return { ...last, percent: String(Math.min(50, Number(last.percent) * 2 || 10)) }
}

/** An input with masked values, as recordings store it. Paths apply to each item of a list. */
export function masked(value: unknown, paths: readonly string[]): unknown {
  return paths.reduce((input, path) => maskedAt(input, path.split('.')), value)
}

function maskedAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return '***'
  if (Array.isArray(value)) return value.map((item: unknown) => maskedAt(item, [name, ...rest]))
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value
  const entries = Object.entries(value)
  return Object.fromEntries(entries.map(([key, member]) => [key, key === name ? maskedAt(member, rest) : member]))
}

/** A list with one item moved by an offset. */
export function moved<Item>(items: readonly Item[], from: number, by: number): readonly Item[] {
  const to = Math.max(0, Math.min(items.length - 1, from + by))
  const others = items.filter((_, index) => index !== from)
  return [...others.slice(0, to), ...items.slice(from, from + 1), ...others.slice(to)]
}
