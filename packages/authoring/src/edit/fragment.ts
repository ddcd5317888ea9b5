import { isList, parseJson, stringifyJson, type Value } from '@engine/expression'
import { isFields, member } from '@engine/ruleset'
import { decodeDraft } from '../draft/decode.ts'
import type { DraftGraph, DraftRuleset, DraftStep } from '../draft/model.ts'
import { messages, type Problem, type ProblemText } from '../problem.ts'
import { graphIn } from './place.ts'

/** UTF-16 units of a fragment. */
const MAX_LENGTH = 16 * 1024 * 1024

/** Steps of a draft with the sub-rules that they use, as stored in the clipboard. */
export interface Fragment {
  readonly steps: readonly DraftStep[]
  readonly subRules: { readonly [name: string]: DraftGraph }
}

/**
 * The JSON text of some steps, in order, with the draft's sub-rules that they need. Unknown ids are skipped. Linear in
 * the size of the draft.
 */
export function copySteps(draft: DraftRuleset, ids: readonly string[], within?: string): string {
  const wanted = new Set(ids)
  const steps = (graphIn(draft, within)?.steps ?? []).filter(({ id }) => wanted.has(id))
  return stringifyJson({ steps, subRules: usedBy(draft, steps) } satisfies Fragment)
}

/** The draft's sub-rules used by steps, directly or indirectly. */
export function usedBy(draft: DraftRuleset, steps: readonly DraftStep[]): Fragment['subRules'] {
  const found = new Map<string, DraftGraph>()
  const pending = [steps]
  for (const list of pending)
    for (const step of list) {
      const name = step.type === 'sub_rule' ? step.refName : undefined
      const graph = name === undefined || found.has(name) ? undefined : graphIn(draft, name)
      if (name === undefined || graph === undefined) continue
      found.set(name, graph)
      pending.push(graph.steps)
    }
  return Object.fromEntries(found)
}

export interface ReadFragment {
  readonly fragment?: Fragment
  /** Pointers into the text; those of a single step or list are relative to `steps`. */
  readonly problems: readonly Problem[]
}

/**
 * Reads steps from a text of `copySteps`, or from a JSON step, list of steps or whole draft. Linear in the length of
 * the text.
 */
export function readFragment(text: string): ReadFragment {
  if (text.length > MAX_LENGTH) return unreadable(`is longer than ${MAX_LENGTH} characters`)
  const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'exact' })
  if (parsed.kind === 'failed') {
    const { message, line, column } = parsed.problem
    return unreadable(message, { line, column, length: 1 })
  }
  const { draft, problems } = decodeDraft(wholeOf(parsed.value))
  return draft === undefined
    ? { problems }
    : { fragment: { steps: draft.steps, subRules: usedBy(draft, draft.steps) }, problems }
}

function unreadable(reason: string, place: Partial<Problem> = {}): ReadFragment {
  const { code, message }: ProblemText = messages.unreadable(reason)
  return { problems: [{ path: '', code, message, severity: 'error', ...place }] }
}

function wholeOf(value: Value): Value {
  const config = { name: 'fragment' }
  if (isList(value)) return { config, steps: value }
  if (!isFields(value) || member(value, 'steps') === undefined) return { config, steps: [value] }
  return { config, steps: member(value, 'steps') ?? null, subRules: member(value, 'subRules') ?? {} }
}
