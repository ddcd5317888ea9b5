import type { DraftGraph, DraftRuleset } from '@engine/authoring'
import { escapedKey } from '@engine/expression/core'
import type { ReleaseDiff } from './release-parts.ts'

/** A changed part of a ruleset. */
export interface ChangedPlace {
  /** JSON pointer into the draft, with ids of steps, branches and rows as keys. */
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed' | 'moved'
  readonly before?: unknown
  readonly after?: unknown
  /** The step, branch or row that was added or removed as a whole. */
  readonly part?: 'step' | 'branch' | 'row' | 'default'
}

type Graphs = Pick<ReleaseDiff, 'config' | 'steps_added' | 'steps_removed' | 'steps_changed' | 'branches_changed'>

const LISTS = { branch: 'branches', row: 'rows' } as const

/** All changes of a diff; those of sub-rules follow the ruleset's own. Linear in the size of the diff. */
export function changedPlaces(diff: ReleaseDiff): readonly ChangedPlace[] {
  return [...placesOf(diff, ''), ...diff.sub_rules.flatMap((one) => placesOf(one, `/subRules/${escapedKey(one.name)}`))]
}

function placesOf(graphs: Graphs, prefix: string): readonly ChangedPlace[] {
  const step = (id: string) => `${prefix}/steps/${escapedKey(id)}`
  return [
    ...graphs.config.map(({ path, before, after }) => ({
      path: prefix + path,
      change: 'changed' as const,
      before,
      after,
    })),
    ...graphs.steps_added.map((id) => ({ path: step(id), change: 'added' as const, part: 'step' as const })),
    ...graphs.steps_removed.map((id) => ({ path: step(id), change: 'removed' as const, part: 'step' as const })),
    ...graphs.steps_changed
      .filter(({ path }) => !path.startsWith('/position'))
      .map(({ id, path, before, after }) => ({ path: step(id) + path, change: 'changed' as const, before, after })),
    ...graphs.branches_changed.flatMap(({ step: owner, kind, id, change, changes }): readonly ChangedPlace[] => {
      const at =
        kind === 'default' ? `${step(owner)}/defaultNextStepId` : `${step(owner)}/${LISTS[kind]}/${escapedKey(id)}`
      if (change === 'added' || change === 'removed' || changes.length === 0) return [{ path: at, change, part: kind }]
      return changes.map(({ path, before, after }) => ({
        path: kind === 'default' ? at : at + path,
        change: 'changed' as const,
        before,
        after,
      }))
    }),
  ]
}

/** A step, branch, row or default whose decisions tests can reach. */
export interface CoverablePart {
  /** As in `ChangedPlace`. */
  readonly path: string
  /** The key of its hits, with indexes instead of ids. */
  readonly key: string
}

/** The distinct changed parts of a draft that tests can reach; removed parts have no tests. */
export function coverableParts(places: readonly ChangedPlace[], draft: DraftRuleset): readonly CoverablePart[] {
  const found = new Map<string, CoverablePart>()
  for (const { path, change } of places) {
    const part = change === 'removed' ? undefined : partAt(path, draft)
    if (part !== undefined) found.set(part.key, part)
  }
  return [...found.values()]
}

function partAt(path: string, draft: DraftRuleset): CoverablePart | undefined {
  const [, prefix = '', stepKey = '', list, itemKey = ''] =
    /^((?:\/subRules\/[^/]*)?)\/steps\/([^/]*)(?:\/(branches|rows|defaultNextStepId)(?:\/([^/]*))?)?/.exec(path) ?? []
  if (stepKey === '') return undefined
  const graph = graphAt(prefix, draft)
  const index = graph?.steps.findIndex(({ id }) => escapedKey(id) === stepKey) ?? -1
  const step = graph?.steps[index]
  if (step === undefined) return undefined
  const at = `${prefix}/steps/${index}`
  const named = `${prefix}/steps/${stepKey}`
  if (list === undefined) return { path: named, key: at }
  if (list === 'defaultNextStepId') return { path: `${named}/defaultNextStepId`, key: `${at}/default` }
  const items = step.type === 'decision' ? step.branches : step.type === 'table' ? step.rows : []
  const position = items.findIndex(({ id }) => escapedKey(id) === itemKey)
  return position < 0 ? undefined : { path: `${named}/${list}/${itemKey}`, key: `${at}/${list}/${position}` }
}

function graphAt(prefix: string, draft: DraftRuleset): DraftGraph | undefined {
  if (prefix === '') return draft
  return Object.entries(draft.subRules ?? {}).find(([name]) => `/subRules/${escapedKey(name)}` === prefix)?.[1]
}
