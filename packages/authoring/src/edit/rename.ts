import { type Field, printPath } from '@engine/expression'
import type { DraftRuleset } from '../draft/model.ts'
import { fieldAt, readingOf, replacedInPath, replacedInText, type Replace } from './references.ts'
import { UNCHANGED, withTexts } from './step-texts.ts'

/**
 * A draft with an input field renamed everywhere: in conditions, expressions, columns, cells and defaults. Nested
 * fields are renamed too: `order` to `cart` turns `order.total` into `cart.total`. The draft's sub-rules have their own
 * inputs and are unchanged. Invalid expressions are unchanged. Undefined when either is not a path. Linear in the size
 * of the draft.
 */
export function renameField(draft: DraftRuleset, from: string, to: string): DraftRuleset | undefined {
  const [old, next] = [pathOf(from), pathOf(to)]
  if (old === undefined || next === undefined) return undefined
  const replace: Replace = (reading) =>
    reading.kind === 'field' && isWithin(reading.path, old)
      ? { ...reading, path: [...next, ...reading.path.slice(old.length)] }
      : reading
  const path = (text: string) => replacedInPath(text, replace)
  const expression = (text: string) => replacedInText(text, replace)
  const { defaults } = draft.config
  const config =
    defaults === undefined
      ? draft.config
      : {
          ...draft.config,
          defaults: Object.fromEntries(Object.entries(defaults).map(([key, value]) => [path(key), value])),
        }
  return { ...draft, config, steps: draft.steps.map((step) => withTexts(step, { ...UNCHANGED, expression, path })) }
}

/**
 * A draft with a variable renamed everywhere: where it is set, and in the expressions that read it. The draft's sub-rules have
 * their own variables and are unchanged. Undefined when either is not a name; names may have a `$`. Linear in the size of the draft.
 */
export function renameVariable(draft: DraftRuleset, from: string, to: string): DraftRuleset | undefined {
  const [old, next] = [bareName(from), bareName(to)]
  if (![old, next].every(isVariableName)) return undefined
  const replace: Replace = (reading) =>
    reading.kind === 'variable' && reading.name === old ? { ...reading, name: next } : reading
  const expression = (text: string) => replacedInText(text, replace)
  const path = (text: string) => replacedInPath(text, replace)
  const variable = (name: string) => (bareName(name) === old ? `${name.startsWith('$') ? '$' : ''}${next}` : name)
  return { ...draft, steps: draft.steps.map((step) => withTexts(step, { expression, path, variable })) }
}

function isVariableName(name: string): boolean {
  const reading = readingOf(`$${name}`)
  return reading?.kind === 'variable' && reading.name === name && reading.path.length === 0
}

const bareName = (name: string) => name.replace(/^\$/, '')

/** A draft with one output code of its terminals replaced by another. Linear in the steps. */
export function renameCode(draft: DraftRuleset, from: string, to: string): DraftRuleset {
  const steps = draft.steps.map((step) =>
    step.type === 'terminal' && step.code === from ? { ...step, code: to } : step,
  )
  return { ...draft, steps }
}

type Path = Field['path']

function pathOf(text: string): Path | undefined {
  const reading = readingOf(text)
  return reading?.kind === 'field' ? reading.path : undefined
}

const shown = (path: Path) => printPath(fieldAt(path))

/** Whether a path equals another one or extends it. */
function isWithin(path: Path, outer: Path): boolean {
  return outer.length > 0 && shown(path.slice(0, outer.length)) === shown(outer)
}
