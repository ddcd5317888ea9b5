import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import { draftAt, draftNamed, type StoredDraft } from '../drafts/repository.ts'
import type { InProject } from '../projects/project-scope.ts'
import { environmentIn, type EnvironmentRow } from '../projects/repository.ts'
import type { ReleaseRequest } from './model.ts'

/** A ruleset of a request: a save to release, or a removal. */
export type Wanted =
  | { readonly kind: 'save'; readonly name: string; readonly draft: StoredDraft }
  | { readonly kind: 'removal'; readonly name: string }

/** The resolved names of a request. */
export interface Found {
  /** In the order of the release. */
  readonly environments: readonly EnvironmentRow[]
  readonly rulesets: readonly Wanted[]
}

/** Throws 400 for names that are unknown, beyond the caller's reach, or duplicated. */
export async function findWanted(
  place: InProject,
  caller: Caller,
  { environments, rulesets }: ReleaseRequest,
): Promise<Found> {
  return {
    environments: await environmentsNamed(place, caller, environments),
    rulesets: await rulesetsNamed(place, rulesets),
  }
}

async function environmentsNamed(
  { member, project }: InProject,
  caller: Caller,
  keys: readonly string[],
): Promise<readonly EnvironmentRow[]> {
  const found = new Map<string, EnvironmentRow>()
  for (const [index, key] of keys.entries()) {
    const row = await environmentIn(member.scope, project.id, key)
    if (row === undefined || !reachesEnvironment(caller, row.name))
      throw failures.invalid(`/environments/${index}`, 'is not an environment of this project')
    if (found.has(row.id)) throw failures.invalid(`/environments/${index}`, 'is listed twice')
    found.set(row.id, row)
  }
  return [...found.values()].toSorted(
    (left, right) => left.position - right.position || (left.name < right.name ? -1 : 1),
  )
}

/** Maximum size of the JSON of all saves and suites that one release copies: memory holds them together. */
const MAX_BYTES = 32 * 1024 * 1024

async function rulesetsNamed(
  { member: { scope }, project }: InProject,
  wanted: ReleaseRequest['rulesets'],
): Promise<readonly Wanted[]> {
  const found = new Map<string, Wanted>()
  let bytes = 0
  for (const [index, one] of wanted.entries()) {
    const { name, from_seq: seq } = one
    if (found.has(name)) throw failures.invalid(`/rulesets/${index}/name`, 'is listed twice')
    if (one.remove === true && seq !== undefined)
      throw failures.invalid(`/rulesets/${index}`, 'is both released (`from_seq`) and removed (`remove`)')
    if (one.remove === true) {
      found.set(name, { kind: 'removal', name })
      continue
    }
    if (seq === undefined)
      throw failures.invalid(`/rulesets/${index}/from_seq`, 'is missing: the save, or `remove` that is true')
    if ((await draftNamed(scope, project.id, name)) === undefined)
      throw failures.invalid(`/rulesets/${index}/name`, `is not a ruleset of this project: \`${name}\``)
    bytes += await copiedBytes(scope, project.id, name, seq)
    if (bytes > MAX_BYTES)
      throw failures.invalid(
        `/rulesets/${index}`,
        'makes the release with its suites larger than 32 MiB: release fewer rulesets together',
      )
    const draft = await draftAt(scope, project.id, name, seq)
    if (draft === undefined) throw failures.invalid(`/rulesets/${index}/from_seq`, `is not a save of \`${name}\``)
    found.set(name, { kind: 'save', name, draft })
  }
  return [...found.values()]
}

/** The size of a save and of the suites of its ruleset, determined before they are read. */
async function copiedBytes(scope: Scope, project: string, name: string, seq: number): Promise<number> {
  const save = await scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .select((eb) => ['draft_id', eb.fn<number>('octet_length', [eb.cast('ruleset', 'text')]).as('bytes')])
    .where('project_id', '=', project)
    .where('name', '=', name)
    .where('seq', '=', seq)
    .executeTakeFirst()
  if (save === undefined) return 0
  const suites = await scope
    .read('test_suites')
    .selectFrom('test_suites')
    .select((eb) => eb.fn<number>('octet_length', [eb.cast('cases', 'text')]).as('bytes'))
    .where('draft_id', '=', save.draft_id)
    .execute()
  return suites.reduce((sum, { bytes }) => sum + bytes, save.bytes)
}
