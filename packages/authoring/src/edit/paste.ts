import { sameValue } from '../same-value.ts'
import type { DraftGraph, DraftRuleset, DraftStep } from '../draft/model.ts'
import { messages, type Problem, type ProblemText } from '../problem.ts'
import { redirected } from './edges.ts'
import { type Fragment, readFragment, usedBy } from './fragment.ts'
import { freshName, graphIn, withGraph } from './place.ts'

export interface Pasted {
  /** Undefined after a problem. */
  readonly draft?: DraftRuleset
  /** New step ids by fragment ids. */
  readonly ids: ReadonlyMap<string, string>
  /** Problems of the fragment. */
  readonly problems: readonly Problem[]
}

/**
 * A draft with the steps of a fragment (`copySteps`) added. They get new ids and names; edges between them are kept,
 * others are disconnected. Their sub-rules are added too, reusing identical ones and renaming those with a conflicting
 * name. Linear in the size of both.
 *
 * @param within the sub-rule that they are added to; undefined: the ruleset itself
 */
export function pasteSteps(draft: DraftRuleset, text: string, within?: string): Pasted {
  const host = graphIn(draft, within)
  if (host === undefined) return failed(messages.unknownSubRule(within ?? '', undefined))
  const { fragment, problems } = readFragment(text)
  if (fragment === undefined) return { ids: new Map(), problems }
  const names = namesOf(draft, fragment)
  const added = Object.entries(fragment.subRules)
    .filter(([name]) => !Object.hasOwn(draft.subRules ?? {}, names.get(name) ?? name))
    .map(([name, graph]): [string, DraftGraph] => [names.get(name) ?? name, withReferences(graph, names)])
  const whole =
    added.length === 0
      ? draft
      : { ...draft, subRules: Object.fromEntries([...Object.entries(draft.subRules ?? {}), ...added]) }
  const { steps, ids } = placed(host, withReferences(fragment, names).steps, () => undefined)
  if (within !== undefined && Object.hasOwn(usedBy(whole, steps), within)) return failed(messages.ownSubRule(within))
  return { draft: withGraph(whole, within, { ...host, steps: [...host.steps, ...steps] }), ids, problems }
}

/**
 * A graph with copies of some steps: edges between them are copied, and outgoing edges keep their targets. The copies
 * have no incoming edges from other steps. Linear in the steps.
 */
export function duplicateSteps<Graph extends DraftGraph>(
  graph: Graph,
  selected: readonly string[],
): { readonly graph: Graph; readonly ids: ReadonlyMap<string, string> } {
  const wanted = new Set(selected)
  const originals = graph.steps.filter(({ id }) => wanted.has(id))
  const { steps, ids } = placed(graph, originals, (id) => id)
  return { graph: steps.length === 0 ? graph : { ...graph, steps: [...graph.steps, ...steps] }, ids }
}

function failed({ code, message }: ProblemText): Pasted {
  return { ids: new Map(), problems: [{ path: '', code, message, severity: 'error' }] }
}

/** Copies of steps with ids and names that are free in a graph. */
function placed(
  { steps: present }: DraftGraph,
  steps: readonly DraftStep[],
  outside: (id: string) => string | undefined,
): { readonly steps: readonly DraftStep[]; readonly ids: ReadonlyMap<string, string> } {
  const taken = new Set(present.map(({ id }) => id))
  const names = new Set(present.flatMap(({ name }) => name ?? []))
  const fresh = steps.map((step) => ({ step, id: freshName(taken, step.id) }))
  // For duplicate ids, edges refer to the first one.
  const ids = new Map(fresh.toReversed().map(({ step, id }) => [step.id, id]))
  const target = (id: string) => ids.get(id) ?? outside(id)
  const copies = fresh.map(({ step, id }) => {
    const name = step.name === undefined ? {} : { name: freshName(names, step.name, ' ') }
    return redirected({ ...step, id, ...name }, target)
  })
  return { steps: copies, ids }
}

/** The draft names of a fragment's sub-rules. */
function namesOf(draft: DraftRuleset, { subRules }: Fragment): ReadonlyMap<string, string> {
  const shared = sharedWith(draft, subRules)
  const taken = new Set(Object.keys(draft.subRules ?? {}))
  return new Map(Object.keys(subRules).map((name) => [name, shared.has(name) ? name : freshName(taken, name)]))
}

/** Sub-rules that are identical in the draft, including everything they use. */
function sharedWith(draft: DraftRuleset, subRules: Fragment['subRules']): ReadonlySet<string> {
  const users = new Map<string, string[]>()
  for (const [name, { steps }] of Object.entries(subRules))
    for (const step of steps) {
      if (step.type !== 'sub_rule' || step.refName === undefined) continue
      if (users.get(step.refName)?.push(name) === undefined) users.set(step.refName, [name])
    }
  const names = Object.keys(subRules)
  const different = new Set(names.filter((name) => !sameValue(subRules[name], graphIn(draft, name))))
  for (const name of different) for (const user of users.get(name) ?? []) different.add(user)
  return new Set(names).difference(different)
}

function withReferences<Graph extends DraftGraph | Fragment>(graph: Graph, names: ReadonlyMap<string, string>): Graph {
  const steps = graph.steps.map((step): DraftStep => {
    const name = step.type === 'sub_rule' && step.refName !== undefined ? names.get(step.refName) : undefined
    return step.type !== 'sub_rule' || name === undefined || name === step.refName ? step : { ...step, refName: name }
  })
  return { ...graph, steps }
}
