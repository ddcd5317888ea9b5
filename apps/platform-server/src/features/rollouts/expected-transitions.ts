import { type ExpectedTransition, FAILED } from '@engine/canary'
import { isList, isObject, quote } from '@engine/expression'
import type { Scope } from '../../database/scope.ts'
import type { StoredTransition } from '../../database/stored-content.ts'
import { failures } from '../../errors.ts'
import type { ReleaseExecuteRequest } from './model.ts'
import type { Progress } from './rollout-state.ts'

/** Prefix of the result of a failed decision in an impact; the error code follows. */
const ERROR = 'error:'
/** Maximum number of transitions listed in a refusal. */
const MAX_LISTED = 10

type Wanted = NonNullable<ReleaseExecuteRequest['expect']>[number]

/**
 * The requested transitions, with the environments whose stored impact names each. Throws 400 for one that no impact
 * names, that changes nothing, or that ends in an error: failures are never expected.
 */
export async function expectedTransitions(
  scope: Scope,
  release: string,
  wanted: readonly Wanted[],
): Promise<readonly StoredTransition[]> {
  if (wanted.length === 0) return []
  const named = await namedTransitions(scope, release)
  return wanted.map(({ from, to, share }, index) => {
    const at = `/expect/${index}`
    if (from === to) throw failures.invalid(`${at}/to`, 'is the same result as `from`')
    if (to.startsWith(ERROR)) throw failures.invalid(`${at}/to`, 'is an error, and failures are never expected')
    if (wanted.findIndex((one) => one.from === from && one.to === to) < index)
      throw failures.invalid(at, 'has been named before')
    const found = named.find((one) => one.from === from && one.to === to)
    if (found === undefined) throw failures.invalid(at, unnamed({ from, to }, named))
    return { ...found, ...(share === undefined ? {} : { share }) }
  })
}

/** The transitions that apply to an environment, for the verdict of its stages. */
export const expectedIn = ({ expected = [] }: Progress, environment: string): readonly ExpectedTransition[] =>
  expected
    .filter(({ environments }) => environments.includes(environment))
    .map(({ from, to, share }) => ({ from: from.startsWith(ERROR) ? FAILED : from, to, share }))

const nameOf = ({ from, to }: Pick<Wanted, 'from' | 'to'>) => quote(`${from}->${to}`)

function unnamed(wanted: Pick<Wanted, 'from' | 'to'>, named: readonly StoredTransition[]): string {
  const listed = named.slice(0, MAX_LISTED).map(nameOf).join(', ')
  const others = named.length > MAX_LISTED ? ` and ${named.length - MAX_LISTED} more` : ''
  const known = named.length === 0 ? 'it names none' : `it names ${listed}${others}`
  return `is ${nameOf(wanted)}, which the impact of the release does not name: ${known}`
}

/**
 * The changes of results named by impacts, of recorded decisions or of any input, with the environments of these
 * impacts.
 */
async function namedTransitions(scope: Scope, release: string): Promise<readonly StoredTransition[]> {
  const rows = await scope
    .read('release_targets')
    .selectFrom('release_targets')
    .select(['environment_id', 'impact'])
    .where('release_id', '=', release)
    .where('impact', 'is not', null)
    .execute()
  const named = new Map<string, StoredTransition & { readonly environments: string[] }>()
  for (const { environment_id, impact } of rows)
    for (const { from, to } of transitionsIn(impact)) {
      if (from === to || to.startsWith(ERROR)) continue
      const { environments } = named.getOrInsertComputed(`${from}\n${to}`, () => ({ from, to, environments: [] }))
      if (!environments.includes(environment_id)) environments.push(environment_id)
    }
  return [...named.values()]
}

/** Both results of the recorded and the proved changes of an impact, which this platform has stored. */
function transitionsIn(impact: unknown): readonly Pick<Wanted, 'from' | 'to'>[] {
  const recorded = listIn(memberOf(impact, 'records'), 'transitions')
  const regions = listIn(memberOf(impact, 'diff'), 'regions')
  return [
    ...recorded.map((one) => ({ from: textOf(memberOf(one, 'from')), to: textOf(memberOf(one, 'to')) })),
    ...regions.map((one) => ({ from: resultOf(memberOf(one, 'before')), to: resultOf(memberOf(one, 'after')) })),
  ]
}

/** The result of one side of a region, in the notation of transitions of recorded decisions. */
function resultOf(side: unknown): string {
  const error = memberOf(side, 'error')
  return error === undefined ? textOf(memberOf(side, 'code')) : ERROR + textOf(memberOf(error, 'code'))
}

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)
const listIn = (value: unknown, name: string): readonly unknown[] => {
  const list = memberOf(value, name)
  return isList(list) ? list : []
}
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
