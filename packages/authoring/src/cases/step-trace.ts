import { keysOfPointer, type Value } from '@engine/expression'
import type { Inspection } from '@engine/ruleset'
import type { ConvertedDraft } from '../convert/convert.ts'
import type { DraftRuleset } from '../draft/model.ts'

/** One step of a trace in terms of the draft. */
export interface TracedStep {
  readonly id: string
  readonly name: string
  readonly type: string
  /** For a step of an execution that reached a decision. */
  readonly duration_us?: number
  /** Id of the taken branch or row; undefined for the default. */
  readonly branch?: string
  /** For a decision or table: the tried branches; only the last one can be true. */
  readonly branches?: readonly {
    /** JSON pointer of the branch or row in the draft. */
    readonly path: string
    readonly condition: string
    readonly taken: boolean
    readonly fields: { readonly [path: string]: Value }
    readonly error?: string
  }[]
  /** The variables of the draft after the step. */
  readonly values: { readonly [name: string]: Value }
}

/** The draft steps of a trace: converted parts of one step are merged. */
export function tracedSteps(
  { steps }: Inspection,
  draft: DraftRuleset,
  { editorStep: places, isGenerated }: Pick<ConvertedDraft, 'editorStep' | 'isGenerated'>,
  durations?: readonly number[],
): readonly TracedStep[] {
  const shown: (TracedStep & { engineId: string })[] = []
  for (const [index, { id: engineId, name, type, branches, variables }] of steps.entries()) {
    const place = places(engineId)
    const id = place?.step_id ?? engineId
    const duration = durations?.[index]
    const tried = branches.map(({ condition, taken, fields, error }, number) => ({
      path: places(engineId, number)?.path ?? '',
      condition,
      taken,
      fields,
      ...(error !== undefined && { error }),
    }))
    const way = tried.findLast(({ taken }) => taken)?.path
    const branch = way === undefined ? undefined : idAt(draft, way)
    const values = Object.fromEntries(Object.entries(variables).filter(([variable]) => !isGenerated(variable)))
    const last = shown.at(-1)
    if (last !== undefined && last.id === id && last.engineId !== engineId)
      Object.assign(last, {
        engineId,
        values,
        ...(branch !== undefined && { branch }),
        ...(tried.length > 0 && { branches: [...(last.branches ?? []), ...tried] }),
        ...(duration !== undefined && { duration_us: (last.duration_us ?? 0) + duration }),
      })
    else
      shown.push({
        engineId,
        id,
        name,
        type: typeAt(draft, place?.path) ?? type,
        ...(duration !== undefined && { duration_us: duration }),
        ...(branch !== undefined && { branch }),
        ...(tried.length > 0 && { branches: tried }),
        values,
      })
  }
  return shown.map(({ engineId: _engineId, ...step }) => step)
}

/** The type of a draft step by its pointer: a table is converted to steps of other types. */
function typeAt({ steps }: DraftRuleset, path: string | undefined): string | undefined {
  const [, index] = /^\/steps\/(\d+)$/.exec(path ?? '') ?? []
  return index === undefined ? undefined : steps[Number(index)]?.type
}

/** The id of the part at a pointer, in the draft itself or in one of its own sub-rules. */
function idAt(draft: DraftRuleset, path: string): string | undefined {
  let value: unknown = draft
  for (const name of keysOfPointer(path))
    value = typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : null
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined
  return typeof id === 'string' ? id : undefined
}
